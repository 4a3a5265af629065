"""The Releases of ApplicationGroups whose source is another repository at a locked commit.

They see no bindings, no paths and nothing of the project but the values that their target gives them; charts are looked
up as the nyl.toml at the root of their own repository says. Follows Remote groups in the Kubernetes specification.
"""

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import NylError, NylErrors, Problems
from nyl.git.refs import without_credentials
from nyl.kubernetes.expansion.context import ExpansionProject
from nyl.kubernetes.group_releases import source_files
from nyl.kubernetes.includes import SUFFIXES
from nyl.kubernetes.release_documents import foreign_document
from nyl.kubernetes.resources import ApplicationGroup, ReleaseDocument
from nyl.kubernetes.session import RenderSession
from nyl.project.config import FILE_NAME, ProjectConfig, load_config
from nyl.project.documents import parse_file
from nyl.project.records import RELEASES
from nyl.project.trees import WholeTree


@dataclass(frozen=True)
class RemoteSource:
    """The repository of a remote group at its locked commit."""

    tree: WholeTree
    url: str
    commit: str
    project: ExpansionProject

    @property
    def shown(self) -> str:
        """The repository, as provenance and messages name it."""
        return without_credentials(self.url)

    def key(self, path: str) -> str:
        """What the ownership index calls a file of it, as it does those that bindings lock."""
        return f"@git/{self.url}@{self.commit}/{path}"


class RemoteReleases:
    """Reads the repositories of remote groups, each once."""

    def __init__(self, session: RenderSession) -> None:
        self._session = session
        self._sources: dict[tuple[str, str], RemoteSource] = {}

    def source(self, group: ApplicationGroup) -> RemoteSource | None:
        """The repository of a group; None for a group of the project itself. Raises as `GitFiles.tree`."""
        locked = group.source
        if locked.repository is None or locked.commit is None:
            return None
        key = (locked.repository.url, locked.commit)
        if key not in self._sources:
            shown = without_credentials(key[0])
            self._session.announce(f"reading {shown} at {locked.commit} for ApplicationGroup {group.name}")
            tree = self._session.git_trees.tree(*key, f"ApplicationGroup {group.name}")
            self._sources[key] = RemoteSource(tree, *key, repository_project(tree))
        return self._sources[key]

    def documents(self, group: ApplicationGroup) -> dict[str, ReleaseDocument]:
        """The Releases of a remote group by their files. Raises all that is wrong with them together."""
        source = self.source(group)
        if source is None:
            return {}
        below = [path for path, entry in source.tree.under(group.source.path) if entry.is_regular]
        files = source_files(group.source, (path for path in below if path.endswith(SUFFIXES)))
        problems = Problems()
        found = {}
        for path, data in source.tree.read_many(files).items() if files else ():
            parsed = parse_file(data, path, RELEASES)
            for problem in parsed.problems:
                problems.add(of_repository(problem, source.shown))
            for record in parsed.record.releases:
                try:
                    found[path] = foreign_document(record, path)
                except NylError as error:
                    problems.add(of_repository(error, source.shown))
        problems.raise_any()
        return found


def expansion_project(tree: WholeTree, config: ProjectConfig) -> ExpansionProject:
    """Where the charts and components of a repository's Releases are looked up."""
    project = config.project
    return ExpansionProject(
        tree,
        tree.project_folder,
        project.components_search_paths,
        project.helm_chart_search_paths,
        project.aliases,
    )


def repository_project(tree: WholeTree) -> ExpansionProject:
    """The same for another repository, as the nyl.toml at its root says. Raises NYL-CONFIG-INVALID."""
    entry = tree.entry(FILE_NAME)
    data = tree.read_many([FILE_NAME])[FILE_NAME] if entry is not None and entry.is_regular else None
    return expansion_project(tree, load_config(data, FILE_NAME))


def of_repository(error: NylError, shown: str) -> NylError:
    """An error about files of another repository, which says so; '' is the project's own."""
    if not shown:
        return error
    return NylErrors(
        NylError(each.code, f"{each.message} The file is of {shown}.", each.fix, location=each.location)
        for each in error.diagnostics
    )
