"""Where each unit reads its files: S, or what its source fields name in another revision or repository."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.engine.content import MAIN, Content
from nyl.engine.driver_answers import declared_inputs
from nyl.engine.inputs import UnitContents
from nyl.engine.preflight import CheckedUnit
from nyl.engine.remotes import SourceRemote
from nyl.engine.source import Source, check_unit_pin, needs_commit
from nyl.engine.workspace import Workspace
from nyl.git.trees import TreeListing
from nyl.project.repositories import named_repository
from nyl.project.resources import Environment, GitRepository
from nyl.state.documents import SourceRecord
from nyl.units.inputs import SourceField


@dataclass
class UnitSources:
    """Resolves the source fields of one environment's units. Each repository and revision is asked for once."""

    workspace: Workspace
    environment: Environment
    source: Source
    repositories: Mapping[str, GitRepository]
    remotes: dict[str | None, SourceRemote] = field(default_factory=dict)
    _commits: dict[tuple[str | None, str, str | None], str] = field(default_factory=dict)
    _listings: dict[tuple[str | None, str], TreeListing] = field(default_factory=dict)

    def contents(self, unit: CheckedUnit) -> UnitContents:
        """Where a unit's files come from.

        Raises NYL-WORKTREE-REFUSED for a kind that needs committed source, and what resolving a source raises.
        """
        inputs = declared_inputs(unit)
        if inputs.requires_commit and self.source.snapshot is not None:
            raise needs_commit(unit.rendered)
        contents = {MAIN: self.workspace.content(self.source.commit)}
        records: dict[str, SourceRecord] = {}
        for each in inputs.sources:
            url = repository_url(each, self.repositories, unit.rendered.location)
            content = self._content(url, each)
            contents[each.pointer] = content
            records[each.pointer] = SourceRecord(content.commit, content.rooted(each.path), url)
        return UnitContents(unit, inputs, contents, records)

    def _content(self, url: str | None, source: SourceField) -> Content:
        if url is None and source.revision is None:
            return self.workspace.content(self.source.commit)
        commit = self._commit(url, source)
        if url is None:
            return self.workspace.content(commit)
        remote = self._remote(url)
        if (url, commit) not in self._listings:
            self._listings[url, commit] = remote.objects.tree(commit)
        return Content(remote.repository, commit, "", self._listings[url, commit])

    def _commit(self, url: str | None, source: SourceField) -> str:
        if source.revision is None:
            raise NylError(
                Code.SOURCE_MISSING,
                f"The source at {source.pointer} names the repository {url} without a revision.",
                "add revision, and commit to pin it",
            )
        key = (url, source.revision, source.commit)
        if key not in self._commits:
            remote = self._remote(url)
            if source.commit is None:
                self._commits[key] = remote.revision(source.revision)
            else:
                self._commits[key] = remote.pinned(source.commit, source.revision)
                check_unit_pin(self.environment, remote, source.commit, source.revision)
        return self._commits[key]

    def _remote(self, url: str | None) -> SourceRemote:
        if url not in self.remotes:
            self.remotes[url] = SourceRemote(self.workspace, url)
        return self.remotes[url]


def repository_url(
    source: SourceField, repositories: Mapping[str, GitRepository], location: Location | None
) -> str | None:
    """The URL of the repository that a source field reads; None for the project's own.

    `location` is where the field's unit stands. Raises NYL-REPOSITORY-UNKNOWN.
    """
    if source.repository_ref is None:
        return source.repository
    return named_repository(source.repository_ref, repositories, location).url
