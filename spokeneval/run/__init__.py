"""Results: what a scoring or ingestion program writes and says."""
