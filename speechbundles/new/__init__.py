"""A new challenge: files that build, check and rehearse as they are, to be edited into one's own."""
