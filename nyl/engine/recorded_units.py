"""Units as the state knows them: what a driver needs to tear down, verify or inspect what was executed.

Nothing is rendered: spec, timeout and variables come from the recorded document, files from the recorded commits.
"""

from collections.abc import Iterable, Mapping
from dataclasses import field

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.engine.content import MAIN, Content
from nyl.engine.driver_answers import declared_inputs
from nyl.engine.inputs import InputReader, UnitContents
from nyl.engine.preflight import CheckedUnit
from nyl.engine.remotes import SourceRemote
from nyl.engine.slots import Workplace, workplace
from nyl.engine.workspace import Workspace
from nyl.git.handing import hand_over
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.project.common_fields import rendered_unit
from nyl.project.units import UnitDocument
from nyl.state.documents import DesiredUnit
from nyl.units.driver import Driver
from nyl.units.inputs import Inputs


@dataclass(frozen=True)
class RecordedUnit:
    """A unit whose driver is installed and whose files can be had."""

    document: DesiredUnit
    unit: CheckedUnit
    place: Workplace


def as_checked(document: DesiredUnit, driver: Driver, workspace: Workspace) -> CheckedUnit:
    """A recorded unit as one that was rendered and checked: its spec has values where references stood."""
    recorded = document.unit
    kind = workspace.kinds.find(recorded.api_version, recorded.kind)
    assert kind is not None
    envelope = UnitDocument(
        recorded.api_version,
        recorded.kind,
        recorded.name,
        labels={},
        location=Location(f"desired/units/{recorded.name}.yaml"),
        blob="",
        index=0,
        spec_line=0,
        spec_digest="",
    )
    rendered = rendered_unit(envelope, document.resolved_spec, kind)
    return CheckedUnit(rendered, driver, (), frozenset(), frozenset())


@dataclass
class RecordedUnits:
    """Reads the recorded units of one environment. `source` None takes each unit's own commit, else that revision's.

    `state_repository` is where the environment's state was fetched to: its history holds snapshots of working trees.
    """

    workspace: Workspace
    environment: str
    state_repository: Repository
    source: str | None = None
    _remotes: dict[str | None, SourceRemote] = field(default_factory=dict)
    _contents: dict[tuple[str | None, str], Content] = field(default_factory=dict)
    _source_commit: str | None = None

    def read(self, documents: Iterable[DesiredUnit]) -> Mapping[str, RecordedUnit | NylError]:
        """Each unit by name, or why there is no working on it.

        NYL-KIND-UNKNOWN where its driver is not installed, NYL-SOURCE-MISSING where a commit cannot be had any more,
        NYL-PROJECT-MISSING where it does not have the project whose files the unit works on.
        """
        found: dict[str, RecordedUnit | NylError] = {}
        for document in documents:
            name = document.unit.name
            try:
                found[name] = self._read(document)
            except NylError as error:
                found[name] = error.about(environment=self.environment, unit=name)
        return found

    @property
    def source_commit(self) -> str | None:
        """The commit of `source`; None without. Raises NYL-SOURCE-MISSING."""
        if self.source is not None and self._source_commit is None:
            self._source_commit = self._remote(None).revision(self.source)
        return self._source_commit

    def _read(self, document: DesiredUnit) -> RecordedUnit:
        recorded = document.unit
        driver = self.workspace.kinds.driver(recorded.api_version, recorded.kind)
        unit = as_checked(document, driver, self.workspace)
        inputs = declared_inputs(unit).afterwards
        contents = UnitContents(unit, inputs, self._of_unit(document, inputs), document.inputs.sources)
        readers: dict[object, ObjectReader] = {self.workspace.repository: self.workspace.objects}
        readers |= {remote.repository: remote.objects for remote in self._remotes.values()}
        read = InputReader(self.workspace.cache, readers).read([contents])
        return RecordedUnit(document, unit, workplace(contents, read[unit.name]))

    def _of_unit(self, document: DesiredUnit, inputs: Inputs) -> dict[str, Content]:
        main = self._main(document)
        if inputs.needs_checkout:
            self.workspace.check_project_at(main.commit)
        contents = {MAIN: main}
        for each in inputs.sources:
            record = document.inputs.sources.get(each.pointer)
            follows = record is None or (record.repository is None and record.commit == document.source_commit)
            contents[each.pointer] = (
                main if follows or record is None else self._content(record.repository, record.commit)
            )
        return contents

    def _main(self, document: DesiredUnit) -> Content:
        override = self.source_commit
        if override is not None:
            return self._content(None, override)
        commit, state = document.source_commit, self.state_repository
        if self.workspace.objects.resolve(commit) is None and state.resolve(commit) is not None:
            hand_over(commit, state, self.workspace.repository)
        return self._content(None, commit)

    def _content(self, url: str | None, commit: str) -> Content:
        if (url, commit) not in self._contents:
            remote = self._remote(url)
            remote.revision(commit)
            self._contents[url, commit] = (
                self.workspace.content(commit)
                if url is None
                else Content(remote.repository, commit, "", remote.objects.tree(commit))
            )
        return self._contents[url, commit]

    def _remote(self, url: str | None) -> SourceRemote:
        if url not in self._remotes:
            self._remotes[url] = SourceRemote(self.workspace, url)
        return self._remotes[url]
