"""Facts about a declared task for its pages and kit: its parameters by name, and made answers for examples."""

from collections.abc import Mapping, Sequence
from typing import Any

from speechbundles.model.competition import Competition
from speechbundles.model.sources import OWN_TASKS, SUBMISSION
from spokeneval.formats.normalisation import RULES
from spokeneval.formats.problems import plural_of, some_of
from spokeneval.formats.speakers import PLURAL
from spokeneval.formats.tables import csv_text
from spokeneval.kinds.declared import KINDS
from spokeneval.kinds.kind import REQUIRED
from spokeneval.kinds.ratings import MOST_LISTED

_MOST_REPLACED = 50
"""The most replacements of a table on a page."""
_SINGULAR = {"classes": "class", "phones": "phone", "raters": "rater", "priors": "prior"}


def declared_facts(competition: Competition) -> dict[str, str]:
    """Return facts about a task: its files, and of a declared task each parameter of its kind by name.

    A parameter that is not set is empty. Of a list, the entries are also facts: `class_1` and `class_2` of `classes`.
    `class_3` is empty for two classes.
    Made answers fit the parameters: `likelihoods_1`, `probabilities_2`, `phone_1`, `label_2`. For a task in an
    organiser's own Python, `example` has the first lines of the submission in its sample.
    """
    task = competition.definition
    answer = task.format.answer
    files = {
        "submission_file": task.format.submission_file or "",
        "submission_header": answer.delimiter.join(answer.columns) if answer else "",
        "list_file": task.format.list_files[0],
        "id": task.format.layouts[0].id,
    }
    if task.code:
        words = {"item": "item", "an_item": "an item", "unit": "unit", "unit_plural": "units"}
        return {**files, "kind": "python", "every_item": "yes", **words, "example": _example(competition)}
    if not task.declaration:
        return files
    kind = KINDS[task.declaration["kind"]]
    values = {each.name: task.declaration.get(each.name, each.default) for each in kind.parameters()}
    values["id"] = files["id"]
    facts = {name: "" if value in (None, REQUIRED) else _text(value) for name, value in values.items()}
    for name, value in values.items():
        if isinstance(value, (list, tuple)):
            one = _SINGULAR.get(name, name)
            facts.update({f"{one}_{number}": str(entry) for number, entry in enumerate(value, 1)})
    if isinstance(values.get("raters"), int):
        raters = [f"rater{number + 1}" for number in range(values["raters"])]
        facts["raters"] = _text(raters) if len(raters) <= MOST_LISTED else f"`rater1` to `{raters[-1]}`"
    if "classes" in values:
        facts.update(_made_scores(values["classes"], 1.5 if values.get("out_of_set") else -0.4))
        facts.setdefault("class_3", "")
    if "phones" in values:
        facts.update(_phones(values))
    if rules := values.get("normalise"):
        facts["normalise"] = "\n".join(map(_rule, [rules] if isinstance(rules, str) else rules))
    if "questions" in values:
        facts.update(_questions(values["questions"]))
    item = facts["item"]
    return {
        **files,
        "kind": kind.name,
        "every_item": "yes" if kind.every_item else "",
        "unit_plural": task.declaration.get(PLURAL) or plural_of(facts.get("unit", item)),
        "an_item": f"{'an' if item[:1] in 'aeiou' else 'a'} {item}",
        "unit": item,
        **facts,
    }


def _questions(asked: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return the questions as a list, and two lines of made answers."""
    lines, answers = [], list[Sequence[Any]]()
    for question, declared in asked.items():
        own = declared.get("classes") or declared["scale"]
        answers.append(own)
        step = f" in human steps of {declared['step']}" if "step" in declared else ""
        what = (
            f"one of {_text(own)}" if "classes" in declared else f"a number from {own[0]} to {own[1]}{step}"
        )
        lines.append(f"- `{question}`: {what}")
    made = {f"answers_{row}": csv_text([[own[row - 1] for own in answers]]).rstrip() for row in (1, 2)}
    return {"questions": "\n".join(lines), **made}


def _example(competition: Competition) -> str:
    """Return the first lines of each file of the sample's submission, at most two files."""
    folder = competition.sources.folder / OWN_TASKS / competition.task / SUBMISSION
    blocks = []
    for path in sorted(folder.glob("*.*"))[:2]:
        lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()[:3]
        blocks.append("\n".join([f"`{path.name}`:", "", "```", *lines, "```"]))
    return "\n\n".join(blocks)


def _text(value: Any) -> str:
    """Return a parameter as text; the entries of a list are between backticks."""
    if isinstance(value, (list, tuple)):
        return ", ".join(f"`{entry}`" for entry in value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(entry)}" for key, entry in value.items())
    return str(value)


def _rule(declared: str | Mapping[str, Any]) -> str:
    """Return a rule of normalisation as an item of a list, with the words that it takes."""
    (name, taken) = next(iter(declared.items())) if isinstance(declared, Mapping) else (declared, None)
    rule = next(rule for rule in RULES if rule.name == name)
    is_table = rule.takes == "table"
    words = [f"`{each[0]}` by `{each[1]}`" if is_table else f"`{each}`" for each in taken or ()]
    return f"- `{name}`: {rule.description}" + (
        f": {some_of(words, _MOST_REPLACED if is_table else len(words), str)}" if words else ""
    )


def _made_scores(classes: Any, largest: float) -> dict[str, str]:
    """Return the header and two lines of made scores for classes, and two labels."""
    names: Sequence[str] = classes if isinstance(classes, (list, tuple)) else ["A", "B"]
    rest = (1 - 0.7) / (len(names) - 1)
    lines = {
        "likelihoods_1": [f"{largest - 1.7 * place:.1f}" for place in range(len(names))],
        "probabilities_1": ["0.7", *[f"{rest:.3g}"] * (len(names) - 1)],
    }
    made = {name: ",".join(cells) for name, cells in lines.items()}
    made.update({name.replace("1", "2"): ",".join(reversed(cells)) for name, cells in lines.items()})
    header = csv_text([names]).removesuffix("\n")
    return {**made, "classes_header": header, "label_1": names[0], "label_2": names[1]}


def _phones(values: Mapping[str, Any]) -> dict[str, str]:
    """Return the inventory of phones, and two of them; empty if the units are others."""
    if values["phones"] == "arpabet":
        arpabet = "the 39 of ARPAbet without stress digits, and the flap `DX`"
        return {"phones": arpabet, "phone_1": "K", "phone_2": "AE"}
    inventory = values["phones"] or [row[0] for row in (values["features"] or ())[1:]] or [""]
    return {"phones": _text(inventory), "phone_1": inventory[0], "phone_2": inventory[-1]}
