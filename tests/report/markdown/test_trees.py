"""Trees in comments."""

from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.report.markdown.comment import COMMENT_LIMIT, markdown_text
from nyl.report.markdown.context import MarkdownContext
from tests.report.trees import compared, updated


def comment(*arguments: object, **details: object) -> str:
    return markdown_text(compared(*arguments, **details), MarkdownContext())  # type: ignore[arg-type]


def test_a_comparison_has_counts_files_and_collapsed_diffs() -> None:
    text = comment({"web/a.yaml": ("a: 1\n", "a: 2\n"), "web/b.yaml": (None, "b: 1\n")})
    assert text.startswith("## Tree of `dev`: 1 added, 1 changed\n\n9 files, 7 of them unchanged, compared with `6666")
    assert "<details><summary>1 file added</summary>\n\n- `web/b.yaml`" in text
    assert "<details><summary><code>web/a.yaml</code>: changed, +1 -1</summary>" in text
    assert "-a: 1\n+a: 2\n" in text


def test_no_differences_are_told_in_one_line() -> None:
    assert comment({}).splitlines()[0] == "## Tree of `dev`: no changes"
    assert comment({}, indexChanged=True).splitlines()[0] == "## Tree of `dev`: only the index changed"


def test_files_that_were_edited_outside_nyl_are_loud() -> None:
    text = comment({}, edited=["web/a.yaml", "web/b.yaml"])
    assert "> [!CAUTION]\n> **2 files edited outside nyl**\n>\n> - `web/a.yaml`\n> - `web/b.yaml`" in text


def test_a_written_tree_lists_its_files() -> None:
    text = markdown_text(updated(added=["b"], removed=["c"]), MarkdownContext())
    assert text.startswith("## Tree of `dev`: 1 added, 1 removed")


def test_warnings_and_errors_are_there() -> None:
    found = Diagnostic(Code.TREE_STALE, "stale", "run it")
    report = replace(updated(), diagnostics=(found, replace(found, severity=Severity.WARNING)))
    text = markdown_text(report, MarkdownContext())
    assert text.startswith("## Tree of `dev`: 1 error")
    assert "1 warning" in text


def test_what_has_no_room_is_counted() -> None:
    text = comment({f"web/{n}.yaml": (None, "line: 1\n" * 200) for n in range(200)})
    assert len(text.encode()) < COMMENT_LIMIT
    assert "This text is shortened: it leaves out the differences of " in text
    assert text.startswith("## Tree of `dev`: 200 added")


def test_contents_cannot_break_out_of_their_block() -> None:
    text = comment({"a`b": (None, "```\n</details> @everyone\n")})
    assert "````diff" in text or "~~~diff" in text
