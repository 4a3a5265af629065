"""Finding Kubernetes resources: what is checked when a file is read, and what is left to rendering."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.codes import Code
from tests.project.builders import ENVIRONMENT, UNIT, problems_of, project_of, the_problem
from tests.support.kubernetes_project import CLUSTER, GROUP, RELEASE, TARGET

HEAD = "apiVersion: k8s.nyl/v1\nkind: Release\nmetadata: {name: web}\n"


def inputs_of(tmp_path: Path, text: str) -> object:
    """The literal inputs of the one Release of a file."""
    ((record, _),) = project_of(tmp_path, {"web.yaml": text}).kubernetes.releases
    return record.inputs


def test_releases_are_found_in_files_of_templates(tmp_path: Path) -> None:
    head = f"{{% set x = 1 %}}\n{HEAD}"
    text = f"{head}{{% if values.on %}}\n---\napiVersion: {{{{ x }}}}\n- broken: [\n---\n{{% endif %}}\n"
    ((record, location),) = project_of(tmp_path, {"web.yaml": text}).kubernetes.releases
    assert (record.name, record.index, str(location)) == ("web", 0, "web.yaml:1")


def test_the_release_may_stand_anywhere_in_its_file(tmp_path: Path) -> None:
    text = f"apiVersion: v1\nkind: '{{{{ inputs.kind }}}}'\n---\n# the Release\n{HEAD}"
    ((record, location),) = project_of(tmp_path, {"web.yaml": text}).kubernetes.releases
    assert (record.index, location.line) == (1, 5)


def test_the_envelope_of_a_release_is_kept_and_its_spec_is_not(tmp_path: Path) -> None:
    text = HEAD.replace("web}", "Web:1, namespace: web, labels: {a: b}, annotations: {c: d}}")
    ((record, _),) = project_of(tmp_path, {"web.yaml": f"{text}spec: {{include: [a.yaml]}}\n"}).kubernetes.releases
    assert record.document == {
        "apiVersion": "k8s.nyl/v1",
        "kind": "Release",
        "metadata": {"name": "Web:1", "namespace": "web", "labels": {"a": "b"}, "annotations": {"c": "d"}},
    }


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: k8s.nyl/v1\nkind: HelmChart\nspec: {{ anything }}\n",
        "apiVersion: k8s.nyl/v1\nkind: RemoteManifest\nspec: [\n",
        "apiVersion: k8s.nyl/v1\nkind: '{{ values.kind }}'\n",
        "apiVersion: k8s.nyl/v1\nkind: {{ values.kind }}\n",
        "apiVersion: k8s.nyl/v1\nspec: {}\n",
        "apiVersion: components.k8s.nyl/v1\nkind: v1/Website\nspec: {{ x }}\n",
        '{"apiVersion": "k8s.nyl/v1", "kind": "HelmChart", broken',
    ],
)
def test_what_stands_in_bundles_is_left_to_rendering(tmp_path: Path, text: str) -> None:
    project = project_of(tmp_path, {"a.yaml": text, "dev.yaml": ENVIRONMENT})
    assert (project.kubernetes.releases, list(project.environments)) == ((), ["dev"])


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("apiVersion: k8s.nyl/v1\nkind: HelmChrt\n", "did you mean HelmChart?"),
        ("apiVersion: k8s.gitops.nyl/v1\nkind: Clustr\n", "did you mean Cluster?"),
        (
            "apiVersion: gitops.nyl/v1\nkind: Release\n",
            "write `apiVersion: k8s.nyl/v1`, which has this kind",
        ),
        (
            "apiVersion: k8s.gitops.nyl/v1\nkind: HelmChart\n",
            "write `apiVersion: k8s.nyl/v1`, which has this kind",
        ),
        ("apiVersion: k8s.gitops.nyl/v1\nkind: ApplicationsGroup\n", "did you mean ApplicationGroup?"),
        (
            "apiVersion: k8s.nyl/v1\nkind: DeploymentTarget\n",
            "write `apiVersion: k8s.gitops.nyl/v1`, which has this kind",
        ),
        (
            "apiVersion: gitops.nyl/v1\nkind: ApplicationGroup\n",
            "write `apiVersion: k8s.gitops.nyl/v1`, which has this kind",
        ),
    ],
)
def test_unknown_kinds_are_told_with_what_was_meant(tmp_path: Path, text: str, fix: str) -> None:
    assert the_problem(tmp_path, {"a.yaml": text}, Code.KIND_UNKNOWN, "a.yaml", 1).fix == fix


def test_two_releases_in_one_file_are_an_error_that_names_both_lines(tmp_path: Path) -> None:
    files = {"web.yaml": f"{HEAD}---\n{HEAD.replace('web', 'api')}"}
    found = the_problem(tmp_path, files, Code.RESOURCE_INVALID, "web.yaml", 5)
    assert "web starts on line 1" in found.message


@pytest.mark.parametrize(
    ("spec", "inputs"),
    [
        ("", None),
        ("spec: {}\n", None),
        ("spec:\n", None),
        ("spec: {inputs: {a: {type: string}}}\n", {"a": {"type": "string"}}),
        ("spec:\n  inputs:\n    a: {type: string}\n", {"a": {"type": "string"}}),
        ("spec:\n  include: ['{{ x }}']\n  inputs:\n    a: {type: string}\n", {"a": {"type": "string"}}),
        (
            "spec:\n  # inputs: x\n  'inputs':\n    a:\n\n      type: string\n  include: [{{ x }}]\n",
            {"a": {"type": "string"}},
        ),
        (
            "spec:\n  inputs: {a: {type: string}}\n{% if values.x %}\n  include: [a.yaml]\n{% endif %}\n",
            {"a": {"type": "string"}},
        ),
        (
            "spec:\n{% if values.x %}\n  include: [a.yaml]\n{% endif %}\n  inputs:\n    a: {type: string}\n",
            {"a": {"type": "string"}},
        ),
        ("spec:\n  argocd:\n    inputs: {{ x }}\n", None),
        ("spec: {include: ['{{ x }}'], inputs: {a: {type: string}}}\n", {"a": {"type": "string"}}),
        ("spec:\n  include: [{{ x }}]\n", None),
        ("spec:\n{{ everything }}\n", None),
    ],
)
def test_the_inputs_are_read_from_between_the_template(tmp_path: Path, spec: str, inputs: object) -> None:
    assert inputs_of(tmp_path, HEAD + spec) == inputs


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        ("spec:\n  inputs:\n    a: {type: '{{ values.type }}'}\n", 6),
        ("spec:\n  inputs:\n    {{ values.name }}: {type: string}\n", 6),
        ("spec:\n  inputs: {{ values.inputs }}\n", 5),
        ("spec:\n  inputs:\n    a: {type: string}\n{% if values.x %}\n    b: {type: string}\n{% endif %}\n", 7),
        ("spec:\n  inputs:\n    a: {type: string}\n    {# more #}\n    {% include 'x' %}\n  include: []\n", 7),
        ("spec:\n{% if x %}\n  inputs:\n    a: {type: string}\n{% endif %}\n", 6),
        ("spec:\n{#\n  inputs:\n    a: {type: string}\n#}\n  include: []\n", 6),
        ("spec:\n{%- for x in y %}{% if x %}{% endif %}\n  inputs: {}\n{%- endfor %}\n", 6),
        ("spec: {inputs: {a: {type: '{{ x }}'}}}\n", 4),
        ("spec: {inputs: {'{{ x }}': {type: string}}}\n", 4),
        ("spec:\n  inputs:\n    a: {type: string}\n{% if x %}\n  inputs:\n    b: {type: string}\n{% endif %}\n", 8),
    ],
)
def test_templating_cannot_add_remove_or_change_inputs(tmp_path: Path, spec: str, line: int) -> None:
    the_problem(tmp_path, {"web.yaml": HEAD + spec}, Code.RELEASE_INPUTS, "web.yaml", line)


@pytest.mark.parametrize(
    "metadata",
    ["name: '{{ values.name }}'", "{{ values.metadata }}", "name: web\n{% if x %}\n  namespace: a\n{% endif %}\n"],
)
def test_the_envelope_of_a_release_is_literal(tmp_path: Path, metadata: str) -> None:
    text = f"apiVersion: k8s.nyl/v1\nkind: Release\nmetadata:\n  {metadata}\nspec:\n  include: [a.yaml]\n"
    line = 5 if "{% if" in metadata else 4
    the_problem(tmp_path, {"web.yaml": text}, Code.RESOURCE_INVALID, "web.yaml", line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (HEAD + "spec: {includes: []}\n", 4),
        (HEAD.replace("web}", "a/b}"), 3),
        (HEAD.replace("web}", "'a b'}"), 3),
        (HEAD.replace("web}", "web, generateName: x}"), 3),
        (HEAD + "status: {}\n", 4),
        (CLUSTER.replace("kubeVersion: v1.31.4", "kubeVersion: latest"), 6),
        (CLUSTER.replace("{server: https://kubernetes.default.svc}", "{server: a, name: b}"), 5),
        (CLUSTER.replace("{server: https://kubernetes.default.svc}", "{}"), 5),
        (TARGET.replace("values", "value"), 5),
        (TARGET + "  releaseInputs: {web: {a: {value: 1}}}\n", 7),
        (TARGET + "  releaseInputs: {p/web: {a: {}}}\n", 7),
        (TARGET + "  releaseInputs: {p/web: {a: {value: 1, fromFile: {path: a}}}}\n", 7),
        (
            TARGET
            + "  releaseInputs:\n    p/web:\n"
            + "      a: {fromGit: {repositoryRef: {name: x}, path: a, revision: b, commit: ABC}}\n",
            9,
        ),
        (TARGET + "  releaseInputs:\n    p/web:\n      a: {fromFile: {path: a, pointer: b}}\n", 9),
        (GROUP.replace("{name: platform}", "{name: Platform}"), 3),
    ],
)
def test_resources_are_checked_with_their_schemas(tmp_path: Path, text: str, line: int) -> None:
    found = problems_of(tmp_path, {"a.yaml": text})
    assert {(each.code, each.location and each.location.line) for each in found} == {(Code.RESOURCE_INVALID, line)}


def test_static_resources_are_no_templates(tmp_path: Path) -> None:
    text = TARGET.replace("revision: deploy", "revision: {{ values.branch }}")
    assert [each.code for each in problems_of(tmp_path, {"a.yaml": text})] == [Code.YAML_INVALID]


def test_rendered_output_is_left_out(tmp_path: Path) -> None:
    files = {
        "out/prod/_nyl/index.json": "{}",
        "out/prod/platform/web/x.yaml": RELEASE,
        "out/prod/unit.yaml": UNIT,
        "out/unit.yaml": UNIT,
    }
    project = project_of(tmp_path, files)
    assert [each.location.file for each in project.units] == ["out/unit.yaml"]
    assert project.kubernetes.releases == ()


def test_output_in_the_projects_own_folder_does_not_hide_the_project(tmp_path: Path) -> None:
    files = {"_nyl/index.json": "{}", "_nyl/catalog/x.yaml": UNIT, "unit.yaml": UNIT}
    assert [each.location.file for each in project_of(tmp_path, files).units] == ["unit.yaml"]


def test_the_vendor_folder_is_left_out(tmp_path: Path) -> None:
    files = {"vendor/x.yaml": UNIT, "third/party/x.yaml": UNIT}
    assert [each.location.file for each in project_of(tmp_path, files).units] == ["third/party/x.yaml"]
    moved = project_of(tmp_path, files, "[vendor]\npath = './third/'")
    assert [each.location.file for each in moved.units] == ["vendor/x.yaml"]


def test_json_documents_are_resources_too(tmp_path: Path) -> None:
    text = (
        '{"apiVersion": "k8s.nyl\\/v1", "kind": "Release", "metadata": {"name": "web"},\n'
        ' "spec": {"inputs": {"a": {"type": "string"}}, "include": ["{{ x }}"]}}'
    )
    ((record, _),) = project_of(tmp_path, {"web.json": text}).kubernetes.releases
    assert (record.name, record.inputs) == ("web", {"a": {"type": "string"}})
    group = (
        '{"apiVersion": "k8s.gitops.nyl/v1", "kind": "ApplicationGroup", "metadata": {"name": "p"}, "spec": {"a": 1}}'
    )
    ((found, _),) = project_of(tmp_path, {"g.json": group}).kubernetes.groups
    assert (found.name, found.spec) == ("p", 'spec: {"a": 1}')


def test_the_kind_of_a_flow_mapping_is_its_own(tmp_path: Path) -> None:
    owner = '"metadata": {"name": "web", "labels": {"kind": "x"}}'
    text = f'{{{owner}, "apiVersion": "k8s.nyl/v1", "kind": "Release"}}'
    ((record, _),) = project_of(tmp_path, {"web.json": text}).kubernetes.releases
    assert record.name == "web"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: b"\xef\xbb\xbf" + text.encode(),
        lambda text: text.replace("\n", "\r\n").encode(),
        lambda text: ("# a comment\n---\n" + text).encode(),
        lambda text: "".join(f"  {line}\n" for line in text.splitlines()).encode(),
    ],
    ids=["byte-order mark", "CRLF", "separator", "indented"],
)
def test_how_a_file_is_saved_makes_no_difference(tmp_path: Path, change: Callable[[str], bytes]) -> None:
    text = f"{HEAD}spec:\n  include: [{{{{ x }}}}]\n  inputs:\n    a:\n      type: string\n"
    ((record, _),) = project_of(tmp_path, {"web.yaml": change(text)}).kubernetes.releases
    assert (record.name, record.inputs) == ("web", {"a": {"type": "string"}})


@pytest.mark.parametrize("data", [HEAD.encode("utf-16"), HEAD.encode() + b"# \xff\xfe\n"])
def test_text_that_is_not_utf_8_is_refused(tmp_path: Path, data: bytes) -> None:
    (found,) = problems_of(tmp_path, {"web.yaml": data})
    assert found.code is Code.YAML_INVALID
    assert "web.yaml" in found.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("apiVersion: k8s.nyl/v1\nkind: Release\nmetadata: {name: web, name: api}\n", 3),
        ("apiVersion: k8s.nyl/v1\nkind: Release\nmetadata: [\n", 4),
        ("apiVersion: k8s.nyl/v1\nkind: Release\nkind: Release\nmetadata: {name: web}\n", 3),
        (f"{HEAD}spec:\n  inputs:\n    a: {{type: string}}\n    a: {{type: string}}\n  include: ['{{{{ x }}}}']\n", 7),
        (f"{HEAD}spec:\n  inputs:\n    a: {{type: string\n  include: ['{{{{ x }}}}']\n", 8),
        (f"{HEAD}spec: {{}}\nspec: {{}}\n", 5),
        (f"{HEAD}spec:\n  inputs: {{}}\n  inputs: {{}}\n", 6),
        ("apiVersion: k8s.nyl/v1\nkind: Release\nmetadata: &a {name: web, labels: *b}\n", 3),
        (CLUSTER.replace("values: {region: eu", "values: {region: eu, region: us"), 7),
        ('{"apiVersion": "k8s.nyl/v1",\n"kind": "Release", "metadata": {"name": "web}}\n', 3),
    ],
)
def test_what_is_no_strict_yaml_is_refused_at_its_line(tmp_path: Path, text: str, line: int) -> None:
    found = problems_of(tmp_path, {"a.yaml": text})
    assert [(each.code, each.location and each.location.line) for each in found] == [(Code.YAML_INVALID, line)]


def test_documents_that_were_read_before_come_from_the_cache(tmp_path: Path) -> None:
    files = {
        "cluster.yaml": CLUSTER,
        "target.yaml": TARGET,
        "group.yaml": GROUP,
        "web.yaml": f"{HEAD}spec: {{inputs: {{}}}}",
    }
    cache = Cache(tmp_path / "cache.sqlite")
    first = project_of(tmp_path, files, cache=cache).kubernetes
    assert project_of(tmp_path, files, cache=Cache(tmp_path / "cache.sqlite")).kubernetes == first
    assert [len(each) for each in (first.resources, first.groups, first.releases)] == [2, 1, 1]
