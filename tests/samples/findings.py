"""What `check` finds in the repository's own bundles."""


def expected_findings(competition):
    """MERLIon's evaluation plan allows more attempts than `check` would, and its sample is small."""
    return (
        ["leak-attempts", "leak-scores", "deciding-submissions"] if competition.challenge == "merlion" else []
    )
