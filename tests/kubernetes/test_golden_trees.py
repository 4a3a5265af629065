"""The golden trees of the examples: rendered as ever, valid to Kubernetes, and what their sources said."""

import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jinja2
import kubernetes_validate
import pytest
import yaml

from nyl.core.clock import SystemClock
from nyl.engine.tree_operations import render_tree
from nyl.engine.tree_requests import RenderTreeRequest
from nyl.engine.workspace import Workspace
from nyl.kubernetes.session import RenderOptions
from tests.support.kubernetes_examples import (
    NEW_IMAGE,
    OLD_IMAGE,
    ROOT,
    TREES,
    ExampleWorld,
    files_below,
    golden,
)
from tests.support.kubernetes_tools import helm, kubectl

EXAMPLES = ROOT / "examples"
_FOREIGN = ("argoproj.io/", "example.com/")
"""API groups that Kubernetes has no schemas of."""
each_tree = pytest.mark.parametrize(("example", "target"), TREES)


@each_tree
def test_an_example_renders_to_its_golden_tree(tmp_path: Path, example: str, target: str) -> None:
    assert ExampleWorld(tmp_path, example).carry().tree(target) == files_below(golden(example, target))


@each_tree
def test_kubernetes_takes_every_object(example: str, target: str) -> None:
    checked = 0
    for found in objects(files_below(golden(example, target)).values()):
        if not str(found["apiVersion"]).startswith(_FOREIGN):
            kubernetes_validate.validate(found, "1.32", strict=True)
            checked += 1
    assert checked > 3


@each_tree
def test_kustomize_reads_every_folder_as_it_is(tmp_path: Path, example: str, target: str) -> None:
    by_folder: dict[str, dict[str, str]] = {}
    for path, text in files_below(golden(example, target)).items():
        if path.endswith(".yaml"):
            by_folder.setdefault("/".join(path.split("/")[:2]), {})[path] = text
    for number, (folder, files) in enumerate(by_folder.items()):
        built = kustomized(tmp_path / str(number), files)
        assert by_identity(objects([built])) == by_identity(objects(files.values())), folder


def test_plain_objects_are_what_the_source_says() -> None:
    source = EXAMPLES / "kubernetes-plain/applications/shop"
    texts = [text for path, text in files_below(source).items() if path.startswith("web")]
    assert workloads("kubernetes-plain", "production") == expected(texts, "shop")


def test_charts_are_what_helm_says() -> None:
    folder = EXAMPLES / "kubernetes-helm"
    probe = folder / "components/example.com/v1/Probe"
    texts = [
        templated("cache", folder / "charts/cache", {"replicas": 3, "cluster": "production"}),
        templated("often", probe, {"url": "http://cache:6379"}),
        templated("daily", probe, {"url": "http://cache:6379/deep", "schedule": "@daily"}),
    ]
    found = workloads("kubernetes-helm", "production")
    assert found == expected(texts, "cache")
    assert sum("helm.sh/hook" in each["metadata"].get("annotations", {}) for each in found.values()) == 2


@pytest.mark.parametrize(
    ("target", "domain", "inputs"),
    [
        ("staging", "staging.example.com", {"image": NEW_IMAGE, "replicas": 1, "tier": "small", "banner": "Preview"}),
        ("production", "example.com", {"image": OLD_IMAGE, "replicas": 3, "tier": "large", "banner": ""}),
    ],
)
def test_inputs_of_every_source_arrive(target: str, domain: str, inputs: Mapping[str, Any]) -> None:
    sees = {
        "values": {"domain": domain},
        "target": {"metadata": {"name": target}},
        "inputs": {**inputs, "database": {"host": f"db.{target}.internal", "port": 5432}},
    }
    sources = files_below(EXAMPLES / "kubernetes-targets/applications").values()
    texts = [jinja2.Environment().from_string(text).render(sees) for text in sources]
    assert workloads("kubernetes-targets", target) == expected(texts, "shop")


