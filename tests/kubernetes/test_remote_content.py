"""Compiling targets with what comes from elsewhere: cached, refreshed, offline and vendored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.session import RenderOptions
from tests.support.chart_server import ChartServer, chart_server
from tests.support.kubernetes_charts import chart_files
from tests.support.kubernetes_project import PROJECT
from tests.support.kubernetes_session import Site
from tests.support.kubernetes_tools import helm, tool_path

SETTINGS = "platform/web/configmap/web/shop.yaml"
RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
---
apiVersion: k8s.nyl/v1
kind: HelmChart
metadata: {name: shop}
spec:
  chart: {repository: %s, name: web, version: 1.2.3}
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChartServer]:
    with chart_server(tmp_path) as running:
        for name, value in {**running.environ, "PATH": tool_path(helm())}.items():
            monkeypatch.setenv(name, value)
        running.add_chart("web", "1.2.3", chart_files("web"))
        yield running


def site(tmp_path: Path, server: ChartServer, **files: str) -> Site:
    named = {name.replace("__", "/").replace("_", "."): text for name, text in files.items()}
    made = Site(tmp_path, {**PROJECT, "applications/platform/web.yaml": RELEASE % server.url, **named})
    made.environ.update(server.environ)
    return made


def change(server: ChartServer) -> None:
    """Lets the repository offer something else under the same version."""
    server.add_chart("web", "1.2.3", {**chart_files("web"), "values.yaml": "text: later\n"})


def test_a_chart_is_laid_out_with_its_source_and_provenance(tmp_path: Path, server: ChartServer) -> None:
    assert site(tmp_path, server).texts()[SETTINGS] == (
        "# Source: web/templates/config.yaml\n"
        "# Nyl-Provenance: applications/platform/web.yaml\n"
        f"# Nyl-Provenance: HelmChart shop (chart {server.url}#web@1.2.3)\n"
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: shop\n  namespace: web\ndata:\n  text: none\n"
    )


def test_a_warm_rendering_asks_nobody_and_refresh_brings_what_is_there_now(tmp_path: Path, server: ChartServer) -> None:
    project = site(tmp_path, server)
    first = project.texts()
    asked = len(server.requests)
    change(server)
    assert project.texts() == first
    assert project.texts(options=RenderOptions(offline=True)) == first
    assert len(server.requests) == asked
    assert "text: later" in project.texts(options=RenderOptions(refresh=True))[SETTINGS]
    assert "text: later" in project.texts()[SETTINGS]


def test_a_release_is_rendered_again_when_what_it_took_from_elsewhere_is_gone(
    tmp_path: Path, server: ChartServer
) -> None:
    project = site(tmp_path, server)
    project.texts()
    for kept in (tmp_path / "cache" / "artifacts").iterdir():
        kept.unlink()
    with pytest.raises(NylError, match="NYL-DOWNLOAD-FAILED"):
        project.texts(options=RenderOptions(offline=True))
    change(server)
    assert "text: later" in project.texts()[SETTINGS]


def test_the_working_folder_of_a_local_chart_is_part_of_the_index(tmp_path: Path, server: ChartServer) -> None:
    local = {f"charts/web/{path}": text for path, text in chart_files("web").items()}
    release = RELEASE.replace("{repository: %s, name: web, version: 1.2.3}", "{name: web}")
    project = Site(tmp_path, {**PROJECT, **local, "applications/platform/web.yaml": release})
    tree = project.compile()
    assert set(local) <= set(tree.inputs)
    project.write({"charts/web/values.yaml": "text: changed\n"})
    assert "text: changed" in project.texts()[SETTINGS]
    project.write({"charts/web/templates/more.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: more}\n"})
    assert "platform/web/configmap/web/more.yaml" in project.texts()
    project.remove("charts/web/templates/more.yaml")
    assert "platform/web/configmap/web/more.yaml" not in project.texts()
