"""The report page of a submission."""
