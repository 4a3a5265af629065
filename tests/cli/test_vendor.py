"""`nyl vendor` on the command line."""

import pytest

from tests.support.chart_server import chart_server
from tests.support.kubernetes_project import PROJECT
from tests.support.world import World

REMOTE = """
---
apiVersion: k8s.nyl/v1
kind: RemoteManifest
metadata: {name: more}
spec: {url: '%s/more.yaml', digest: 'sha256:0e4c1e8a0b6f52e3ad6b8ac3fa8e31b0a3ec5f1b5a5d3b8c1f7b0b6a5c3d2e1f'}
"""


@pytest.fixture
def project(world: World) -> World:
    for path, text in PROJECT.items():
        world.write(path, text)
    return world.write("nyl.toml", '[vendor]\nmode = "preferred"\n')


def test_a_project_that_needs_nothing_from_elsewhere_says_so(project: World) -> None:
    assert project.nyl("vendor").stdout == "nothing comes from elsewhere\n"
    assert project.nyl("vendor", "--check").stdout == "nothing comes from elsewhere\n"


def test_what_is_missing_leads_to_exit_2_with_the_command_that_captures_it(project: World) -> None:
    path = "applications/platform/web.yaml"
    project.write(path, f"{PROJECT[path]!s}{REMOTE % 'https://127.0.0.1:9'}")
    found = project.nyl("vendor", "--check", exits=2)
    assert found.stdout.startswith("added   the file https://127.0.0.1:9/more.yaml@sha256:0e4c")
    assert "NYL-VENDOR-STALE" in found.stderr
    assert "run `nyl vendor` and commit what it writes" in found.stderr
    assert project.report("vendor", "--check", exits=2).json["details"]["captured"] == 0


def test_a_file_that_is_not_the_one_of_the_digest_ends_with_exit_1(project: World) -> None:
    with chart_server(project.tmp) as server:
        server.files["/more.yaml"] = b"other"
        path = "applications/platform/web.yaml"
        project.write(path, f"{PROJECT[path]!s}{REMOTE % server.url}")
        found = project.nyl("vendor", exits=1, environ=server.environ)
    assert "NYL-DOWNLOAD-CHANGED (applications/platform/web.yaml:11)" in found.stderr
    assert not (project.project / "vendor").exists()


def test_a_check_cannot_refresh(project: World) -> None:
    assert "--check fetches nothing" in project.nyl("vendor", "--check", "--refresh", exits=1).stderr


def test_disabled_vendoring_is_told_with_the_setting(project: World) -> None:
    project.write("nyl.toml", "")
    assert "NYL-VENDOR-DISABLED" in project.nyl("vendor", exits=1).stderr
