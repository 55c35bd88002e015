"""The organiser's side: competition.yaml in, checked and rehearsed bundles out. Never part of a bundle."""
