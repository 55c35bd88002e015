"""File formats of submissions and references: read files into checked arrays, or refuse them and list all problems."""
