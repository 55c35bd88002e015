"""Values that the other rooms share: competitions, bundles, findings, errors, and readers for files and zips."""
