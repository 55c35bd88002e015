"""The organiser's commands: they build, check and rehearse bundles from competition.yaml. Never part of a bundle."""
