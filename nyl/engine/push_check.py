"""The check of a push before it happens: no ref that nyl writes is touched, and every project is valid at its new tip.

What is pushed is read from Git, whatever the working tree looks like, and no remote is asked anything.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from pathlib import Path

from nyl.core.background import Background
from nyl.core.cache import Cache
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.engine.declared_states import DeclaredStates, DeclaringTree
from nyl.engine.push_guard import may_live_at, mirror_refusal, refusal
from nyl.engine.pushed_trees import PushedTrees, folder_name, project_folders
from nyl.git.pushes import PushedRef
from nyl.git.repository import Repository
from nyl.git.status import Changed, worktree_changes
from nyl.project.config import FILE_NAME, ProjectConfig, load_config
from nyl.project.discovery import Discovery
from nyl.project.trees import CommitTree, WorktreeTree
from nyl.state.refs import StateRefs
from nyl.units.registry import DriverRegistry


@dataclass(frozen=True)
class Push:
    """What is pushed to which remote, by its name and URL. `allows_state` lets it touch refs that only nyl writes."""

    remote: str
    url: str
    refs: Sequence[PushedRef]
    allows_state: bool = False


@dataclass(frozen=True)
class CheckedProject:
    """A project at a commit that is pushed, the refs that would lead there, and what is wrong with it."""

    folder: str
    commit: str
    refs: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    config: ProjectConfig
    """Its settings: those of the working tree, where it has any that can be read."""


@dataclass(frozen=True)
class PushReport:
    """What was found of a push. `unchanged` counts the projects that it leaves as they are."""

    push: Push
    checked: tuple[CheckedProject, ...] = ()
    unchanged: int = 0
    refusals: tuple[Diagnostic, ...] = ()

    @property
    def problems(self) -> tuple[Diagnostic, ...]:
        """Everything that keeps the push from happening."""
        return (*self.refusals, *(found for each in self.checked for found in each.diagnostics))


def check_push(repository: Repository, push: Push) -> PushReport:
    """Checks what is pushed. Raises NYL-PUSH-INPUT for objects that the repository does not have."""
    if not push.refs:
        return PushReport(push)
    return _PushCheck(repository, push).report()


@dataclass
class _Found:
    """A project of a pushed commit, and the refs that bring a change of it."""

    tree: CommitTree
    refs: list[str] = field(default_factory=list)


class _PushCheck:
    def __init__(self, repository: Repository, push: Push) -> None:
        self._root = repository.root
        self._push = push
        self._trees = PushedTrees(repository, push.remote)
        self._kinds = DriverRegistry()
        self._discoveries: dict[str, Discovery] = {}
        self._changes = Background(lambda: worktree_changes(repository) if repository.root else {})

    def report(self) -> PushReport:
        found = self._found()
        changed = [each for each in found if each.refs]
        checked = tuple(self._checked(each) for each in changed)
        return PushReport(self._push, checked, len(found) - len(changed), self._refusals())

    def _found(self) -> list[_Found]:
        found: dict[tuple[str, str], _Found] = {}
        for pushed in self._push.refs:
            commit = self._trees.commit(pushed)
            for tree in self._trees.projects(commit) if commit else ():
                project = found.setdefault((tree.commit, tree.project_folder), _Found(tree))
                if self._trees.brings(pushed, tree):
                    project.refs.append(pushed.ref)
        return list(found.values())

    def _checked(self, found: _Found) -> CheckedProject:
        from nyl.engine.kubernetes_check import tree_problems
        from nyl.engine.project_check import problems_of

        tree, folder = found.tree, found.tree.project_folder
        known = self._settings(folder)
        try:
            config = _config_of(tree)
            project = self._discovery(folder).project(tree, config)
            problems = problems_of(project, folder, lambda unit: self._kinds.driver(unit.api_version, unit.kind))
            problems += tree_problems(project, self._trees.repository)
        except NylError as error:
            config, problems = known or ProjectConfig(), error.diagnostics
        return CheckedProject(folder, tree.commit, tuple(found.refs), problems, known or config)

    def _refusals(self) -> tuple[Diagnostic, ...]:
        if self._push.allows_state:
            return ()
        states = self._states
        refused = (mirror_refusal(self._push.refs), *(refusal(each, states) for each in self._push.refs))
        return tuple(each.diagnostic for each in refused if each is not None)

    @cached_property
    def _states(self) -> tuple[StateRefs, ...]:
        declared = DeclaredStates()
        commits = dict.fromkeys(commit for each in self._push.refs for commit in self._trees.remembered(each))
        remembered = (tree for commit in commits for tree in self._trees.projects(commit))
        found = declared.of([*self._declaring(self._worktrees()), *self._declaring(remembered)])
        return tuple(each for each in found if may_live_at(each, self._push.url))

    def _declaring(self, trees: "Iterator[CommitTree | WorktreeTree]") -> Iterator[DeclaringTree]:
        for tree in trees:
            config = self._settings(tree.project_folder) or ProjectConfig()
            yield DeclaringTree(tree, config, self._discovery(tree.project_folder))

    def _worktrees(self) -> Iterator[WorktreeTree]:
        """The projects of the working tree; none where Git cannot tell what it holds."""
        root, head = self._root, self._trees.head
        try:
            changes = self._changes.result()
        except NylError:
            return
        if root is None:
            return
        folders = project_folders(head.entries) if head else set()
        for folder in sorted(folders | _changed_folders(changes)):
            base = CommitTree(self._trees.objects, head.commit, folder, head.entries) if head else None
            yield WorktreeTree(root, base, changes, folder)

    def _settings(self, folder: str) -> ProjectConfig | None:
        """The settings of a project as the working tree has them; None where it has none that can be read."""
        file = self._root / folder / FILE_NAME if self._root else None
        try:
            return load_config(file.read_bytes(), str(file)) if file else None
        except (OSError, NylError):
            return None

    def _discovery(self, folder: str) -> Discovery:
        if folder not in self._discoveries:
            known = self._settings(folder)
            place = Path(self._root or "", folder, known.cache_dir, "cache.sqlite") if known else None
            self._discoveries[folder] = Discovery(self._kinds, Cache(place))
        return self._discoveries[folder]


def _config_of(tree: CommitTree) -> ProjectConfig:
    path = str(Path(tree.project_folder, FILE_NAME))
    return load_config(tree.read_many([path])[path], path)


def _changed_folders(changes: Mapping[str, Changed]) -> set[str]:
    places = (Path(path) for path in changes)
    return {folder_name(each.parent) for each in places if each.name == FILE_NAME}
