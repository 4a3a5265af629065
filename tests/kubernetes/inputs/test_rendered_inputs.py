"""Inputs in the templates of Releases, and in what a tree says of its making."""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import pytest

from nyl.core.codes import Code
from tests.project.repositories import commit_all, new_repository
from tests.support.kubernetes_project import CLUSTER, GROUP, REPOSITORY, TARGET
from tests.support.kubernetes_session import BranchState, Site

RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
spec:
  include: [more/*.yaml]
  inputs:
    image: {type: string}
    size: {type: object, default: {cpu: 1}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {image: "{{ inputs.image }}", region: "{{ values.region }}", cpu: "{{ inputs.size.cpu }}"}
"""
MORE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: more}
data: {image: "{{ inputs.image }}"}
"""
SETTINGS = "platform/web/configmap/web/settings.yaml"


def bound(*lines: str) -> str:
    """The target with bindings of `platform/web`."""
    return TARGET + "  releaseInputs:\n    platform/web:\n" + "".join(f"      {line}\n" for line in lines)


def site(root: Path, *lines: str, files: Mapping[str, str] | None = None) -> Site:
    return Site(
        root,
        {
            "cluster.yaml": CLUSTER,
            "repository.yaml": REPOSITORY,
            "group.yaml": GROUP,
            "target.yaml": bound(*lines),
            "applications/platform/web.yaml": RELEASE,
            "applications/platform/more/a.yaml": MORE,
            **(files or {}),
        },
    )


def data_of(texts: Mapping[str, str], path: str = SETTINGS) -> str:
    return texts[path].partition("\ndata:\n")[2]


def test_templates_of_the_entry_file_and_of_included_files_read_inputs_beside_values(tmp_path: Path) -> None:
    texts = site(tmp_path, "image: {value: 'web@sha256:4f0c'}").texts()
    assert data_of(texts) == "  image: web@sha256:4f0c\n  region: eu\n  cpu: '1'\n"
    assert "web@sha256:4f0c" in texts["platform/web/configmap/web/more.yaml"]


def test_a_release_without_inputs_has_no_name_inputs(tmp_path: Path) -> None:
    declared = RELEASE[RELEASE.index("  inputs:") : RELEASE.index("---")]
    made = site(
        tmp_path, files={"target.yaml": TARGET, "applications/platform/web.yaml": RELEASE.replace(declared, "")}
    )
    problems = made.problems()
    assert {each.code for each in problems} == {Code.TEMPLATE_INVALID}
    assert any("inputs" in each.message for each in problems)


def test_bindings_are_no_part_of_what_templates_see_of_the_target(tmp_path: Path) -> None:
    text = RELEASE.replace('"{{ values.region }}"', '"{{ target.spec.releaseInputs is defined }}"')
    texts = site(tmp_path, "image: {value: x}", files={"applications/platform/web.yaml": text}).texts()
    assert "False" in data_of(texts)


def test_inputs_are_resolved_before_any_release_is_rendered(tmp_path: Path) -> None:
    broken = RELEASE.replace("{{ values.region }}", "{{ values.gone.x }}").replace("name: web,", "name: broken,")
    wrong = bound("image: {value: 1}") + "    platform/broken: {image: {value: [x]}}\n"
    made = site(tmp_path, files={"target.yaml": wrong, "applications/platform/broken.yaml": broken})
    problems = made.problems()
    assert [each.code for each in problems] == [Code.INPUT_INVALID] * 2
    assert [str(each.location) for each in problems] == ["target.yaml:9", "target.yaml:10"]


def test_a_release_is_rendered_again_when_an_input_changes_and_only_then(tmp_path: Path) -> None:
    made = site(tmp_path, "image: {fromFile: {path: images.json, pointer: /web}}")
    made.write({"images.json": '{"web": "one"}'})
    first = made.texts()
    made.write({"images.json": '{"web": "one", "other": 1}'})
    assert made.texts() == first
    made.write({"images.json": '{"web": "two"}'})
    assert data_of(made.texts()) == data_of(first).replace("one", "two")


def test_a_tree_names_the_inputs_and_files_it_was_rendered_from(tmp_path: Path) -> None:
    def sha256(content: bytes) -> str:
        return hashlib.sha256(content).hexdigest()

    images, state = b'{"web": "one"}', b"{cpu: 2}"
    made = site(
        tmp_path,
        "image: {fromFile: {path: images.json, pointer: /web}}",
        "size: {fromPublication: {path: state/size.yaml}}",
        files={"images.json": images.decode()},
    )
    inputs = made.compile(state=BranchState({"state/size.yaml": state})).inputs
    assert inputs["images.json"] == sha256(images)
    assert {key: each for key, each in inputs.items() if key.startswith("@")} == {
        "@input/platform/web/image": sha256(b'"one"'),
        "@input/platform/web/size": sha256(b'{"cpu":2}'),
        "@publication/state/size.yaml": sha256(state),
    }


def test_a_carried_state_file_is_part_of_the_tree(tmp_path: Path) -> None:
    made = site(tmp_path, "image: {fromPublication: {path: state/i.json, carryFileFromWorktree: out/i.json}}")
    made.write({".gitignore": "out/\n", "out/i.json": '"one"'})
    tree = made.compile(commit=made.commit())
    assert tree.contents.read_many(["state/i.json"]) == {"state/i.json": b'"one"'}
    assert tree.files["state/i.json"].identity is None
    assert "@carried/state/i.json" in tree.inputs


@pytest.mark.parametrize("path", ["platform/web/x.json", "Platform/WEB", "platform"])
def test_a_state_file_lies_beside_the_folders_of_releases(tmp_path: Path, path: str) -> None:
    made = site(tmp_path, "image: {fromPublication: {path: " + path + "}}")
    assert [each.code for each in made.problems() if each.code is Code.STATE_PATH] == [Code.STATE_PATH]


def test_a_remote_group_gets_the_values_and_sees_neither_bindings_nor_paths(tmp_path: Path) -> None:
    remote = new_repository(tmp_path / "remote")
    text = RELEASE.replace('"{{ values.region }}"', '"{{ target | string }}"')
    for name, content in (("web.yaml", text), ("more/a.yaml", MORE)):
        path = tmp_path / "remote" / "apps" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    repository = f"{{repoURL: 'file://{tmp_path}/remote'}}"
    source = f"{{path: apps, repository: {repository}, revision: main, commit: {commit_all(remote)}}}"
    group = GROUP.replace("spec: {}", f"spec:\n  source: {source}\n")
    lines = ("image: {fromFile: {path: secret-path.json, pointer: /web}}",)
    texts = site(tmp_path, *lines, files={"group.yaml": group, "secret-path.json": '{"web": "one"}'}).texts()
    assert "image: one" in data_of(texts)
    assert "releaseInputs" not in "".join(texts.values())
    assert "secret-path" not in "".join(texts.values())


def test_a_source_file_whose_path_looks_like_another_key_fails_the_render(tmp_path: Path) -> None:
    group = GROUP.replace("spec: {}", "spec: {source: {path: '@input/platform'}}")
    made = site(tmp_path, "image: {value: x}", files={"group.yaml": group, "@input/platform/web.yaml": RELEASE})
    made.write({"@input/platform/more/a.yaml": MORE})
    assert any("@input/platform" in each.message for each in made.problems())
