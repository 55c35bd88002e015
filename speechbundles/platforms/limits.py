"""The longest texts that both platforms accept."""

from speechbundles.platforms.codabench import keys as codabench
from speechbundles.platforms.codalab import keys as codalab
from speechbundles.platforms.keys import Key


def _longest(*keys: Key) -> int:
    return min(int(key["maxLength"]) for key in keys if "maxLength" in key)


LONGEST_KEY = min(_longest(codabench.COLUMN["key"]), codalab.LONGEST_COLUMN_KEY)

LONGEST_COLUMN_TITLE = _longest(codabench.COLUMN["title"], codalab.COLUMN["label"])

LONGEST_TEXTS = {
    ("settings", "reward"): _longest(codabench.TOP["reward"]),
    ("settings", "docker_image"): _longest(
        codabench.TOP["docker_image"], codalab.TOP["competition_docker_image"]
    ),
    ("bundle", "title"): _longest(codabench.TOP["title"], codalab.TOP["title"]),
    ("page", "title"): _longest(codabench.PAGE["title"]),
    ("phase", "name"): _longest(codabench.PHASE["name"], codalab.PHASE["label"]),
    ("phase", "description"): _longest(codabench.PHASE["description"], codalab.PHASE["description"]),
}
"""The longest texts, by their places in the schema of `competition.yaml`."""
