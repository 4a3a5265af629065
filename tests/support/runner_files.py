"""The files through which a step talks to the runner of GitHub Actions, read as the runner reads them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUMMARY_LIMIT = 1024 * 1024


@dataclass(frozen=True)
class RunnerFiles:
    """The files of one step; each has new ones."""

    folder: Path

    @classmethod
    def create(cls, folder: Path) -> "RunnerFiles":
        """Empty files in a folder of their own."""
        folder.mkdir(parents=True)
        files = cls(folder)
        for path in files.variables().values():
            Path(path).touch()
        return files

    def variables(self) -> dict[str, str]:
        """The variables that name them."""
        names = ("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")
        return {name: str(self.folder / name.lower()) for name in names}

    def outputs(self) -> dict[str, str]:
        """What the step set as outputs."""
        return parse_values(self._text("GITHUB_OUTPUT"))

    def environment(self) -> dict[str, str]:
        """The variables that the step set for the steps after it."""
        return parse_values(self._text("GITHUB_ENV"))

    def paths(self) -> list[str]:
        """The folders that the step put before PATH."""
        return [line for line in self._text("GITHUB_PATH").splitlines() if line]

    def summary(self) -> str:
        """The Markdown that the step added to the job summary. Fails where GitHub would refuse it."""
        text = self._text("GITHUB_STEP_SUMMARY")
        assert len(text.encode()) <= SUMMARY_LIMIT
        return text

    def _text(self, name: str) -> str:
        with Path(self.variables()[name]).open(encoding="utf-8", newline="") as file:
            return file.read()


def parse_values(text: str) -> dict[str, str]:
    """Names and values in `name=value` lines and `name<<delimiter` blocks. Raises ValueError where the runner fails."""
    values: dict[str, str] = {}
    lines = iter(text.removesuffix("\n").split("\n") if text else [])
    for line in lines:
        if not line:
            continue
        equals, block = line.find("="), line.find("<<")
        if equals >= 0 and (block < 0 or equals < block):
            name, _, value = line.partition("=")
        elif block >= 0:
            name, _, delimiter = line.partition("<<")
            value = "\n".join(_block(lines, delimiter))
        else:
            raise ValueError(f"invalid format {line!r}")
        if not name:
            raise ValueError(f"no name in {line!r}")
        values[name] = value
    return values


def _block(lines: Iterator[str], delimiter: str) -> Iterator[str]:
    if not delimiter:
        raise ValueError("no delimiter")
    for line in lines:
        if line == delimiter:
            return
        yield line
    raise ValueError(f"the delimiter {delimiter!r} does not come again")
