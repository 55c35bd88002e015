"""Read and check an organiser's files: competition.yaml, references, kits and pages."""
