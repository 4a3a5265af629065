from pathlib import Path
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.units.completion import Expansion
from nyl.units.publication.expansion import expand
from tests.support.kubernetes_project import GROUP, PROJECT, RELEASE, TARGET, kubernetes_project

HOST = {"fromUnit": {"unit": "database", "output": "host"}}
CLAIMS = ("DeploymentTarget prod",)
INPUTS = "spec: {inputs: {host: {type: string}, port: {type: integer, default: 1}}}\n---\n"


def expanded(folder: Path, inputs: str, spec: dict[str, Any] | None = None, **files: str) -> Expansion:
    target = TARGET.replace("spec:\n", f"spec:\n  releaseInputs: {inputs}\n")
    release = RELEASE.replace("---\n", INPUTS, 1)
    written = {**PROJECT, "target.yaml": target, "applications/platform/web.yaml": release}
    more = {f"{name}.yaml": text for name, text in files.items()}
    return expand(spec or {"target": "prod"}, kubernetes_project(folder, written | more))


def test_a_target_without_references_leaves_the_spec_as_it_is(tmp_path: Path) -> None:
    found = expanded(tmp_path, "{platform/web: {host: {value: db}}}")
    assert (found.spec, found.types, found.claims) == ({"target": "prod"}, {}, CLAIMS)


def test_references_of_the_target_become_those_of_the_unit_with_the_types_that_inputs_have(tmp_path: Path) -> None:
    port = {"fromUnit": {"environment": "infra", "unit": "database", "artifact": "facts", "pointer": "/port"}}
    found = expanded(
        tmp_path,
        "{platform/web: {host: {fromUnit: {unit: database, output: host}}, "
        "port: {fromUnit: {environment: infra, unit: database, artifact: facts, pointer: /port}}}}",
    )
    assert found.spec == {"target": "prod", "releases": {"platform/web": {"host": HOST, "port": port}}}
    assert found.types == {"/releases/platform~1web/host": "string", "/releases/platform~1web/port": "integer"}


@pytest.mark.parametrize(
    ("group", "key"),
    [
        (GROUP.replace("{}", "{enabled: false}"), "platform/web"),
        (GROUP.replace("{}", "{enabled: '{{ nothing }}'}"), "platform/web"),
        (GROUP, "other/web"),
    ],
)
def test_keys_of_groups_that_are_not_rendered_are_left_to_who_renders(tmp_path: Path, group: str, key: str) -> None:
    found = expanded(tmp_path, f"{{{key}: {{host: {{fromUnit: {{unit: database, output: host}}}}}}}}", group=group)
    assert found.spec == {"target": "prod", "releases": {}}


def test_what_is_wrong_elsewhere_is_left_to_who_renders(tmp_path: Path) -> None:
    bindings = "{platform/web: {host: {fromUnit: {unit: database, output: host}}}}"
    broken = TARGET.replace("name: prod", "name: other").replace("{name: deploy}", "{name: nowhere}")
    assert expanded(tmp_path, bindings, broken=broken).spec["releases"] == {"platform/web": {"host": HOST}}


def test_a_target_that_is_not_there_is_an_error_that_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        expanded(tmp_path, "{}", {"target": "prdo"})
    assert caught.value.diagnostic.code is Code.TARGET_UNKNOWN
    assert caught.value.diagnostic.fix == "did you mean prod?"


def test_a_publication_declares_no_outputs(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        expanded(tmp_path, "{}", {"target": "prod", "outputs": {"commit": {"type": "string"}}})
    assert caught.value.diagnostic.code is Code.RESOURCE_INVALID
    assert "artifact: tree" in caught.value.diagnostic.fix


def test_inputs_of_releases_are_bound_by_the_target_alone(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        expanded(tmp_path, "{}", {"target": "prod", "releases": HOST})
    assert caught.value.diagnostic.code is Code.RESOURCE_INVALID
    assert "spec.releaseInputs" in caught.value.diagnostic.fix
