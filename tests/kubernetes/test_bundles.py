"""The bundle of a Release: templates, what is literal, includes, and errors at the lines of the source."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from nyl.core.codes import Code
from tests.support.kubernetes_project import PROJECT
from tests.support.kubernetes_session import Site

HEAD = "apiVersion: k8s.nyl/v1\nkind: Release\nmetadata: {name: web, namespace: web}\n"
FILE = "applications/platform/web.yaml"


def config_map(name: str, data: str = "{}") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {data}\n"


def site(tmp_path: Path, text: str, files: Mapping[str, str] | None = None) -> Site:
    return Site(tmp_path, {**PROJECT, FILE: text, **(files or {})})


def objects(tmp_path: Path, text: str, files: Mapping[str, str] | None = None) -> dict[str, str]:
    start = "platform/web/configmap/web/"
    texts = site(tmp_path, text, files).texts()
    return {path.removeprefix(start): each for path, each in texts.items() if path.startswith(start)}


def test_templates_see_values_cluster_and_target(tmp_path: Path) -> None:
    data = "{a: '{{ values.sizes.large }}', b: '{{ cluster.metadata.name }}', c: '{{ target.metadata.labels.stage }}'}"
    found = objects(tmp_path, f"{HEAD}---\n{config_map('x', data)}")
    assert "data:\n  a: '8'\n  b: prod\n  c: production\n" in found["x.yaml"]


def test_bindings_are_no_part_of_what_templates_see_of_the_target(tmp_path: Path) -> None:
    target = str(PROJECT["target.yaml"]) + "  releaseInputs: {platform/web: {size: {value: 3}}}\n"
    text = f"{HEAD}spec: {{inputs: {{size: {{type: integer}}}}}}\n---\n"
    text += config_map("x", "{a: '{{ inputs.size }}', b: '{{ target.spec.releaseInputs is defined }}'}")
    assert "data:\n  a: '3'\n  b: 'False'\n" in objects(tmp_path, text, {"target.yaml": target})["x.yaml"]


def test_inputs_are_not_there_where_a_release_declares_none(tmp_path: Path) -> None:
    [problem] = site(tmp_path, f"{HEAD}---\n{config_map('x', '{a: {{ inputs.size }}}')}").problems()
    assert problem.code is Code.TEMPLATE_INVALID
    assert "'inputs' is undefined" in problem.message
    assert f"{FILE}:8" in problem.message


def test_a_loop_over_documents_makes_several_objects(tmp_path: Path) -> None:
    text = f"{HEAD}---\n{{% for name in ['a', 'b'] %}}---\n{config_map('{{ name }}')}{{% endfor %}}"
    assert set(objects(tmp_path, text)) == {"a.yaml", "b.yaml"}


def test_included_files_are_templates_that_see_inputs(tmp_path: Path) -> None:
    text = f"{HEAD}spec:\n  inputs: {{size: {{type: integer, default: 2}}}}\n  include: [web/*.yaml]\n"
    files = {"applications/platform/web/more.yaml": config_map("more", "{size: '{{ inputs.size }}'}")}
    assert "size: '2'" in objects(tmp_path, text, files)["more.yaml"]


@pytest.mark.parametrize(
    ("globs", "matched"),
    [
        ("[web/]", {"a", "b", "c"}),
        ("['web/**/*.yaml']", {"a", "b"}),
        ("['web/*.yaml', web/deep/b.yaml]", {"a", "b"}),
        ("[web/c.json]", {"c"}),
    ],
)
def test_include_globs_are_relative_to_the_release(tmp_path: Path, globs: str, matched: set[str]) -> None:
    folder = "applications/platform/web"
    files = {
        f"{folder}/a.yaml": config_map("a"),
        f"{folder}/deep/b.yaml": config_map("b"),
        f"{folder}/c.json": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c"}}',
        f"{folder}/notes.txt": "no manifest",
    }
    if "/]" in globs:
        globs = globs.replace("web/", "'web/**'")
    found = objects(tmp_path, f"{HEAD}spec: {{include: {globs}}}\n", files)
    assert {path.removesuffix(".yaml") for path in found} == matched


@pytest.mark.parametrize("glob", ["none/*.yaml", "../other.yaml", "/group.yaml", "web.yaml", "notes.txt", "link.yaml"])
def test_an_include_glob_must_match_a_manifest_file_below_the_release(tmp_path: Path, glob: str) -> None:
    here = site(tmp_path, f"{HEAD}spec: {{include: ['{glob}']}}\n", {"applications/other.yaml": config_map("x")})
    here.write({"applications/platform/notes.txt": "x"})
    (here.root / "applications/platform/link.yaml").symlink_to("../other.yaml")
    [problem] = here.problems()
    assert problem.code is Code.INCLUDE_INVALID
    assert repr(glob) in problem.message
    assert f"{FILE}:1" in problem.message


def test_an_included_file_holds_no_second_release(tmp_path: Path) -> None:
    other = HEAD.replace("name: web,", "name: other,")
    here = site(tmp_path, f"{HEAD}spec: {{include: [more/x.yaml]}}\n", {"applications/platform/more/x.yaml": other})
    problem = here.problems()[0]
    assert problem.code is Code.INCLUDE_INVALID
    assert "applications/platform/more/x.yaml:1" in problem.message
    assert f"{FILE}:1" in problem.message


def test_a_file_is_included_by_one_release_alone(tmp_path: Path) -> None:
    target = {"target.yaml": str(PROJECT["target.yaml"])}
    text = f"{HEAD}spec: {{include: [shared/x.yaml]}}\n"
    other = text.replace("name: web, namespace: web", "name: other, namespace: other")
    files = {**target, "applications/platform/other.yaml": other}
    files["applications/platform/shared/x.yaml"] = config_map("x")
    [problem] = site(tmp_path, text, files).problems()
    assert problem.code is Code.INCLUDE_INVALID
    assert "applications/platform/other.yaml:1" in problem.message
    assert f"{FILE}:1" in problem.message


@pytest.mark.parametrize(
    "text",
    [
        f"{{% if values.region == 'us' %}}\n{HEAD}\n{{% endif %}}\n---\n{config_map('x')}",
        f"{HEAD}---\n{{% if true %}}{HEAD.replace('name: web,', 'name: two,')}{{% endif %}}",
    ],
)
def test_a_template_neither_removes_nor_adds_a_release(tmp_path: Path, text: str) -> None:
    here = site(
        tmp_path, text.replace("kind: Release\nmetadata: {name: two", "kind: Rel{{ 'ease' }}\nmetadata: {name: two")
    )
    [problem] = here.problems()
    assert problem.code is Code.RELEASE_CHANGED


@pytest.mark.parametrize(
    "lines",
    [
        "spec:\n  inputs:\n    a: {type: string}\n{% if true %}\n    b: {type: string}\n{% endif %}\n",
        "spec:\n{% if false %}\n  inputs:\n    a: {type: string}\n{% endif %}\n  additionalNamespaces: [x]\n",
    ],
)
def test_a_template_around_declarations_is_refused(tmp_path: Path, lines: str) -> None:
    here = site(tmp_path, f"{HEAD}{lines}---\n{config_map('x')}")
    assert {each.code for each in here.problems()} <= {Code.RELEASE_CHANGED, Code.RELEASE_INPUTS}


def test_documents_of_nyl_in_the_file_are_no_part_of_the_bundle(tmp_path: Path) -> None:
    environment = (
        "apiVersion: units.gitops.nyl/v1\nkind: Command\nmetadata: {name: dev}\nspec: {x: '{{ environment }}'}\n"
    )
    found = objects(tmp_path, f"{environment}---\n{HEAD}---\n{config_map('x')}")
    assert set(found) == {"x.yaml"}


def test_yaml_errors_name_the_line_of_the_template(tmp_path: Path) -> None:
    text = f"{HEAD}---\n{{% for n in [1, 2] %}}\n# {{{{ n }}}}\n{{% endfor %}}\nkey: [unclosed\n"
    [problem] = site(tmp_path, text).problems()
    assert problem.code is Code.YAML_INVALID
    assert problem.location is not None
    assert problem.location.line in (8, 9)


def test_a_document_that_is_no_object_is_named_with_its_line(tmp_path: Path) -> None:
    [problem] = site(tmp_path, f"{HEAD}---\n{config_map('x')}---\n- a list\n").problems()
    assert problem.code is Code.MANIFEST_INVALID
    assert f"{FILE}:10" in problem.message


def test_the_problems_of_all_releases_are_told_together(tmp_path: Path) -> None:
    bad = "---\n{{ nothing }}\n"
    other = HEAD.replace("name: web, namespace: web", "name: other, namespace: other") + bad
    found = site(tmp_path, HEAD + bad, {"applications/platform/other.yaml": other}).problems()
    assert {each.location.file for each in found if each.location} == {FILE, "applications/platform/other.yaml"}


def test_lists_are_flattened_and_source_comments_kept(tmp_path: Path) -> None:
    text = f"{HEAD}---\n# Source: chart/templates/x.yaml\napiVersion: v1\nkind: List\nitems:\n"
    text += "- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n"
    text += "- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}\n"
    found = objects(tmp_path, text)
    assert set(found) == {"a.yaml", "b.yaml"}
    assert found["a.yaml"].startswith(f"# Source: chart/templates/x.yaml\n# Nyl-Provenance: {FILE}\n")


def test_large_bundles_render(tmp_path: Path) -> None:
    big = config_map("big", "{a: " + "x" * 3_000_000 + ", b: '{{ values.region }}'}")
    text = f"{HEAD}---\n{big}"
    text += "{% for n in range(2000) %}---\n" + config_map("c{{ n }}") + "{% endfor %}"
    assert len(objects(tmp_path, text)) == 2001
