from pathlib import Path

from nyl.github.summary import SUMMARY_LIMIT, add_to_summary


def test_markdown_is_added_behind_what_is_there(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    path.write_text("# Theirs\n\n")
    add_to_summary(path, "# Ours\n")
    assert path.read_text() == "# Theirs\n\n# Ours\n\n"


def test_what_does_not_fit_becomes_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "summary.md"
    add_to_summary(path, "é" * SUMMARY_LIMIT)
    assert "does not fit" in path.read_text()
    path.write_text("x" * (SUMMARY_LIMIT - 10))
    add_to_summary(path, "more than ten bytes")
    assert path.stat().st_size < SUMMARY_LIMIT
