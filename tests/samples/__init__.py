"""Data and helpers shared by tests; test modules do not import each other."""
