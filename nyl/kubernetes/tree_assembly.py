"""Putting a tree together: the files of its Releases, its Namespaces, its catalog and its state files.

Follows the page Rendered Layout. What concerns more than one Release is checked here.
"""

from collections.abc import Collection, Iterator, Mapping

from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.kubernetes.catalog_objects import catalog_objects
from nyl.kubernetes.collisions import path_collisions
from nyl.kubernetes.inputs.resolution import ResolvedInputs
from nyl.kubernetes.layout import catalog_path, dedicated_folder, manifest_path
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.namespaces import ManagedNamespace, NamespaceUser, authored_namespaces, managed_namespaces
from nyl.kubernetes.rendered_releases import RenderedRelease, content_facts
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.target_plan import TargetPlan
from nyl.kubernetes.tree import FileFacts, RenderedTree
from nyl.kubernetes.tree_checks import check_folders, check_includes, check_objects, check_sources, unknown_kinds
from nyl.kubernetes.tree_contents import CompiledContents, ReleaseBytes
from nyl.kubernetes.written_objects import written_objects


@dataclass(frozen=True)
class TreeAssembly:
    """The parts of a target's tree."""

    plan: TargetPlan
    inputs: ResolvedInputs
    releases: Mapping[ReleaseAddress, RenderedRelease]

    def tree(self, contents: Collection[ReleaseBytes]) -> RenderedTree:
        """The whole tree; `contents` gives the bytes of the Releases' own files.

        Raises all problems together: NYL-NAMESPACE-OWNER, what the catalog raises, NYL-OBJECT-TAKEN for an object that
        two Releases have, NYL-INCLUDE-INVALID for a file that two include, and NYL-PATH-COLLISION.
        """
        problems = Problems()
        others = written_objects(self.plan.session.known, dict(self._made(problems)))
        for each in self.inputs.state_files:
            others[each.path] = content_facts(each.content), each.content
        check_folders(self.plan, problems)
        check_includes(self.plan, self.releases, problems)
        files = [*self._release_files(), *((path, facts) for path, (facts, _) in others.items())]
        check_objects(files, problems)
        for problem in path_collisions(files):
            problems.add(problem)
        sources = self._sources(problems)
        problems.raise_any()
        target = self.plan.target
        return RenderedTree(
            target=target.target,
            cluster=target.cluster,
            files=dict(sorted(files)),
            contents=CompiledContents({path: content for path, (_, content) in others.items()}, contents),
            inputs=dict(sorted({**sources, **self.inputs.provenance}.items())),
            commit=self.plan.session.commit,
            releases=len(self.releases),
            read_state=self.inputs.read_state,
            suspended_state=self.inputs.suspended_state,
            warnings=self._warnings(),
        )

    def _release_files(self) -> Iterator[tuple[str, FileFacts]]:
        for address, release in self.releases.items():
            folder = self.plan.folders[address]
            for path, facts in release.files.items():
                yield f"{folder}/{path}", facts

    def _made(self, problems: Problems) -> Iterator[tuple[str, Manifest]]:
        """The objects that no bundle holds, by their paths."""
        try:
            managed = managed_namespaces(self.users(), self.plan.groups)
        except NylError as error:
            problems.add(error)
            managed = ()
        for namespace in managed:
            manifest = namespace.manifest()
            yield f"{self._folder_of(namespace)}/{manifest_path(manifest.identity)}", manifest
        overrides = {address: release.spec.application_override for address, release in self.releases.items()}
        for manifest in catalog_objects(self.plan, overrides, managed, problems):
            yield catalog_path(manifest.identity), manifest

    def users(self) -> Iterator[NamespaceUser]:
        """What each Release has to do with Namespaces."""
        for address, each in self.plan.releases.items():
            release = self.releases[address]
            namespaces = (*filter(None, (each.destination,)), *release.spec.additional_namespaces)
            authored = authored_namespaces((facts.identity, facts.origin) for facts in release.files.values())
            yield NamespaceUser(address, each.group, each.document.location, namespaces, dict(authored))

    def _folder_of(self, namespace: ManagedNamespace) -> str:
        return self.plan.folders[namespace.owner] if namespace.owner else dedicated_folder(namespace.name)

    def _sources(self, problems: Problems) -> dict[str, str]:
        """The files that were read, those of other repositories by the keys that locked files have."""
        found = self.plan.sources()
        remote_files: dict[str, str] = {}
        for address, release in self.releases.items():
            remote = self.plan.remote.source(self.plan.releases[address].group)
            if remote is None:
                found.update(release.sources)
            else:
                remote_files.update({remote.key(path): digest for path, digest in release.sources.items()})
        check_sources(found, problems)
        return {**found, **remote_files}

    def _warnings(self) -> tuple[Diagnostic, ...]:
        of_releases = (each for release in self.releases.values() for each in release.warnings)
        return tuple(dict.fromkeys((*self.inputs.warnings, *of_releases, *unknown_kinds(self.releases.values()))))
