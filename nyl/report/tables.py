"""Tables of text: columns two blanks apart, no trailing blanks, nothing wrapped or shortened.

rich lays a table of 1,000 rows in half a second, which is more than the whole of a `nyl status`, so only its
measure of wide characters is used, and only for text that has any.
"""

from collections.abc import Sequence

from nyl.report.plaintext import one_line

_GAP = "  "


def table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A heading line and one line a row, each ended by a newline."""
    cells = [list(headings), *([one_line(cell) for cell in row] for row in rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]
    return "".join(f"{_line(row, widths)}\n" for row in cells)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    padded = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
    return _GAP.join(padded).rstrip()


def _width(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
