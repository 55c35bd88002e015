"""Competitions in, zips out."""
