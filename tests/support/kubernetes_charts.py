"""Charts for tests: their files, and source trees in memory that hold them."""

import hashlib
import io
import tarfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from nyl.git.trees import TreeEntry

CONFIG_MAP = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  text: {{ .Values.text | quote }}
"""


def chart_files(name: str, templates: Mapping[str, str] | None = None, **files: str) -> dict[str, str]:
    """The files of a chart: one ConfigMap with the value `text`, or the named templates. `files` are added or replaced,
    with `__` for `/` and `_` for `.` in their names.
    """
    named = templates if templates is not None else {"config.yaml": CONFIG_MAP}
    return {
        "Chart.yaml": f"apiVersion: v2\nname: {name}\nversion: 1.2.3\n",
        "values.yaml": "text: none\n",
        **{f"templates/{each}": text for each, text in named.items()},
        **{each.replace("__", "/").replace("_", "."): text for each, text in files.items()},
    }


def below(folder: str, files: Mapping[str, str]) -> dict[str, str]:
    """The same files below a folder."""
    return {f"{folder}/{path}": text for path, text in files.items()}


def packed(name: str, files: Mapping[str, str | bytes]) -> bytes:
    """A chart as `helm package` packs it, near enough."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for path, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            member = tarfile.TarInfo(f"{name}/{path}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()


@dataclass(eq=False)
class MemoryTree:
    """A source tree in memory. `links` are symlinks in it."""

    contents: Mapping[str, str | bytes]
    project_folder: str = ""
    links: Collection[str] = ()
    name: str = "the working tree"
    read: list[str] = field(default_factory=list)
    """Every path that was read."""

    def files(self, suffixes: tuple[str, ...]) -> Mapping[str, str]:
        return {path: entry.oid for path, entry in self.under(self.project_folder) if path.endswith(suffixes)}

    def entry(self, path: str) -> TreeEntry | None:
        return dict(self.under("")).get(path)

    def under(self, folder: str) -> Iterator[tuple[str, TreeEntry]]:
        prefix = f"{folder}/" if folder else ""
        for path in sorted([*self.contents, *self.links]):
            if path.startswith(prefix):
                oid = hashlib.sha1(self._bytes(path) if path in self.contents else b"").hexdigest()
                yield path, TreeEntry("100644" if path in self.contents else "120000", oid)

    def read_many(self, paths: Collection[str]) -> dict[str, bytes]:
        self.read.extend(paths)
        return {path: self._bytes(path) for path in paths}

    def _bytes(self, path: str) -> bytes:
        content = self.contents[path]
        return content.encode() if isinstance(content, str) else content
