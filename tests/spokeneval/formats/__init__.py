"""Tests of file formats: valid files are read, invalid files are refused."""
