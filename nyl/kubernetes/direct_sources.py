"""Where a direct command reads the one Release from that it is given the file of.

The file is a source of the project, or of another repository that is checked out here: the Releases of remote groups
are worked on that way. Follows Direct commands of the page Release Inputs.
"""

from collections.abc import Mapping, Sequence

from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError, Problems
from nyl.kubernetes.expansion.context import ExpansionProject
from nyl.kubernetes.release_documents import foreign_document
from nyl.kubernetes.release_jobs import folders_left_out
from nyl.kubernetes.release_work import BundleSource
from nyl.kubernetes.remote_releases import expansion_project, repository_project
from nyl.kubernetes.resources import ReleaseDocument
from nyl.kubernetes.session import RenderSession
from nyl.project.documents import parse_file
from nyl.project.records import BUNDLES
from nyl.project.trees import WholeTree


@dataclass(frozen=True)
class DirectSource:
    """A Release, and what belongs to rendering it."""

    bundle: BundleSource
    project: ExpansionProject
    is_own: bool
    """Whether it is a source of the project itself, which groups may have."""

    @property
    def document(self) -> ReleaseDocument:
        """The Release."""
        return self.bundle.document


def project_source(session: RenderSession, file: str) -> DirectSource:
    """The Release of a file of the project; `file` is a path from the root of the repository.

    Raises NYL-RELEASE-MISSING for a file that is no source of the project, or holds no Release.
    """
    document = session.declarations.releases.get(file)
    if document is None:
        raise _missing(session.tree, file, _known(session.declarations.releases))
    project = expansion_project(session.tree, session.project.config)
    return DirectSource(BundleSource(session.tree, document, folders_left_out(session)), project, is_own=True)


def checkout_source(tree: WholeTree, file: str) -> DirectSource:
    """The Release of a file of another repository; charts are looked up as the nyl.toml at its root says.

    Raises NYL-RELEASE-MISSING, and what is wrong with the Release and its repository's settings.
    """
    entry = tree.entry(file)
    if entry is None or not entry.is_regular:
        raise _missing(tree, file)
    parsed = parse_file(tree.read_many([file])[file], file, frozenset({BUNDLES}))
    problems = Problems()
    for problem in parsed.problems:
        problems.add(problem)
    problems.raise_any()
    if not parsed.record.releases:
        raise _missing(tree, file)
    document = foreign_document(parsed.record.releases[0], file)
    return DirectSource(BundleSource(tree, document), repository_project(tree), is_own=False)


def _known(releases: Mapping[str, ReleaseDocument]) -> Sequence[str]:
    return sorted(releases)


def _missing(tree: WholeTree, file: str, known: Sequence[str] = ()) -> NylError:
    if tree.entry(file) is None:
        why = "is not there, or Git ignores it"
    else:
        why = "holds no Release, or lies in a folder that holds no source, such as rendered output"
    fix = f"name a file that holds a Release, such as {known[0]}" if known else "name a file that holds a Release"
    return NylError(Code.RELEASE_MISSING, f"{file} {why}.", fix, location=Location(file))
