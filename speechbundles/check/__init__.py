"""What a platform would refuse in a built zip, or get wrong."""
