"""What hostile, broken and unlucky submissions come to."""
