"""What is to be done for a Release, and what comes of it."""

from collections.abc import Sequence

from nyl.core.dataclass import dataclass
from nyl.kubernetes.bundle_templates import ReleaseTemplates
from nyl.kubernetes.expansion.context import ExpansionProject
from nyl.kubernetes.rendered_releases import RenderedRelease
from nyl.kubernetes.resources import ReleaseAddress, ReleaseDocument
from nyl.project.trees import WholeTree


@dataclass(frozen=True)
class BundleSource:
    """Where a Release is read from."""

    tree: WholeTree
    document: ReleaseDocument
    left_out: Sequence[str] = ()
    """Folders whose files are no source."""
    origin: str = ""
    """What provenance names after the path of a file that is of another repository."""

    @property
    def entry_file(self) -> str:
        """The file that holds the Release."""
        return self.document.location.file

    def provenance(self, file: str) -> str:
        """The source document of objects, as their files name it."""
        return f"{file} of {self.origin}" if self.origin else file


@dataclass(frozen=True)
class ReleaseJob:
    """A Release to render, with all that its bytes depend on beside the files it reads."""

    address: ReleaseAddress
    source: BundleSource
    project: ExpansionProject
    templates: ReleaseTemplates
    destination: str | None
    """The namespace of objects that name none."""
    kube_version: str | None = None
    api_versions: tuple[str, ...] = ()
    is_scoped: bool = True
    """Whether objects may only be in namespaces of the Release."""
    key: str = ""
    """Digest of all that is above, the contents of the files aside; '' is never cached."""


@dataclass(frozen=True)
class FreshRelease:
    """A Release that was just rendered."""

    release: RenderedRelease
    bodies: bytes
    """The bytes of its files, one after the other."""
    uses_helm: bool
