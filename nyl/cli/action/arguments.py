"""The command line that the inputs of the Action ask for."""

from collections.abc import Iterable
from pathlib import Path

from nyl.cli.action.inputs import ActionInputs, Operation
from nyl.core.dataclass import dataclass

WRITING = (Operation.RECONCILE, Operation.TEARDOWN, Operation.VERIFY)
"""The commands that may write commits, and need an author for that."""

_LONGEST_KEY = 120


@dataclass(frozen=True)
class ReportFiles:
    """Where the report of a step is written."""

    json: Path
    markdown: Path
    """For a comment."""
    summary: Path
    """For the summary of the job, which has room for more."""

    @classmethod
    def within(cls, folder: Path) -> "ReportFiles":
        """The files in a folder of their own."""
        return cls(folder / "report.json", folder / "report.md", folder / "summary.md")


def command_line(inputs: ActionInputs, files: ReportFiles, author: str | None) -> tuple[str, ...]:
    """The arguments of nyl. No input can become an option: each stands behind one, but for those of `args`.

    An author that is named in `args` wins over the one that the Action gives by itself.
    """
    return (
        inputs.operation.value,
        *(f"--environment={each}" for each in inputs.environments),
        *(f"--selector={each}" for each in inputs.selectors),
        *(f"--group={each}" for each in inputs.groups),
        *(f"--approve={each}" for each in inputs.approve),
        *(["--allow-teardown"] if inputs.allow_teardown else []),
        *([f"--author={author}"] if author and not _names_author(inputs.arguments) else []),
        f"--report=json:{files.json}",
        f"--report=markdown:{files.markdown}",
        f"--report=summary:{files.summary}",
        *inputs.arguments,
    )


def _names_author(arguments: Iterable[str]) -> bool:
    return any(each.partition("=")[0] == "--author" for each in arguments)


def comment_key(inputs: ActionInputs) -> str:
    """The key of the comment: the input's, or one of the command and what it selects, so that jobs share none."""
    if inputs.comment_key:
        return inputs.comment_key
    folder = [] if inputs.working_directory == "." else [inputs.working_directory]
    told = " ".join([inputs.operation.value, *inputs.environments, *inputs.selectors, *inputs.groups, *folder])
    return told if len(told) <= _LONGEST_KEY else f"{told[:_LONGEST_KEY]}#{_digest(told)}"


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]
