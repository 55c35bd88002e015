"""Tests of hostile, broken and unlucky submissions."""
