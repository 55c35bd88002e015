"""Build bundles from checked competitions."""
