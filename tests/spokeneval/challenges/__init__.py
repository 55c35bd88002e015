"""Tests of each task from files to scores."""
