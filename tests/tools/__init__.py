"""Tools that search for defects beyond the tests: fuzzing, and checks of pages in a browser."""
