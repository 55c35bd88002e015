"""Writes the files that an organiser starts from: a competition folder, or a new challenge that builds as it is."""
