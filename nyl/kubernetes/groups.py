"""ApplicationGroups as one target has them.

Follows ApplicationGroup in the Kubernetes specification.
"""

from collections.abc import Callable, Mapping
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.core.suggestions import suggest
from nyl.kubernetes.catalog.path_globs import parsed_glob
from nyl.kubernetes.declarations import Declarations
from nyl.kubernetes.group_sources import group_source
from nyl.kubernetes.group_specs import GroupSpec, render_spec
from nyl.kubernetes.resources import (
    ApplicationDeletionPolicy,
    ApplicationGroup,
    GroupDocument,
    NamespaceOwner,
    NamespaceOwnerKind,
    NamespacePolicy,
    ProjectTemplate,
    ReleaseCustomization,
    ResourcePolicy,
)
from nyl.kubernetes.targets import EffectiveTarget, selected_groups
from nyl.project.schema_problems import resource_error

SpecOf = Callable[[GroupDocument], GroupSpec | None]


def render_groups(
    declarations: Declarations, target: EffectiveTarget, problems: Problems, specs: SpecOf | None = None
) -> dict[str, ApplicationGroup]:
    """The groups that a target selects, by name, disabled ones too. Those that render to nothing are left out.

    The problems of the others are added. `specs` gives rendered specs, as a cache does.
    """
    found = {}
    for document in selected_groups(declarations, target.target):
        try:
            group = render_group(document, target, declarations, specs)
        except NylError as error:
            problems.add(error)
            continue
        if group is not None:
            found[document.name] = group
    return found


def render_group(
    document: GroupDocument, target: EffectiveTarget, declarations: Declarations, specs: SpecOf | None = None
) -> ApplicationGroup | None:
    """A group rendered for a target; None when its spec renders to nothing.

    Raises NYL-TEMPLATE-INVALID, NYL-RESOURCE-INVALID, NYL-ARGOCD-PROJECT-UNKNOWN for a projectRef that leads nowhere,
    and what `group_source` raises.
    """
    spec = specs(document) if specs else render_spec(document, target.templates)
    if spec is None:
        return None
    value = spec.value
    return ApplicationGroup(
        name=document.name,
        labels=document.labels,
        enabled=value.get("enabled", True),
        project_ref=_project_ref(spec, declarations),
        project_template=_project_template(document.name, value.get("projectTemplate")),
        application_namespace=value.get("applicationNamespace"),
        destination_namespace=value.get("destinationNamespace"),
        output_path=_output_path(spec, document.name),
        application_name_template=value.get("applicationNameTemplate"),
        application_labels=value.get("labels", {}),
        application_annotations=value.get("annotations", {}),
        source=group_source(document, spec, declarations.repositories, declarations.folder),
        sync_policy=value.get("syncPolicy", {}),
        deletion_policy=ApplicationDeletionPolicy(value.get("applicationDeletionPolicy", "Foreground")),
        namespace=_namespace_policy(value.get("namespace", {})),
        shared_namespaces={name: _owner(each["owner"]) for name, each in value.get("sharedNamespaces", {}).items()},
        customization=_customization(spec, value.get("releaseCustomization", {})),
        location=document.location,
    )


def _project_ref(spec: GroupSpec, declarations: Declarations) -> str | None:
    reference = spec.value.get("projectRef")
    if reference is None:
        return None
    name = str(reference["name"] if isinstance(reference, Mapping) else reference)
    if name not in declarations.projects:
        known = declarations.projects
        fix = suggest(name, known, "AppProjectDefinition") if known else f"declare the AppProjectDefinition {name}"
        sentence = f"names the AppProjectDefinition {name}, which the project does not have."
        raise resource_error(spec.subject, "/projectRef", sentence, fix, Code.ARGOCD_PROJECT_UNKNOWN)
    return name


def _project_template(group: str, value: Mapping[str, Any] | None) -> ProjectTemplate | None:
    if value is None:
        return None
    namespaced = value.get("namespaceResourceWhitelist")
    return ProjectTemplate(
        value.get("name", group),
        tuple(value.get("destinationNamespaces", ())),
        tuple(value.get("clusterResourceWhitelist", ())),
        tuple(namespaced) if namespaced is not None else None,
    )


def _output_path(spec: GroupSpec, name: str) -> str:
    path = str(spec.value.get("outputPath", name))
    parts = path.rstrip("/").split("/")
    if "" in parts or not {".", ".."}.isdisjoint(parts) or any(ord(each) < 32 for each in path):
        sentence = f"is {path!r}, which is no folder below the target's prefix."
        fix = "give a relative path such as `platform` or `teams/platform`"
        raise resource_error(spec.subject, "/outputPath", sentence, fix, Code.PATH_REFUSED)
    return "/".join(parts)


def _namespace_policy(value: Mapping[str, Any]) -> NamespacePolicy:
    known = NamespacePolicy()
    return NamespacePolicy(
        value.get("create", known.create),
        ResourcePolicy(value.get("prunePolicy", known.prune)),
        ResourcePolicy(value.get("deletePolicy", known.delete)),
    )


def _owner(value: Mapping[str, Any]) -> NamespaceOwner:
    return NamespaceOwner(NamespaceOwnerKind(value["kind"]), value.get("applicationGroup"), value.get("release"))


def _customization(spec: GroupSpec, value: Mapping[str, Any]) -> ReleaseCustomization:
    allowed, denied = (_path_globs(spec, value, field) for field in ("allowedPaths", "deniedPaths"))
    return ReleaseCustomization(allowed, denied, tuple(value.get("allowedSyncOptions", ())))


def _path_globs(spec: GroupSpec, value: Mapping[str, Any], field: str) -> tuple[str, ...]:
    for index, each in enumerate(value.get(field, ())):
        try:
            parsed_glob(each)
        except ValueError as error:
            fix = "write segments with dots between them, those with dots of their own in double quotes"
            pointer = f"/releaseCustomization/{field}/{index}"
            raise resource_error(spec.subject, pointer, f"is refused: {error}.", fix, Code.RESOURCE_INVALID) from None
    return tuple(value.get(field, ()))
