"""Every fact about a platform: its keys, limits and rules, what its worker and its server do."""
