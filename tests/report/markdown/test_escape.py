import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.report.markdown.escape import clipped, code, fence, html_code, prose, table
from tests.support.gfm import page
from tests.support.nasty import nasty_text


@given(nasty_text)
def test_a_code_span_is_one_whatever_it_holds(text: str) -> None:
    shown = page(f"before {code(text)} after")
    assert shown.outline == ["p", "/p"]
    assert shown.tags <= {"p", "code"}
    assert len(shown.code) == bool(code(text))


@given(st.text(st.characters(codec="ascii", categories=("L", "N", "P", "S", "Zs")), min_size=1))
def test_a_code_span_changes_nothing_that_can_be_seen(text: str) -> None:
    (shown,) = page(f"x {code(text)} y").code
    assert shown == text


@given(nasty_text)
def test_prose_is_one_line_in_which_nothing_is_live(text: str) -> None:
    written = prose(text)
    shown = page(f"- {written}")
    assert "\n" not in written
    assert shown.tags <= {"ul", "li", "code"}
    assert not shown.live


@given(nasty_text)
def test_prose_alone_is_at_most_one_paragraph(text: str) -> None:
    assert page(prose(text)).outline in (["p", "/p"], [])


@given(st.lists(nasty_text, min_size=1, max_size=4))
def test_cells_keep_their_table(texts: list[str]) -> None:
    rows = [[code(each), prose(each)] for each in texts]
    shown = page(table(["a", "b"], rows))
    assert shown.outline == page("| a | b |\n| --- | --- |\n" + "| x | y |\n" * len(texts)).outline
    assert shown.tags <= {"table", "thead", "tbody", "tr", "th", "td", "code"}
    assert not shown.live


@given(st.text("|\\`a ", min_size=1))
def test_pipes_and_backslashes_reach_a_cell_unchanged(text: str) -> None:
    shown = page(table(["a"], [[f"x {code(text)} y"]]))
    assert shown.code == [text]


@given(nasty_text)
def test_a_summary_is_one_line_of_code(text: str) -> None:
    shown = page(f"<details><summary>{html_code(text)}</summary>\n\nbody\n\n</details>")
    assert shown.outline == ["details", "summary", "/summary", "p", "/p", "/details"]
    assert not shown.live


@given(nasty_text)
def test_a_fence_ends_where_it_should(text: str) -> None:
    shown = page(f"{fence(text, 'diff')}\n\nafter")
    assert shown.outline == ["pre", "/pre", "p", "/p"]
    assert shown.words[-2:] == ["after", "\n"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("execution inputs changed", "execution inputs changed"),
        ("waits for infra/network, then stops.", "waits for `infra/network`, then stops."),
        ("needs --allow-teardown and --allow-dependents", "needs `--allow-teardown` and `--allow-dependents`"),
        ("it is a non-retryable failure (really)", "it is a non-retryable failure (really)"),
        ("exit 3: @team see #1 or deadbeef", "exit 3: `@team` see `#1` or `deadbeef`"),
        ("two\nlines\r\nof it", "two lines of it"),
        ("12. of them", "`12`. of them"),
        ("run `nyl recover -e dev`, or `x y`.", "run `nyl recover -e dev`, or `x y`."),
        ("", ""),
    ],
)
def test_prose_reads_well(text: str, shown: str) -> None:
    assert prose(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("10%\r55%\r100%\r\ndone\r\n", "100%\ndone"),
        ("\x1b[31m- gone\x1b[0m\n\x1b[2Kx", "- gone\nx"),
        ("a\tb\n\0", "a   b\n\\x00"),
        ("\u202eevil\u200b", "\\u202eevil\\u200b"),
        ("x\ud800", "x\\ud800"),
    ],
)
def test_a_fence_shows_what_a_terminal_would(text: str, shown: str) -> None:
    assert fence(text) == f"```text\n{shown}\n```"


def test_a_fence_is_longer_than_any_in_it() -> None:
    assert fence("```\n~~~") == "````text\n```\n~~~\n````"
    assert fence("`````\n~~~").startswith("~~~~text\n")


def test_what_is_clipped_ends_with_an_ellipsis() -> None:
    assert clipped("12345", 5) == "12345"
    assert clipped("123456", 5) == "1234…"