def test_shared_namespaces_have_one_owner() -> None:
    for target in ("staging", "production"):
        found = [path for path in files_below(golden("kubernetes-targets", target)) if "/namespace/" in path]
        assert found == ["_nyl/namespaces/metrics/namespace/metrics.yaml", "shop/web/namespace/shop.yaml"]


@each_tree
def test_a_tree_is_the_same_for_everybody(tmp_path: Path, example: str, target: str) -> None:
    world = ExampleWorld(tmp_path, example)
    world.commit()
    crlf = "[core]\n\tautocrlf = true\n\tquotePath = false\n\tignoreCase = true\n[diff]\n\tnoprefix = true\n"
    other = ExampleWorld(tmp_path / "elsewhere/ü b", example, crlf)
    other.git("clone", "-q", world.origin, "../clone")
    other.project = other.tmp / "clone"
    assert b"\r\n" in (other.project / "nyl.toml").read_bytes()
    there = {"TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "", "USER": "other", "HELM_NAMESPACE": "elsewhere"}
    other.carry().nyl("render-tree", "--target", target, "--no-cache", "--output-dir", other.out, environ=there)
    assert files_below(other.out / target) == world.carry().tree(target)


@each_tree
@pytest.mark.parametrize("concurrency", [1, 8])
def test_a_tree_is_the_same_at_any_parallelism(tmp_path: Path, example: str, target: str, concurrency: int) -> None:
    world = ExampleWorld(tmp_path, example).carry()
    workspace = Workspace.open(world.project, world.environ, SystemClock(), lambda event: None)
    options = RenderOptions(no_cache=True, concurrency=concurrency)
    render_tree(workspace, RenderTreeRequest(target, options, world.out))
    assert files_below(world.out / target) == files_below(golden(example, target))


def objects(texts: Iterable[str]) -> list[dict[str, Any]]:
    """The objects of some texts; those of a List one by one."""
    found = []
    for text in texts:
        for each in yaml.safe_load_all(text):
            if each and "kind" in each:
                found += each["items"] if each["kind"] == "List" else [each]
    return found


def by_identity(found: Iterable[dict[str, Any]]) -> dict[tuple[str, ...], dict[str, Any]]:
    """Objects by API version, kind, namespace and name."""
    named = {}
    for each in found:
        metadata = each["metadata"]
        key = (each["apiVersion"], each["kind"], metadata.get("namespace", ""), metadata["name"])
        assert key not in named
        named[key] = each
    return named


def workloads(example: str, target: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """The objects of a golden tree that its sources said."""
    files = files_below(golden(example, target)).items()
    return by_identity(
        objects(text for path, text in files if not path.startswith("_nyl/") and "/namespace/" not in path)
    )


def expected(texts: Iterable[str], namespace: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """What the sources say, the documents of nyl aside; objects of a namespaced kind without one are in `namespace`."""
    found = [each for each in objects(texts) if "nyl/v1" not in each["apiVersion"]]
    for each in found:
        if each["kind"] not in ("ClusterRole", "CustomResourceDefinition"):
            each["metadata"].setdefault("namespace", namespace)
    return by_identity(found)


def templated(name: str, chart: Path, values: Mapping[str, Any]) -> str:
    """What `helm template` prints of a chart."""
    versions = ["--kube-version", "v1.32.0", "--api-versions", "monitoring.coreos.com/v1"]
    command = [helm(), "template", name, chart, "--namespace", "cache", "--include-crds", *versions, "--values", "-"]
    done = subprocess.run(command, input=yaml.safe_dump(dict(values)), capture_output=True, text=True, check=True)
    return done.stdout


def kustomized(folder: Path, files: Mapping[str, str]) -> str:
    """What `kubectl kustomize` prints of some files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "kustomization.yaml").write_text(yaml.safe_dump({"resources": list(files)}))
    return subprocess.run([kubectl(), "kustomize", folder], capture_output=True, text=True, check=True).stdout
