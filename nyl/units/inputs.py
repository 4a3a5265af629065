"""What a unit reads, as its driver declares it."""

from dataclasses import replace

from nyl.core.dataclass import dataclass


@dataclass(frozen=True)
class SourceField:
    """One field of a spec that names content: a path in S, or in a revision of a repository.

    `pointer` is the JSON pointer of the field in the spec. `repository` is a URL, `repository_ref` the name of a
    GitRepository; without either it is the project's own repository. With `revision` None the field reads S.
    """

    pointer: str
    path: str
    repository: str | None = None
    repository_ref: str | None = None
    revision: str | None = None
    commit: str | None = None


@dataclass(frozen=True)
class InputFiles:
    """Files that enter a unit's key: globs below the root of one source ('' is S at the project's folder).

    With `ignore` the globs are folders, by their literal names, of which all files enter but those that an ignore file
    leaves out: the first of these paths that exists, with the semantics of Docker's builders
    (`nyl.units.ignoring`). A private checkout holds that file too; it enters the key only where it counts itself.
    """

    globs: tuple[str, ...]
    source: str = ""
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True)
class Inputs:
    """What a unit reads. `private` units get a checkout of exactly these files; others a full one of S.

    A private unit that declares neither sources nor files nor a fingerprint gets an empty folder.

    With `execution_only` nothing of it is read after the execution: a verification, inspection or teardown works where
    it cannot be had any more, and finds no source fields.
    """

    sources: tuple[SourceField, ...] = ()
    files: tuple[InputFiles, ...] = ()
    fingerprint: tuple[str, ...] | None = None
    private: bool = False
    requires_commit: bool = False
    execution_only: bool = False

    @property
    def needs_checkout(self) -> bool:
        """Whether anything is checked out for the unit."""
        return not self.private or bool(self.sources or self.files or self.fingerprint)

    @property
    def afterwards(self) -> "Inputs":
        """What is read after the execution."""
        return replace(self, sources=(), files=()) if self.execution_only else self
