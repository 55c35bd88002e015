"""The signature of a result: how it was computed, in one line. Compare results only if their signatures are equal."""

from __future__ import annotations

from dataclasses import dataclass

from ..version import __version__
from .feedback import COARSE

SIGNATURE_FILE = "signature.txt"


@dataclass(frozen=True)
class Signature:
    """Everything that determines a result, besides the submission.

    With a fingerprint of hidden labels, or of the items in a part, participants could check guesses. So for hidden
    labels a signature contains the fingerprint of all items of the set, and the name of the part.

    Attributes
    ----------
    task
        The name of the task.
    options
        The options of the task, each as `option:value`, sorted.
    coarse
        Whether the leaderboard shows scores in steps, because the labels are hidden.
    reference
        The first digits of the labels' fingerprint, if the labels are public. It is computed from the labels as the
        task reads them, in the order of ids: the order of rows, line ends and unused columns do not change it.
    items
        The first digits of the items' fingerprint, if the labels are hidden.
    part
        The scored part of a set with a sealed part.
    version
        The version of this package.
    """

    task: str
    options: tuple[str, ...] = ()
    coarse: bool = False
    reference: str = ""
    items: str = ""
    part: str = ""
    version: str = __version__

    def __str__(self) -> str:
        named = {
            "feedback": COARSE if self.coarse else "",
            "reference": self.reference,
            "items": self.items,
            "part": self.part,
            "spokeneval": self.version,
        }
        return "|".join(
            [self.task, *self.options, *(f"{key}:{value}" for key, value in named.items() if value)]
        )

    @property
    def code(self) -> str:
        """The first digits of the hash of an organiser's own task in Python; empty for all other tasks."""
        return next((option[len(CODE) :] for option in self.options if option.startswith(CODE)), "")

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse the line of a signature. Parts with an unknown name count as options."""
        task, *parts = text.split("|")
        known = dict(part.split(":", 1) for part in parts if part.startswith(_KNOWN))
        return cls(
            task,
            tuple(part for part in parts if not part.startswith(_KNOWN)),
            known.get("feedback") == COARSE,
            *(known.get(key, "") for key in ("reference", "items", "part", "spokeneval")),
        )


CODE = "code:"
"""The beginning of the option with the `code` of an organiser's own task."""

_KNOWN = ("feedback:", "reference:", "items:", "part:", "spokeneval:")
