"""Tasks in small, a module each, of plain values. A new task joins the tests that hold for every task by its module."""
