"""Reports of trees as text."""

from nyl.engine.results import Report, ReportKind
from nyl.report.trees import difference_text, statistics_text, update_text
from tests.report.trees import compared, updated

FILES = {"web/a.yaml": ("a: 1\n", "a: 2\n"), "web/b.yaml": (None, "b: 1\n"), "web/c.yaml": ("c: 1\n", None)}


def test_a_written_tree_is_told_in_counts_and_paths() -> None:
    report = updated(added=["b"], changed=["a", "d"], removed=["c"], edited=["d"], unchanged=6)
    assert update_text(report).splitlines() == [
        "dev: 1 added, 2 changed, 1 removed, 6 unchanged in out/dev",
        "  + b",
        "  ~ a",
        "  ~ d (edited outside nyl)",
        "  - c",
    ]


def test_of_many_paths_some_are_told() -> None:
    lines = update_text(updated(added=[f"f{n}" for n in range(60)])).splitlines()
    assert (len(lines), lines[-1]) == (52, "  and 10 more")


def test_every_path_that_was_edited_is_told() -> None:
    paths = [f"f{n}" for n in range(60)]
    lines = update_text(updated(changed=paths, edited=["f55", "gone"])).splitlines()
    assert lines[-3:] == ["  ~ f55 (edited outside nyl)", "  ! gone (edited outside nyl)", "  and 9 more"]


def test_what_was_read_and_published_is_told() -> None:
    assert update_text(updated(publication="7" * 40)).splitlines()[1] == f"  state read at {'7' * 40}"
    assert update_text(updated(commit="8" * 40)).splitlines()[1] == f"  published as {'8' * 40}"
    assert update_text(updated(commit=None)).splitlines()[1] == "  nothing to publish: no commit was made"


def test_a_refused_operation_has_no_text() -> None:
    refused = Report(ReportKind.OPERATION, operation="render-tree")
    assert (update_text(refused), difference_text(refused), statistics_text(refused)) == ("", "", "")


def test_a_comparison_is_one_unified_diff() -> None:
    assert difference_text(compared(FILES, place="dev on deploy")).splitlines() == [
        f"# dev: 1 added, 1 changed, 1 removed, 7 unchanged, compared with dev on deploy at {'6' * 40}",
        "--- a/web/a.yaml",
        "+++ b/web/a.yaml",
        "@@ -1 +1 @@",
        "-a: 1",
        "+a: 2",
        "--- /dev/null",
        "+++ b/web/b.yaml",
        "@@ -0,0 +1 @@",
        "+b: 1",
        "--- a/web/c.yaml",
        "+++ /dev/null",
        "@@ -1 +0,0 @@",
        "-c: 1",
    ]
    same = compared({}, base=None, publication="7" * 40)
    assert difference_text(same) == f"# dev: 7 unchanged, compared with no commit\n# state read at {'7' * 40}\n"


def test_numbers_of_a_comparison() -> None:
    assert statistics_text(compared(FILES)).splitlines()[1:] == [
        "web/a.yaml | +1 -1",
        "web/b.yaml | +1 -0",
        "web/c.yaml | +0 -1",
    ]


def test_neither_names_nor_contents_steer_a_terminal_or_a_ci_system() -> None:
    hostile = "\x1b[2J"
    text = difference_text(compared({f"a{hostile}": (None, f"x{hostile}\n::error::no\n")}))
    assert hostile not in text
    assert not any(line.strip().startswith("::") for line in text.splitlines())
    assert hostile not in update_text(updated(added=[hostile]))
    assert hostile not in statistics_text(compared({hostile: (None, "x")}))


def test_that_the_index_alone_changes_is_told() -> None:
    told = updated(indexChanged=True), compared({}, base=None, indexChanged=True)
    assert update_text(told[0]) == "dev: only the index changed, 9 unchanged in out/dev\n"
    expected = "# dev: only the index changed, 7 unchanged, compared with no commit\n"
    assert (difference_text(told[1]), statistics_text(told[1])) == (expected, expected)
    assert "only" not in update_text(updated(added=["b"], indexChanged=True))
