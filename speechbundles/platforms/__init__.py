"""All that is particular to a platform, in a folder for each: see `speechbundles.model.platform`."""
