"""Pages of templates: facts, blocks with conditions, and what is refused with its line."""

from __future__ import annotations

import re

import pytest

from speechbundles.bundle.build.template import fill
from speechbundles.model.errors import OrganiserError


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<!-- only sample -->\nx\n<!-- end -->\n", " line 2: <!-- only sample --> is no longer read; write"),
        ("{% if samples %}\nx\n{% endif %}\n", " line 2: unknown name samples; did you mean sample?"),
        ("a\n{% if sample %}\nx\n", " line 4: Unexpected end of template."),
        ("{% of %}\n", " line 2: Encountered unknown tag 'of'."),
        ("${title", " line 2: $ is not a fact; ${name} can be title,"),
        ("${colums}\n", " line 2: ${colums} is not a fact; did you mean ${columns}? Write $$ for"),
        ("caf\udce9\n", " line 2: not UTF-8; save it as UTF-8"),
    ],
)
def test_a_page_with_invalid_template_syntax_is_named_with_its_line(page, expected):
    data, facts = f"# Terms\n{page}".encode("utf-8", "surrogateescape"), {"title": "A", "columns": "B"}
    with pytest.raises(OrganiserError, match=re.escape(f"pages/terms.md{expected}")):
        fill(data, "pages/terms.md", facts, {"sample": True})


def test_a_page_gets_its_facts_and_the_blocks_with_true_conditions():
    page = b"""@misc{a, title = {{${title}}}, note = {$$5}}
{% if baseline and not development %}
new
{% endif %}
"""
    facts, holds = {"title": "A {% title %}"}, {"baseline": True, "development": False}
    assert fill(page, "a.md", facts, holds) == "@misc{a, title = {{A {% title %}}}, note = {$5}}\nnew\n"
