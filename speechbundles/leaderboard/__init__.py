"""Scoring of many submissions on the organiser's computer, and leaderboards of every kind."""
