"""Count the lines of code of each package, without docstrings, comments, blank lines and imports.

`python -m benchmarks.code_lines [FOLDER ...]` prints a row for each package of the product and of the tests. A line
counts if a token of a statement is on it. Lines of docstrings, of other strings that are statements, and of imports do
not count.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from pathlib import Path

from spokeneval.scoring.output import say

PRODUCT = ("spokeneval", "speechbundles", "scoring_program", "ingestion_program", "build_bundle.py")
BESIDE = ("tests", "starting_kit", "sample_data", "benchmarks")
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Count the lines of a module that have code other than imports and docstrings.

    >>> code_lines('\"\"\"A module.\"\"\"\\n\\nimport os  # not used\\n\\nx = (\\n    1\\n)\\n')
    3
    """
    left_out: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        text = (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        )
        if text or isinstance(node, (ast.Import, ast.ImportFrom)):
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - left_out)


def count(top: Path) -> Counter[str]:
    """Count the lines of each package below a folder: `package -> lines`, with its folders of the second level."""
    counts: Counter[str] = Counter()
    for path in [top] if top.is_file() else sorted(top.rglob("*.py")):
        folders = path.relative_to(top.parent).parts[:-1]
        counts["/".join(folders[:2]) or path.name] += code_lines(path.read_text(encoding="utf-8"))
    return counts


def main(folders: list[str]) -> None:
    """Print the counts of the given folders, or of the product and what is beside it."""
    total = 0
    for name in folders or (*PRODUCT, *BESIDE):
        counts = count(Path(name))
        for package, lines in sorted(counts.items()):
            say(f"{lines:8,}  {package}")
        say(f"{counts.total():8,}  {name}, in all")
        total += counts.total() if name in PRODUCT else 0
    if not folders:
        say(f"{total:8,}  the product: {', '.join(PRODUCT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
