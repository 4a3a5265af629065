"""What is checked of units that publish targets, without any state: references, their types, and what units claim."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic
from nyl.engine.project_check import problems_of
from nyl.units.registry import DriverRegistry
from tests.support.kubernetes_project import PROJECT, RELEASE, TARGET, kubernetes_project

ENVIRONMENT = "apiVersion: gitops.nyl/v1\nkind: Environment\nmetadata: {name: dev}\nspec: {}\n"
PUBLICATION = (
    "apiVersion: units.gitops.nyl/v1\nkind: KubernetesPublication\nmetadata: {name: kubernetes}\nspec: {target: prod}\n"
)
DATABASE = """\
apiVersion: units.gitops.nyl/v1
kind: Command
metadata: {name: database}
spec:
  command: [./run.sh]
  outputs: {host: {type: string}, port: {type: integer}, key: {type: string, sensitive: true}}
"""
INPUTS = "spec: {inputs: {a: {type: TYPE, default: VALUE}}}\n---\n"
VALUES = {"string": "x", "number": "1.5", "integer": "1", "object": "{}"}


def problems(folder: Path, reference: str = "", type_name: str = "string", **files: str) -> tuple[Diagnostic, ...]:
    bound = f"  releaseInputs: {{platform/web: {{a: {{fromUnit: {reference}}}}}}}\n" if reference else ""
    inputs = INPUTS.replace("TYPE", type_name).replace("VALUE", VALUES[type_name])
    written = {
        **PROJECT,
        "target.yaml": TARGET.replace("spec:\n", f"spec:\n{bound}"),
        "applications/platform/web.yaml": RELEASE.replace("---\n", inputs, 1),
        "dev.yaml": ENVIRONMENT,
        "database.yaml": DATABASE,
        "kubernetes.yaml": PUBLICATION,
    }
    more = {f"{name}.yaml": text for name, text in files.items()}
    project, kinds = kubernetes_project(folder, written | more), DriverRegistry()
    return problems_of(project, "", lambda unit: kinds.driver(unit.api_version, unit.kind))


@pytest.mark.parametrize(
    ("reference", "type_name"),
    [
        ("{unit: database, output: host}", "string"),
        ("{unit: database, output: port}", "integer"),
        ("{unit: database, output: port}", "number"),
        ("{unit: database, artifact: facts, pointer: /a}", "object"),
    ],
)
def test_a_reference_that_fits_is_no_problem(tmp_path: Path, reference: str, type_name: str) -> None:
    assert problems(tmp_path, reference, type_name) == ()


@pytest.mark.parametrize(
    ("reference", "type_name", "code", "told"),
    [
        (
            "{unit: database, output: host}",
            "integer",
            Code.REFERENCE_INVALID,
            "declares type string where integer is wanted",
        ),
        (
            "{unit: database, output: port}",
            "string",
            Code.REFERENCE_INVALID,
            "declares type integer where string is wanted",
        ),
        ("{unit: database, output: hots}", "string", Code.REFERENCE_INVALID, "declares host, key, port"),
        ("{unit: database, output: key}", "string", Code.REFERENCE_SENSITIVE, "is sensitive"),
        ("{unit: nobody, output: host}", "string", Code.DEPENDENCY_UNKNOWN, "depends on nobody"),
        ("{unit: kubernetes, artifact: tree}", "object", Code.DEPENDENCY_CYCLE, "kubernetes → kubernetes"),
        ("{unit: database, output: host, evidence: attested}", "string", Code.ATTESTATIONS_UNSUPPORTED, "attestations"),
    ],
)
def test_one_that_cannot_be_is_told_without_state(
    tmp_path: Path, reference: str, type_name: str, code: Code, told: str
) -> None:
    (found,) = problems(tmp_path, reference, type_name)
    assert found.code is code
    assert told in found.message


def test_the_target_of_each_environment_must_exist(tmp_path: Path) -> None:
    templated = PUBLICATION.replace("target: prod", "target: '{{ environment.metadata.name }}'")
    other = ENVIRONMENT.replace("name: dev", "name: prod")
    (found,) = problems(tmp_path, kubernetes=templated, other=other)
    assert (found.code, found.environment, found.unit) == (Code.TARGET_UNKNOWN, "dev", "kubernetes")
    assert str(found.location) == "kubernetes.yaml:1"


def test_two_units_of_an_environment_cannot_publish_one_target(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, other=PUBLICATION.replace("name: kubernetes", "name: again"))
    assert found.code is Code.RESOURCE_CLAIMED
    assert "Unit kubernetes has DeploymentTarget prod, which unit again (other.yaml:1) has already" in found.message


@pytest.mark.parametrize(
    "field",
    [
        "releases: {}",
        "releases: {fromUnit: {unit: database, output: host}}",
        "releases: {a/b: {c: {fromUnit: {unit: database, output: host}}}}",
        "outputs: {commit: {type: string}}",
        "mode: render",
        "target: ''",
    ],
)
def test_fields_that_a_publication_does_not_have_are_refused(tmp_path: Path, field: str) -> None:
    spec = field if field.startswith("target") else f"target: prod, {field}"
    found = problems(tmp_path, kubernetes=PUBLICATION.replace("target: prod", spec))
    assert {each.code for each in found} == {Code.RESOURCE_INVALID}
