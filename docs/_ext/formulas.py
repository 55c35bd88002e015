"""The plain formulas of docstrings in LaTeX."""

from __future__ import annotations

import re

_CLAUSE = re.compile(r"(^Return |[.;:,] | with | where |[.;:,]?$)")
_FORMULA = re.compile(r" = |[\w)] / [\w(]")
_TOKEN = re.compile(r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<word>[^\W\d][\w'-]*)|(?P<sign>[-+*/^=()]))")
_SIGNS = {"*": r" \cdot ", "+": " + ", "-": " - "}


def with_formulas(text: str) -> str:
    """A summary with its formulas, such as `P = CA / (CA + FA)`, as roles of reStructuredText."""
    parts = _CLAUSE.split(text)
    for place, part in enumerate(parts):
        if _FORMULA.search(part) and (latex := to_latex(part)):
            parts[place] = f":math:`{latex}`"
    return "".join(parts)


def to_latex(formula: str) -> str:
    """LaTeX of a formula of words, numbers, `+ - * / ^ =`, `sqrt(...)` and parentheses; empty for other text."""
    tokens, place = [], 0
    while place < len(formula.rstrip()):
        token = _TOKEN.match(formula, place)
        if token is None:
            return ""
        tokens.append((str(token.lastgroup), token[str(token.lastgroup)]))
        place = token.end()
    parser = _Parser(tokens)
    try:
        latex = parser.equation()
    except (IndexError, ValueError):
        return ""
    return latex if not parser.tokens else ""


class _Parser:
    """Recursive descent. Neighbours without a sign are factors, and neighbouring words are one name."""

    def __init__(self, tokens: list[tuple[str, str]]) -> None:
        self.tokens = tokens

    def next_is(self, *signs: str) -> bool:
        return bool(self.tokens) and self.tokens[0][1] in signs

    def equation(self) -> str:
        sides = [self.sum()]
        while self.next_is("="):
            self.tokens.pop(0)
            sides.append(self.sum())
        return " = ".join(sides)

    def sum(self) -> str:
        latex = self.quotient()
        while self.next_is("+", "-"):
            latex += _SIGNS[self.tokens.pop(0)[1]] + self.quotient()
        return latex

    def quotient(self) -> str:
        latex = self.product()
        while self.next_is("/"):
            self.tokens.pop(0)
            latex = rf"\frac{{{_bare(latex)}}}{{{_bare(self.product())}}}"
        return latex

    def product(self) -> str:
        latex = self.power()
        while self.tokens and not self.next_is("+", "-", "/", "=", ")"):
            times = r"\,"
            if self.next_is("*"):
                times = _SIGNS[self.tokens.pop(0)[1]]
            elif self.tokens[0][0] == "number":
                raise ValueError(self.tokens[0][1])  # a sentence with a number
            latex += times + self.power()
        return latex

    def power(self) -> str:
        latex = self.atom()
        if self.next_is("^"):
            self.tokens.pop(0)
            latex = f"{latex}^{{{self.atom()}}}"
        return latex

    def atom(self) -> str:
        kind, text = self.tokens.pop(0)
        if text == "sqrt":
            return rf"\sqrt{{{_bare(self.atom())}}}"
        if text == "(":
            inner = self.equation()
            if not self.next_is(")"):
                raise ValueError(text)
            self.tokens.pop(0)
            return rf"\left({inner}\right)"
        if kind == "sign":
            raise ValueError(text)
        if kind == "number":
            return text
        while self.tokens and self.tokens[0][0] == "word" and "_" not in text + self.tokens[0][1]:
            text += " " + self.tokens.pop(0)[1]
        if " " in text and self.next_is("(", "="):
            raise ValueError(text)  # a sentence about a formula
        name, _, index = text.partition("_")
        return rf"\text{{{name}}}_{{\text{{{index}}}}}" if index else rf"\text{{{name}}}"


def _bare(latex: str) -> str:
    """A part of a fraction or a root, without parentheses around all of it."""
    inner = latex.removeprefix(r"\left(").removesuffix(r"\right)")
    depth = 0
    for bracket in re.findall(r"\\left|\\right", inner):
        depth += 1 if bracket == r"\left" else -1
        if depth < 0:
            return latex
    return inner if depth == 0 else latex
