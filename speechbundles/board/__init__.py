"""Many submissions scored at home."""
