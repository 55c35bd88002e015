"""Bundles built, checked, rehearsed, ranked."""
