"""How a result was computed, in one line. Two results may be compared only if their signatures are the same."""

from __future__ import annotations

from dataclasses import dataclass

from ..version import __version__
from .feedback import COARSE

SIGNATURE_FILE = "signature.txt"


@dataclass(frozen=True)
class Signature:
    """What a result depends on, beside the submission.

    Anyone who knew a fingerprint of hidden labels, or of the items in a part, could test guesses against it. So of
    hidden labels a signature holds the fingerprint of all items of the set, and the name of the part.

    Attributes
    ----------
    task: the task's name.
    options: `option:value` of each of the task's options, sorted.
    coarse: whether the scores are in steps, as a board of hidden labels shows them.
    reference: where the labels are public, the first digits of their fingerprint.
    items: where they are hidden, the first digits of the items' fingerprint.
    part: the part of a set with a sealed share that is scored.
    version: of this package.
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

    @classmethod
    def parse(cls, text: str) -> Signature:
        """A signature from its line; parts of any other name count as options."""
        task, *parts = text.split("|")
        known = dict(part.split(":", 1) for part in parts if part.startswith(_KNOWN))
        return cls(
            task,
            tuple(part for part in parts if not part.startswith(_KNOWN)),
            known.get("feedback") == COARSE,
            *(known.get(key, "") for key in ("reference", "items", "part", "spokeneval")),
        )


_KNOWN = ("feedback:", "reference:", "items:", "part:", "spokeneval:")
