"""Tools that look for defects where no test has been written: fuzzing, pages in a browser."""
