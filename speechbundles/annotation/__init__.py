"""What comes before the labels: sheets for annotators, merged annotations, sets, and a description of the data."""
