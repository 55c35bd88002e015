"""One bundle: built, checked, and run as a platform would."""
