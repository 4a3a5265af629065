from pathlib import Path

import pytest

from nyl.github.outputs import output_text, write_outputs
from tests.support.runner_files import RunnerFiles, parse_values

VALUES = [
    "",
    "x",
    "a\nb",
    "a\r\nb",
    "EOF",
    "\n",
    "ends\n",
    "\n\nstarts",
    "name=value",
    "name<<EOF\nx\nEOF",
    " blank ",
    "é",
]


@pytest.mark.parametrize("value", VALUES)
def test_the_runner_reads_back_exactly_the_value(value: str, tmp_path: Path) -> None:
    files = RunnerFiles.create(tmp_path / "files")
    write_outputs(Path(files.variables()["GITHUB_OUTPUT"]), {"before": "1", "value": value, "after": "2"})
    assert files.outputs() == {"before": "1", "value": value, "after": "2"}


def test_a_delimiter_that_the_value_contains_is_not_used() -> None:
    tokens = iter(["taken", "free"])
    text = output_text("x", "a\ntaken\nb", lambda: next(tokens))
    assert text == "x<<free\na\ntaken\nb\nfree\n"
    assert parse_values(text) == {"x": "a\ntaken\nb"}


def test_a_line_that_another_writer_left_open_is_ended(tmp_path: Path) -> None:
    files = RunnerFiles.create(tmp_path / "files")
    path = Path(files.variables()["GITHUB_OUTPUT"])
    path.write_text("theirs=1")
    write_outputs(path, {"ours": "2"})
    assert files.outputs() == {"theirs": "1", "ours": "2"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system without /dev/full")
def test_a_device_is_not_read_to_its_end() -> None:
    write_outputs(Path("/dev/null"), {"x": "1"})
    with pytest.raises(OSError, match="No space left"):
        write_outputs(Path("/dev/full"), {"x": "1"})
