"""What an organiser writes: competition.yaml, references, kits and pages, read and checked."""
