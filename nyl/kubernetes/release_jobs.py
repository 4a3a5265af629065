"""The Releases of a planned target as jobs: what each is rendered with."""

from collections.abc import Mapping
from typing import Any

from nyl.kubernetes.bundle_templates import BundleTemplates
from nyl.kubernetes.cache_keys import digest_of
from nyl.kubernetes.expansion.context import ExpansionProject
from nyl.kubernetes.group_releases import GroupRelease
from nyl.kubernetes.inputs.resolution import ResolvedInputs
from nyl.kubernetes.release_work import BundleSource, ReleaseJob
from nyl.kubernetes.remote_releases import expansion_project
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.session import RenderSession
from nyl.kubernetes.target_plan import TargetPlan
from nyl.project.left_out import INDEX, left_out


def release_jobs(plan: TargetPlan, inputs: ResolvedInputs) -> dict[ReleaseAddress, ReleaseJob]:
    """A job for each Release of a target."""
    maker = _JobMaker(plan)
    return {address: maker.job(release, inputs.values(address)) for address, release in plan.releases.items()}


class _JobMaker:
    """Makes jobs that share what is the same for all Releases of a target."""

    def __init__(self, plan: TargetPlan) -> None:
        self._plan = plan
        self._templates = BundleTemplates(plan.target.context)
        self._context = digest_of(plan.target.context)
        self._project = expansion_project(plan.session.tree, plan.session.project.config)
        self._left_out = folders_left_out(plan.session)

    def job(self, release: GroupRelease, values: Mapping[str, Any] | None) -> ReleaseJob:
        remote = self._plan.remote.source(release.group)
        if remote is None:
            source = BundleSource(self._plan.session.tree, release.document, self._left_out)
        else:
            source = BundleSource(remote.tree, release.document, (), remote.shown)
        project = remote.project if remote else self._project
        cluster = self._plan.target.cluster
        return ReleaseJob(
            address=release.address,
            source=source,
            project=project,
            templates=self._templates.with_inputs(values),
            destination=release.destination,
            kube_version=cluster.kube_version,
            api_versions=cluster.api_versions,
            key=self._key(release, source, project, values),
        )

    def _key(
        self,
        release: GroupRelease,
        source: BundleSource,
        project: ExpansionProject,
        values: Mapping[str, Any] | None,
    ) -> str:
        cluster = self._plan.target.cluster
        entry = source.tree.entry(source.entry_file)
        return digest_of(
            [
                str(release.address),
                [source.entry_file, entry.oid if entry else "", source.origin, source.left_out],
                [self._context, values, release.destination, cluster.kube_version, cluster.api_versions],
                [project.folder, project.components_search_paths, project.helm_chart_search_paths],
                project.aliases,
            ]
        )


def folders_left_out(session: RenderSession) -> tuple[str, ...]:
    """The folders of a session's project that hold no source, without slashes at their ends."""
    tree = session.tree
    found = left_out(tree.files((INDEX,)), tree.project_folder, session.project.config)
    return tuple(each.rstrip("/") for each in found)
