"""The locked commits of Kubernetes resources: sources of ApplicationGroups, and `fromGit` bindings of targets.

Follows the section Locked Git state of the page Release Inputs.
"""

from collections.abc import Iterator, Mapping

from nyl.core.diagnostics import Location, NylError, Problems
from nyl.core.pointers import join
from nyl.kubernetes.declarations import Declarations, declarations_adding
from nyl.kubernetes.group_specs import spec_line
from nyl.kubernetes.groups import render_group
from nyl.kubernetes.inputs.bindings import ROOT
from nyl.kubernetes.resources import DeploymentTarget, GroupDocument
from nyl.kubernetes.targets import EffectiveTarget, effective_target, select_target, selected_groups
from nyl.project.discovery import Project
from nyl.project.locks import SourceLock
from nyl.project.repositories import resolve_repository

_COMMIT = "/source/commit"


def kubernetes_locks(project: Project, target: str | None = None) -> list[SourceLock]:
    """Every lock of the Kubernetes resources of a project, once; with `target` those of one target alone.

    Sources of disabled groups and bindings of these count too. Raises all problems together, those of rendering groups
    included, and NYL-TARGET-UNKNOWN.
    """
    problems = Problems()
    declarations = declarations_adding(project, problems)
    if target is None:
        chosen = _targets(declarations, problems)
    else:
        problems.raise_any()
        chosen = [select_target(declarations, target)]
    found: set[SourceLock] = set()
    for each in chosen:
        found.update(_binding_locks(project, declarations, each.target, problems))
        for document in selected_groups(declarations, each.target):
            try:
                found.update(_group_locks(document, each, declarations))
            except NylError as error:
                problems.add(error)
    problems.raise_any()
    return sorted(found)


def _targets(declarations: Declarations, problems: Problems) -> list[EffectiveTarget]:
    found = []
    for each in declarations.targets.values():
        try:
            found.append(effective_target(declarations, each))
        except NylError as error:
            problems.add(error)
    return found


def _group_locks(document: GroupDocument, target: EffectiveTarget, declarations: Declarations) -> Iterator[SourceLock]:
    group = render_group(document, target, declarations)
    source = group.source if group is not None else None
    if source is not None and source.commit is not None and source.revision is not None:
        place = Location(document.location.file, spec_line(document, target.templates, _COMMIT))
        repository = source.repository.url if source.repository is not None else None
        yield SourceLock(place, f"ApplicationGroup {document.name}", source.revision, source.commit, repository)


def _binding_locks(
    project: Project, declarations: Declarations, target: DeploymentTarget, problems: Problems
) -> Iterator[SourceLock]:
    for key, inputs in target.release_inputs.items():
        for name, binding in inputs.items():
            if "fromGit" not in binding:
                continue
            lock: Mapping[str, str] = binding["fromGit"]
            line = project.resource_line(target.location, join(ROOT, key, name, "fromGit", "commit"))
            place = Location(target.location.file, line)
            try:
                repository = resolve_repository(lock, declarations.repositories, place)
            except NylError as error:
                problems.add(error)
                continue
            url = repository.url if repository is not None else None
            yield SourceLock(place, f"DeploymentTarget {target.name}", lock["revision"], lock["commit"], url)
