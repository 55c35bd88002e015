"""What a program writes, and where it runs: intervals, pages, Pythons."""
