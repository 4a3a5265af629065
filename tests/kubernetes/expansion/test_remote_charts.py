"""Charts of repositories and registries, and RemoteManifests, from a real server."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion import archives, downloads
from nyl.kubernetes.expansion.artifacts import CachedArtifacts
from nyl.kubernetes.expansion.context import Expansion, ExpansionContext, ExpansionProject
from nyl.kubernetes.manifests import Manifest
from tests.kubernetes.expansion.building import component, expander, helm_chart, manifest
from tests.support.chart_server import ChartServer, chart_server
from tests.support.kubernetes_charts import MemoryTree, chart_files, packed
from tests.support.kubernetes_tools import HELM_VERSIONS

SECRET = (
    b"apiVersion: v1\nkind: Secret\nmetadata: {name: one}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: two}\n"
)


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChartServer]:
    with chart_server(tmp_path) as running:
        for name, value in running.environ.items():
            monkeypatch.setenv(name, value)
        yield running


def expand(folder: Path, *manifests: Manifest, version: str = "helm3", **options: Any) -> Expansion:
    artifacts = CachedArtifacts(folder / "artifacts", **options)
    project = ExpansionProject(MemoryTree({}), "")
    with expander(folder, version, artifacts=artifacts) as made:
        return made.expand(manifests, ExpansionContext(project, "web"))


def refused(folder: Path, *manifests: Manifest, **options: Any) -> tuple[str, str]:
    with pytest.raises(NylError) as caught:
        expand(folder, *manifests, **options)
    assert caught.value.diagnostic.message.startswith("apps/web.yaml:5: ")
    return caught.value.diagnostic.code.value, caught.value.diagnostic.message


def remote(url: str, data: bytes = SECRET) -> Manifest:
    spec = {"url": url, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}"}
    return manifest({"apiVersion": "k8s.nyl/v1", "kind": "RemoteManifest", "metadata": {"name": "crds"}, "spec": spec})


@pytest.mark.parametrize("version", HELM_VERSIONS)
def test_a_chart_of_a_repository_or_registry_is_pulled_once(tmp_path: Path, server: ChartServer, version: str) -> None:
    server.add_chart("web", "1.2.3", chart_files("web"))
    server.add_chart("web", "1.3.0", chart_files("web"))
    charts = [
        helm_chart({"repository": server.url, "name": "web", "version": "1.2.3"}, values={"text": "a"}),
        helm_chart({"repository": f"{server.registry}/charts", "name": "web", "version": "1.2.3"}),
        component(f"{server.registry}/charts/web@1.2.3", "third"),
        component(f"{server.url}#web@1.3.0", "fourth"),
    ]
    found = expand(tmp_path, *charts, version=version)
    assert [each.value["kind"] for each in found.manifests] == ["ConfigMap"] * 4
    assert found.manifests[0].provenance[-1] == f"HelmChart web (chart {server.url}#web@1.2.3)"
    assert not found.sources
    asked = len(server.requests)
    assert expand(tmp_path, *charts, version=version) == found
    assert expand(tmp_path, *charts, version=version, offline=True) == found
    assert len(server.requests) == asked


def test_refresh_fetches_once_more(tmp_path: Path, server: ChartServer) -> None:
    chart = helm_chart({"repository": server.url, "name": "web", "version": "1.2.3"})
    server.add_chart("web", "1.2.3", chart_files("web"))
    expand(tmp_path, chart)
    server.add_chart("web", "1.2.3", {**chart_files("web"), "values.yaml": "text: new\n"})
    assert expand(tmp_path, chart).manifests[0].value["data"] == {"text": "none"}
    assert expand(tmp_path, chart, refresh=True).manifests[0].value["data"] == {"text": "new"}


def test_a_damaged_file_of_the_cache_is_fetched_again(tmp_path: Path, server: ChartServer) -> None:
    chart = helm_chart({"repository": server.url, "name": "web", "version": "1.2.3"})
    server.add_chart("web", "1.2.3", chart_files("web"))
    found = expand(tmp_path, chart)
    for kept in (tmp_path / "artifacts").iterdir():
        kept.write_bytes(kept.read_bytes()[:-9])
    (tmp_path / "cache.sqlite").unlink()
    assert expand(tmp_path, chart) == found


def test_offline_names_what_is_missing_and_what_to_do(tmp_path: Path, server: ChartServer) -> None:
    server.add_chart("web", "1.2.3", chart_files("web"))
    chart = helm_chart({"repository": server.url, "name": "web", "version": "1.2.3"})
    code, message = refused(tmp_path, chart, offline=True)
    assert code == "NYL-DOWNLOAD-FAILED"
    assert f"the chart {server.url}#web@1.2.3 is not in the cache" in message
    assert refused(tmp_path, remote(f"{server.url}/x.yaml"), offline=True)[0] == "NYL-DOWNLOAD-FAILED"
    assert not server.requests


@pytest.mark.parametrize("version", HELM_VERSIONS)
def test_a_version_that_is_not_there_is_told_in_helms_words(tmp_path: Path, server: ChartServer, version: str) -> None:
    server.add_chart("web", "1.2.3", chart_files("web"))
    for repository in (server.url, f"{server.registry}/charts"):
        chart = helm_chart({"repository": repository, "name": "web", "version": "9.9.9"})
        code, message = refused(tmp_path, chart, version=version)
        assert code == "NYL-DOWNLOAD-FAILED"
        assert "9.9.9" in message


@pytest.mark.parametrize(
    ("archive", "told"),
    [
        (b"no archive", "neither packed with gzip nor a tar"),
        (packed("web", {"../../x": "y"}), "leads out of it"),
        (packed("web", {"values.yaml": "y"}), "holds no Chart.yaml"),
        (packed("web", {"Chart.yaml": b"\0" * (2 * 1024 * 1024)}), "larger than 1 MiB"),
    ],
)
def test_a_hostile_archive_is_refused(
    tmp_path: Path, server: ChartServer, archive: bytes, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1024 * 1024)
    server.add_chart("web", "1.2.3", chart_files("web"))
    server.files["/web-1.2.3.tgz"] = archive
    chart = helm_chart({"repository": server.url, "name": "web", "version": "1.2.3"})
    code, message = refused(tmp_path, chart)
    assert code == "NYL-CHART-MISSING"
    assert told in message
    server.add_chart("web", "1.2.3", chart_files("web"))
    assert len(expand(tmp_path, chart).manifests) == 1


def test_a_remote_manifest_is_replaced_by_its_objects(tmp_path: Path, server: ChartServer) -> None:
    server.files["/two.yaml"] = SECRET
    server.redirects["/two"] = "/two.yaml"
    found = expand(tmp_path, remote(f"{server.url}/two"))
    assert [each.value["metadata"]["name"] for each in found.manifests] == ["one", "two"]
    assert found.manifests[0].provenance == ("apps/web.yaml:5", f"RemoteManifest crds ({server.url}/two)")
    assert expand(tmp_path, remote(f"{server.url}/two")) == found
    assert server.requests == ["/two", "/two.yaml"]


def test_a_file_that_is_not_the_one_of_the_digest_is_refused(tmp_path: Path, server: ChartServer) -> None:
    server.files["/x.yaml"] = b"other"
    code, message = refused(tmp_path, remote(f"{server.url}/x.yaml"))
    assert code == "NYL-DOWNLOAD-CHANGED"
    assert hashlib.sha256(b"other").hexdigest() in message
    server.files["/x.yaml"] = SECRET
    assert len(expand(tmp_path, remote(f"{server.url}/x.yaml")).manifests) == 2


def test_a_file_that_cannot_be_had_is_told_with_the_reason(
    tmp_path: Path, server: ChartServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "404" in refused(tmp_path, remote(f"{server.url}/nothing"))[1]
    server.redirects["/plain"] = "http://127.0.0.1:9/x"
    assert "is not https" in refused(tmp_path, remote(f"{server.url}/plain"))[1]
    server.redirects["/round"] = "/round"
    assert "more than 5 times" in refused(tmp_path, remote(f"{server.url}/round"))[1]
    monkeypatch.setattr(downloads, "MOST_BYTES", 10)
    server.files["/large"] = SECRET
    assert "larger than" in refused(tmp_path, remote(f"{server.url}/large"))[1]
    assert "cannot be fetched: no connection could be made (" in refused(tmp_path, remote("https://127.0.0.1:1/x"))[1]


def test_a_server_that_is_busy_for_a_moment_is_asked_again(tmp_path: Path, server: ChartServer) -> None:
    server.files["/two.yaml"] = SECRET
    server.statuses["/two.yaml"] = [503, 502]
    assert len(expand(tmp_path, remote(f"{server.url}/two.yaml")).manifests) == 2


@pytest.mark.parametrize("data", [b"a: [", b"\xff\xfe", b"just text"])
def test_a_file_that_is_no_kubernetes_yaml_is_refused(tmp_path: Path, server: ChartServer, data: bytes) -> None:
    server.files["/x.yaml"] = data
    _, message = refused(tmp_path, remote(f"{server.url}/x.yaml", data))
    assert "RemoteManifest crds" in message
