"""The builders of pages escape what is no markup, and align numbers."""

from spokeneval.report import page as builders


def test_a_caption_that_repeats_the_heading_is_marked():
    table = builders.table("Rates & shares", ["System", "Rate"], [["a", "1"]])
    assert builders.section("Rates & shares", table).markup.startswith('<section class="titled">')
    assert builders.section("Rates", table).markup.startswith("<section>")


def test_builders_escape_whatever_is_no_markup():
    assert builders.text('<b> & "x"') == "&lt;b&gt; &amp; &quot;x&quot;"
    assert builders.text("\x1b[0m\n") == "\\x1b[0m\\n"
    paired = builders.table("Caption", ["A", "B"], [["1", "2.5 (1.5 to 3.5)"], ["2", "-1.5 (-2.5 to -0.5)"]])
    assert paired.markup.count('<td class="number">') == 2
    table = builders.table(
        "Caption <x>", ["A", "B"], [["<r>", "1.5 to 2.5"], ["s", "1 if it is so"]] * 40, shown=3
    )
    assert "77 more rows are not shown." in table.markup
    assert '<td class="number">1.5 to 2.5</td>' in table.markup
    assert '<th scope="col">B</th>' in table.markup
    numbers = builders.table("Caption", ["A", "B"], [["1", "< 0.0001"], ["2", ""], ["3", "not reached"]])
    assert '<th scope="col">A</th><th scope="col" class="number">B</th>' in numbers.markup
    assert "<td>1 if it is so</td>" in table.markup
    assert "<x>" not in table.markup
    assert "<r>" not in table.markup
