"""The files of a chart, wherever they came from."""

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from nyl.core.dataclass import dataclass

CHART_FILE = "Chart.yaml"


@dataclass(frozen=True)
class ChartContent:
    """A chart: path below its folder -> bytes."""

    files: Mapping[str, bytes]

    @cached_property
    def digest(self) -> str:
        """What two charts have in common only when they hold the same files."""
        facts = {path: hashlib.sha256(data).hexdigest() for path, data in self.files.items()}
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def write(self, folder: Path) -> None:
        """Writes the files below a new folder. Raises OSError, ValueError for paths that no folder can hold."""
        folder.mkdir(mode=0o700, parents=True)
        for path, data in self.files.items():
            # Trees of Git can be made with such names, whatever Git itself would do with them.
            if any(part in ("", ".", "..") or "\\" in part for part in path.split("/")):
                raise ValueError(f"{path!r} is no path below its folder")
            place = folder / path
            place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            place.write_bytes(data)
