"""What a platform would do with a submission, done here."""
