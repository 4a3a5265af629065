"""How files of two trees differ, as unified diffs."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from nyl.core.dataclass import dataclass

_CONTEXT = 3
_NOTHING = "/dev/null"
_NO_NEWLINE = "\n\\ No newline at end of file\n"

_Opcode = tuple[str, int, int, int, int]


class ChangeKind(StrEnum):
    """What becomes of a file."""

    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"


@dataclass(frozen=True)
class FileDifference:
    """A file that differs. `diff` is a unified diff that `git apply` takes; binary files only say that they differ."""

    path: str
    kind: ChangeKind
    diff: str
    lines_added: int
    lines_removed: int


def file_difference(path: str, old: bytes | None, new: bytes | None) -> FileDifference:
    """How a file differs; None stands for no file."""
    kind = ChangeKind.ADDED if old is None else ChangeKind.REMOVED if new is None else ChangeKind.CHANGED
    names = f"a/{path}" if old is not None else _NOTHING, f"b/{path}" if new is not None else _NOTHING
    head = f"--- {names[0]}\n+++ {names[1]}\n"
    try:
        before, after = _lines(old), _lines(new)
    except UnicodeDecodeError:
        return FileDifference(path, kind, f"Binary files a/{path} and b/{path} differ\n", 0, 0)
    body = list(_hunks(before, after))
    added = sum(line.startswith("+") for line in body)
    removed = sum(line.startswith("-") for line in body)
    return FileDifference(path, kind, head + "".join(body), added, removed)


def _lines(content: bytes | None) -> list[str]:
    text = (content or b"").decode()
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _hunks(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    from difflib import SequenceMatcher  # most commands on trees compare no text

    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    first = max(start - _CONTEXT, 0)
    # Comparing what surely is the same would take most of the time for long files.
    rest = max(end - _CONTEXT, 0)
    old, new = before[first : len(before) - rest], after[first : len(after) - rest]
    for group in SequenceMatcher(None, old, new).get_grouped_opcodes(_CONTEXT):
        yield _header(group, first)
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
                continue
            yield from (_line("-", line) for line in old[i1:i2])
            yield from (_line("+", line) for line in new[j1:j2])


def _header(group: Sequence[_Opcode], offset: int) -> str:
    (_, i1, _, j1, _), (_, _, i2, _, j2) = group[0], group[-1]
    return f"@@ -{_range(i1, i2, offset)} +{_range(j1, j2, offset)} @@\n"


def _range(start: int, end: int, offset: int) -> str:
    length = end - start
    first = start + offset + (1 if length else 0)
    return str(first) if length == 1 else f"{first},{length}"


def _line(sign: str, line: str) -> str:
    return sign + (line if line.endswith("\n") else line + _NO_NEWLINE)


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
