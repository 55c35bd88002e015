"""The papers' tables, a module a task: `TABLES` are functions from scoring outputs to a table, or None."""
