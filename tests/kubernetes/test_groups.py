"""ApplicationGroups as a target has them: defaults, templates, sources and what is refused."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError, Problems
from nyl.kubernetes.groups import render_group, render_groups
from nyl.kubernetes.resources import (
    ApplicationDeletionPolicy,
    ApplicationGroup,
    NamespaceOwner,
    NamespaceOwnerKind,
    NamespacePolicy,
    ResourcePolicy,
)
from nyl.kubernetes.targets import select_target
from nyl.project.resources import RepositoryLocation
from tests.support.kubernetes_project import PROJECT, PROJECT_DEFINITION, declarations

HEAD = "apiVersion: k8s.gitops.nyl/v1\nkind: ApplicationGroup\nmetadata: {name: platform}\nspec:\n"
COMMIT = "3f1c9a" + "0" * 34


def group(tmp_path: Path, spec: str, file: str = "group.yaml", folder: str = "") -> ApplicationGroup | None:
    """The group `platform` with the text of a spec, on the target `prod`."""
    files = {name: text for name, text in PROJECT.items() if name != "group.yaml"}
    found = declarations(tmp_path, {**files, "projects.yaml": PROJECT_DEFINITION, file: HEAD + spec})
    return render_group(found.groups["platform"], select_target(found, "prod"), found)


def rendered(tmp_path: Path, spec: str, file: str = "group.yaml") -> ApplicationGroup:
    found = group(tmp_path, spec, file)
    assert found is not None
    return found


def problem(tmp_path: Path, spec: str, code: Code, line: int) -> Diagnostic:
    with pytest.raises(NylError) as caught:
        group(tmp_path, spec)
    (found,) = caught.value.diagnostics
    assert (found.code, str(found.location)) == (code, f"group.yaml:{line}"), found
    assert f"group.yaml:{line}" in found.message
    assert found.fix
    return found


def test_a_group_has_defaults(tmp_path: Path) -> None:
    found = rendered(tmp_path, "  {}\n")
    assert found.enabled
    assert (found.project_ref, found.project_template) == (None, None)
    assert (found.application_namespace, found.destination_namespace, found.output_path) == (None, None, "platform")
    assert (found.source.path, found.source.include) == ("applications/platform", ("*.yaml", "*.yml", "*.json"))
    assert (found.source.exclude, found.source.recursive, found.source.is_remote) == ((), True, False)
    assert found.deletion_policy is ApplicationDeletionPolicy.FOREGROUND
    assert found.namespace == NamespacePolicy(create=True, prune=ResourcePolicy.CONFIRM, delete=ResourcePolicy.CONFIRM)
    assert (found.shared_namespaces, found.sync_policy, found.application_name_template) == ({}, {}, None)


def test_everything_that_a_group_says_is_read(tmp_path: Path) -> None:
    found = rendered(
        tmp_path,
        "  enabled: false\n  projectRef: workloads\n  applicationNamespace: apps\n  destinationNamespace: web\n"
        "  outputPath: teams/platform/\n  labels: {a: b}\n  annotations: {c: d}\n"
        "  source: {path: /services, include: ['*.yaml'], exclude: [x.yaml], recursive: false}\n"
        "  syncPolicy: {automated: {prune: true}}\n  applicationDeletionPolicy: Orphan\n"
        "  namespace: {create: false, prunePolicy: Automatic, deletePolicy: Retain}\n"
        "  sharedNamespaces:\n    monitoring: {owner: {kind: Release, applicationGroup: a, release: b}}\n"
        "    dedicated: {owner: {kind: Dedicated, applicationGroup: a}}\n    kube-system: {owner: {kind: External}}\n"
        "  releaseCustomization:\n    allowedPaths: [spec.**]\n    deniedPaths: [spec.info.**]\n"
        "    allowedSyncOptions: [Replace]\n",
    )
    assert (found.enabled, found.project_ref, found.application_namespace) == (False, "workloads", "apps")
    assert (found.destination_namespace, found.output_path) == ("web", "teams/platform")
    assert (found.application_labels, found.application_annotations) == ({"a": "b"}, {"c": "d"})
    assert (found.source.path, found.source.include, found.source.exclude) == ("services", ("*.yaml",), ("x.yaml",))
    assert not found.source.recursive
    assert (found.sync_policy, found.deletion_policy) == (
        {"automated": {"prune": True}},
        ApplicationDeletionPolicy.ORPHAN,
    )
    assert found.namespace == NamespacePolicy(
        create=False, prune=ResourcePolicy.AUTOMATIC, delete=ResourcePolicy.RETAIN
    )
    assert found.shared_namespaces == {
        "monitoring": NamespaceOwner(NamespaceOwnerKind.RELEASE, "a", "b"),
        "dedicated": NamespaceOwner(NamespaceOwnerKind.DEDICATED, "a"),
        "kube-system": NamespaceOwner(NamespaceOwnerKind.EXTERNAL),
    }
    customization = found.customization
    assert (customization.allowed_paths, customization.denied_paths) == (("spec.**",), ("spec.info.**",))
    assert customization.allowed_sync_options == ("Replace",)


def test_a_project_may_be_named_as_a_reference_too(tmp_path: Path) -> None:
    assert rendered(tmp_path, "  projectRef: {name: workloads}\n").project_ref == "workloads"


def test_a_project_template_has_the_name_of_the_group(tmp_path: Path) -> None:
    template = rendered(tmp_path, "  projectTemplate: {}\n").project_template
    assert template is not None
    assert (template.name, template.namespace_resource_whitelist) == ("platform", None)
    spec = (
        "  projectTemplate:\n    name: team\n    destinationNamespaces: [web]\n"
        "    clusterResourceWhitelist: [{group: '', kind: Namespace}]\n    namespaceResourceWhitelist: []\n"
    )
    template = rendered(tmp_path, spec).project_template
    assert template is not None
    assert (template.name, template.destination_namespaces) == ("team", ("web",))
    assert template.cluster_resource_whitelist == ({"group": "", "kind": "Namespace"},)
    assert template.namespace_resource_whitelist == ()


def test_a_spec_may_vary_with_the_target(tmp_path: Path) -> None:
    spec = (
        "{% if values.sizes.large > 4 %}\n  enabled: false\n{% endif %}\n"
        "  destinationNamespace: '{{ target.metadata.labels.stage }}-{{ cluster.metadata.name }}'\n"
    )
    found = rendered(tmp_path, spec)
    assert (found.enabled, found.destination_namespace) == (False, "production-prod")


def test_a_group_that_renders_to_nothing_is_left_out(tmp_path: Path) -> None:
    assert group(tmp_path, "{% if values.nothing is defined %}\n  enabled: true\n{% endif %}\n") is None


@pytest.mark.parametrize("name", ["_application-group.yaml", "_application-group.yml", "_application-group.json"])
def test_a_group_file_stands_in_the_folder_of_its_releases(tmp_path: Path, name: str) -> None:
    spec = "  {}\n"
    assert rendered(tmp_path, spec, f"services/platform/{name}").source.path == "services/platform"
    assert rendered(tmp_path, "  source: {path: other}\n", f"services/{name}").source.path == "other"


@pytest.mark.parametrize(
    "text",
    [
        "  applicationNameTemplate: '{{ target.metadata.name }}-{{ release.name }}'\n",
        '  applicationNameTemplate: "{{ target.metadata.name }}-{{ release.name }}"\n',
        "  applicationNameTemplate: {{ target.metadata.name }}-{{ release.name }}\n",
        "{% if values.region == 'eu' %}\n"
        "  applicationNameTemplate: '{{ target.metadata.name }}-{{ release.name }}'\n{% endif %}\n",
        "  applicationNameTemplate: '{% raw %}{{ target.metadata.name }}-{{ release.name }}{% endraw %}'\n",
        "  applicationNameTemplate: {{ target.metadata.name }}-{{ release.name }}  # one name for each\n",
        "  applicationNameTemplate: >-\n    {{ target.metadata.name }}-{{ release.name }}\n",
        "  applicationNameTemplate: |-  # of the target\n\n    {{ target.metadata.name }}-{{ release.name }}\n\n",
        "  applicationNameTemplate:\n    '{{ target.metadata.name }}-{{ release.name }}'\n",
        '  applicationNameTemplate: "{{ target.metadata.name }}-\\\n    {{ release.name }}"\n',
        "  applicationNameTemplate: >-\r\n    {{ target.metadata.name }}-{{ release.name }}\r\n",
        "  'applicationNameTemplate' : !!str '{{ target.metadata.name }}-{{ release.name }}'\n",
    ],
)
def test_the_template_of_names_is_not_rendered_with_the_spec(tmp_path: Path, text: str) -> None:
    template = rendered(tmp_path, f"{text}  enabled: {{{{ values.region == 'eu' }}}}\n").application_name_template
    assert template is not None
    assert template.strip() == "{{ target.metadata.name }}-{{ release.name }}"


@pytest.mark.parametrize(
    "name", ["raw-{{ release.name }}", "{{ release.name }}{# its #}", "draw{% if a %}b{% endif %}"]
)
@pytest.mark.parametrize("written", ["{}", "'{}'", '"{}"', ">-\n    {}"])
def test_any_template_of_names_is_kept_however_it_is_written(tmp_path: Path, name: str, written: str) -> None:
    spec = f"  applicationNameTemplate: {written.format(name)}\n  enabled: {{{{ values.region == 'eu' }}}}\n"
    assert rendered(tmp_path, spec).application_name_template == name


def test_a_name_without_a_template_is_kept(tmp_path: Path) -> None:
    assert rendered(tmp_path, "  applicationNameTemplate: web\n").application_name_template == "web"


def test_a_remote_source_is_locked(tmp_path: Path) -> None:
    source = rendered(
        tmp_path,
        f"  source:\n    repositoryRef: {{name: deploy}}\n    revision: main\n    commit: {COMMIT}\n    path: /apps/\n",
    ).source
    assert source.is_remote
    assert source.repository == RepositoryLocation("https://git.example.com/team/deploy.git")
    assert (source.revision, source.commit, source.path) == ("main", COMMIT, "apps")


def test_a_source_of_another_commit_of_the_own_repository_is_locked_too(tmp_path: Path) -> None:
    source = rendered(tmp_path, f"  source: {{revision: main, commit: {COMMIT}}}\n").source
    assert (source.is_remote, source.repository, source.path) == (True, None, "applications/platform")


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (f"  source:\n    revision: main\n    commit: '{{{{ '{COMMIT}' | lower }}}}{{{{ '' }}}}'\n", 0),
        ("  source:\n    revision: '{{ values.region }}'\n    commit: " + COMMIT + "\n", 6),
        ("  source:\n    revision: main\n    commit: '{{ '3f1c9a' }}" + "0" * 34 + "'\n", 7),
        (
            "  source:\n    repositoryRef: {name: '{{ 'dep' }}loy'}\n    revision: main\n    commit: " + COMMIT + "\n",
            6,
        ),
    ],
)
def test_a_lock_must_stand_in_the_file(tmp_path: Path, spec: str, line: int) -> None:
    if line:
        problem(tmp_path, spec, Code.SOURCE_INPUT, line)
    else:
        assert rendered(tmp_path, spec).source.commit == COMMIT


@pytest.mark.parametrize(
    ("spec", "code", "line"),
    [
        ("  enabld: true\n", Code.RESOURCE_INVALID, 5),
        ("  enabled: 'yes'\n", Code.RESOURCE_INVALID, 5),
        ("  labels: {a: 1}\n", Code.RESOURCE_INVALID, 5),
        ("{% if true %}\n\n  applicationDeletionPolicy: Delete\n{% endif %}\n", Code.RESOURCE_INVALID, 7),
        ("  projectRef: workloads\n  projectTemplate: {}\n", Code.RESOURCE_INVALID, 4),
        ("  sharedNamespaces: {web: {owner: {}}}\n", Code.RESOURCE_INVALID, 5),
        ("  sharedNamespaces: {web: {owner: {kind: Release, release: a}}}\n", Code.RESOURCE_INVALID, 5),
        ("  sharedNamespaces: {web: {owner: {kind: Release, applicationGroup: a}}}\n", Code.RESOURCE_INVALID, 5),
        ("  sharedNamespaces: {web: {owner: {kind: External, release: a}}}\n", Code.RESOURCE_INVALID, 5),
        ("  sharedNamespaces: {Web: {owner: {kind: External}}}\n", Code.RESOURCE_INVALID, 5),
        ("  source: {revision: main}\n", Code.RESOURCE_INVALID, 5),
        (f"  source: {{commit: {COMMIT}}}\n", Code.RESOURCE_INVALID, 5),
        ("  source: {revision: main, commit: 3F1C9A}\n", Code.RESOURCE_INVALID, 5),
        ("  source: {path: ../../x}\n", Code.PATH_REFUSED, 5),
        (f"  source: {{path: ../x, revision: main, commit: {COMMIT}}}\n", Code.PATH_REFUSED, 5),
        (f"  source: {{revision: -x, commit: {COMMIT}}}\n", Code.URL_REFUSED, 5),
        (
            f"  source: {{repositoryRef: {{name: x}}, revision: main, commit: {COMMIT}}}\n",
            Code.REPOSITORY_UNKNOWN,
            5,
        ),
        ("  outputPath: /x\n", Code.PATH_REFUSED, 5),
        ("  outputPath: a/../x\n", Code.PATH_REFUSED, 5),
        ("  outputPath: a//x\n", Code.PATH_REFUSED, 5),
        ("  outputPath: .\n", Code.PATH_REFUSED, 5),
        ("  enabled: true\n  projectRef: workload\n", Code.ARGOCD_PROJECT_UNKNOWN, 6),
        ("  enabled: {{ values.unknown }}\n", Code.TEMPLATE_INVALID, 5),
        ("  enabled: {{ values.region\n", Code.TEMPLATE_INVALID, 5),
        ("  enabled: true\n  labels: {{ '}' }}\n", Code.TEMPLATE_INVALID, 6),
        ("  - {{ values.region }}\n", Code.RESOURCE_INVALID, 4),
    ],
)
def test_bad_groups_are_refused_at_their_line(tmp_path: Path, spec: str, code: Code, line: int) -> None:
    problem(tmp_path, spec, code, line)


def test_the_short_form_of_owners_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        group(tmp_path, "  sharedNamespaces: {web: {kind: External}}\n")
    assert [each.code for each in caught.value.diagnostics] == [Code.RESOURCE_INVALID] * 2
    assert "lacks the required field owner" in str(caught.value.diagnostics)


def test_a_missing_name_is_to_be_defined_in_the_target_or_its_cluster(tmp_path: Path) -> None:
    found = problem(tmp_path, "  enabled: {{ values.regin }}\n", Code.TEMPLATE_INVALID, 5)
    assert "ApplicationGroup platform" in found.message
    assert "did you mean region?" in found.message
    assert "DeploymentTarget or its Cluster" in found.fix


def test_groups_of_a_target_are_rendered_together(tmp_path: Path) -> None:
    specs = {"a": "enabled: 1", "b": "x: 1", "c": "enabled: false", "d": "{{ '' }}"}
    files = {f"{name}.yaml": f"{HEAD.replace('platform', name)}  {spec}\n" for name, spec in specs.items()}
    found = declarations(tmp_path, {**PROJECT, **files})
    problems = Problems()
    assert list(render_groups(found, select_target(found, None), problems)) == ["c", "platform"]
    assert [str(each.location) for each in problems.diagnostics] == ["a.yaml:5", "b.yaml:5"]


def test_a_pattern_of_paths_that_is_none_is_refused_at_its_line(tmp_path: Path) -> None:
    spec = "  releaseCustomization:\n    allowedPaths:\n      - spec.info\n      - spec..info\n"
    found = problem(tmp_path, spec, Code.RESOURCE_INVALID, 8)
    assert "'spec..info' is no pattern of a path" in found.message
