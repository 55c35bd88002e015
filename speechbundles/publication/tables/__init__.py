"""Tables of the challenges' papers: each module lists in `TABLES` its functions from outputs to a table or None."""
