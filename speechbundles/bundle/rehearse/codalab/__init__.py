"""CodaLab Competitions 1.5, whose bundles Codabench imports as well."""
