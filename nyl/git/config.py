"""Git's configuration as Git itself reads it."""

import re
from collections.abc import Iterator

from nyl.core.dataclass import dataclass

_PASSED_ON = re.compile(r"(?:http|credential|url|ssh|protocol)\.|core\.(?:sshcommand|askpass|gitproxy)$")
_LOCAL_SCOPES = ("local", "worktree")
_CRUD = re.compile(r"[<>\n\x00]")
_WRITTEN = re.compile(r"\s*([^<>\n\x00]*[^<>\s\x00])\s*<([^<>\s\x00]+)>\s*")


@dataclass(frozen=True)
class Identity:
    """A person as commits name one."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"

    @classmethod
    def parse(cls, text: str) -> "Identity":
        """The person whom `Name <email>` names. Raises ValueError for anything else."""
        match = _WRITTEN.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not of the form 'Name <email>'")
        return cls(match[1], match[2])


@dataclass(frozen=True)
class Setting:
    """One entry: its scope (`system`, `global`, `local`, `worktree` or `command`), its name and its value."""

    scope: str
    name: str
    value: str


@dataclass(frozen=True)
class GitConfig:
    """All entries, in the order in which later ones win."""

    settings: tuple[Setting, ...]

    def get(self, name: str) -> str | None:
        """The value that holds for a name, or None. Section and variable are case-insensitive."""
        wanted = _normal(name)
        return next((each.value for each in reversed(self.settings) if each.name == wanted), None)

    def identity(self) -> Identity | None:
        """The configured author, or None when name or e-mail is unset or empty."""
        name = self.get("author.name") or self.get("user.name")
        email = self.get("author.email") or self.get("user.email")
        cleaned = [_CRUD.sub("", _readable(each)).strip() for each in (name or "", email or "")]
        return Identity(cleaned[0], cleaned[1]) if all(cleaned) else None

    def transport(self) -> Iterator[tuple[str, str]]:
        """The repository's own settings that decide how remotes are reached and which credentials they get."""
        for each in self.settings:
            if each.scope in _LOCAL_SCOPES and _PASSED_ON.match(each.name):
                yield each.name, each.value


def _readable(value: str) -> str:
    """A value that may hold any bytes, as documents and commits can hold it."""
    return value.encode(errors="surrogateescape").decode(errors="replace")


def parse_config(listing: bytes) -> GitConfig:
    """Reads what `git config --list -z --show-scope` prints."""
    fields = listing.decode(errors="surrogateescape").split("\0")
    settings = []
    for scope, entry in zip(fields[::2], fields[1::2], strict=False):
        name, separator, value = entry.partition("\n")
        settings.append(Setting(scope, name, value if separator else "true"))
    return GitConfig(tuple(settings))


def _normal(name: str) -> str:
    section, _, rest = name.partition(".")
    middle, dot, variable = rest.rpartition(".")
    return f"{section.lower()}.{middle}{dot}{variable.lower()}"
