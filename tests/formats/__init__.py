"""The files of references and submissions: read as they are, refused where they are bad."""
