"""`nyl vendor`: everything that comes from elsewhere is captured, and rendered without anybody else."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from nyl.core.clock import SystemClock
from nyl.core.diagnostics import NylError
from nyl.core.exits import Exit
from nyl.engine.results import Report
from nyl.engine.vendoring import VendorRequest, vendor
from nyl.engine.workspace import Workspace
from nyl.git.repository import Repository
from tests.project.repositories import ENVIRON, commit_all, new_repository
from tests.support.chart_server import ChartServer, chart_server
from tests.support.kubernetes_charts import below, chart_files
from tests.support.kubernetes_project import PROJECT
from tests.support.kubernetes_session import Site
from tests.support.kubernetes_tools import helm, tool_path

SECRET = b"apiVersion: v1\nkind: Secret\nmetadata: {name: remote}\n"
RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: web, namespace: web}
spec:
  inputs:
    size: {type: integer}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {size: "{{ inputs.size }}"}
---
apiVersion: k8s.nyl/v1
kind: HelmChart
metadata: {name: shop}
spec:
  chart: {repository: '@URL@', name: web, version: 1.2.3}
---
apiVersion: components.k8s.nyl/v1
kind: 'git+@OTHER@#charts/git@v1'
metadata: {name: of-git}
---
apiVersion: k8s.nyl/v1
kind: RemoteManifest
metadata: {name: crds}
spec: {url: '@URL@/secret.yaml', digest: '@DIGEST@'}
"""
BINDING = """\
  releaseInputs:
    platform/web:
      size:
        fromGit: {repository: {repoURL: '@OTHER@'}, revision: main, commit: @COMMIT@, path: sizes.yaml, pointer: /web}
"""
REMOTE_GROUP = """\
apiVersion: k8s.gitops.nyl/v1
kind: ApplicationGroup
metadata: {name: elsewhere}
spec:
  source:
    repository: {repoURL: '@OTHER@'}
    revision: main
    commit: @COMMIT@
    path: apps
"""
REMOTE_RELEASE = """\
apiVersion: k8s.nyl/v1
kind: Release
metadata: {name: far, namespace: far}
---
apiVersion: components.k8s.nyl/v1
kind: far/v1/App
metadata: {name: far-app}
"""


class Vendored:
    """A project that takes something from everywhere, and those that it takes it from."""

    def __init__(self, folder: Path, server: ChartServer, mode: str = "preferred") -> None:
        self.server = server
        server.add_chart("web", "1.2.3", chart_files("web"))
        server.files["/secret.yaml"] = SECRET
        self.other = other_repository(folder / "other")
        self.site = Site(folder, self._files(mode), folder="deploy")
        self.site.environ.update(server.environ)
        self.root = self.site.root

    def _files(self, mode: str) -> Mapping[str, str]:
        replaced = {
            "URL": self.server.url,
            "OTHER": f"file://{self.other.root}",
            "COMMIT": self.other.resolve("HEAD") or "",
            "DIGEST": f"sha256:{hashlib.sha256(SECRET).hexdigest()}",
        }
        files = {
            **PROJECT,
            "target.yaml": f"{PROJECT['target.yaml']!s}{BINDING}",
            "elsewhere.yaml": REMOTE_GROUP,
            "applications/platform/web.yaml": RELEASE,
            "nyl.toml": f'[vendor]\nmode = "{mode}"\n',
        }
        for name, text in replaced.items():
            files = {path: str(content).replace(f"@{name}@", text) for path, content in files.items()}
        return files

    def vendor(self, *, check: bool = False, prune: bool = False, refresh: bool = False) -> Report:
        environ = {**ENVIRON, **self.server.environ, "PATH": os.environ["PATH"]}
        place = Workspace.open(self.root / "deploy", environ, SystemClock(), lambda event: None)
        return vendor(place, VendorRequest(check, prune, refresh))

    def mode(self, mode: str) -> None:
        self.site.write({"nyl.toml": f'[vendor]\nmode = "{mode}"\n'})

    def forget(self) -> None:
        """Lets nothing be had from elsewhere, and nothing that was rendered or fetched before."""
        import shutil

        self.site.cache.close()
        assert self.other.root is not None
        if self.other.root.exists():
            self.other.root.rename(self.other.root.with_name("gone"))
        self.server.files.clear()
        for place in (self.site.cache_folder, self.root / "deploy" / ".nyl"):
            shutil.rmtree(place, ignore_errors=True)

    def captured(self) -> dict[str, bytes]:
        folder = self.root / "deploy" / "vendor"
        return {str(each.relative_to(folder)): each.read_bytes() for each in folder.rglob("*") if each.is_file()}


def other_repository(root: Path) -> Repository:
    """Another repository with a chart, a locked file, and Releases with a component."""
    repository = new_repository(root)
    files = {
        **below("charts/git", chart_files("git")),
        **below("components/far/v1/App", chart_files("far")),
        "apps/far.yaml": REMOTE_RELEASE,
        "apps/deep/README.md": "x",
        "sizes.yaml": "web: 3\n",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    commit_all(repository)
    repository.checked("tag", "v1")
    return repository


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Vendored]:
    with chart_server(tmp_path) as running:
        for name, value in {**running.environ, "PATH": tool_path(helm())}.items():
            monkeypatch.setenv(name, value)
        yield Vendored(tmp_path, running)


def codes(report: Report) -> list[str]:
    return [each.code.value for each in report.all_diagnostics]


def test_everything_that_comes_from_elsewhere_is_captured_and_rendered_without_it(project: Vendored) -> None:
    before = project.site.texts()
    report = project.vendor()
    assert report.exit is Exit.OK
    other = f"file://{project.other.root}"
    commit = project.other.resolve("HEAD")
    assert report.details["added"] == [
        f"@chart/git+{other}#charts/git@v1",
        f"@chart/{project.server.url}#web@1.2.3",
        f"@file/{other}@{commit}/nyl.toml",
        f"@git/{other}@{commit}/sizes.yaml",
        f"@manifest/{project.server.url}/secret.yaml@sha256:{hashlib.sha256(SECRET).hexdigest()}",
        f"@tree/{other}@{commit}/apps",
        f"@tree/{other}@{commit}/components/far/v1/App",
    ]
    project.site.commit()
    project.mode("required")
    project.forget()
    assert project.site.texts() == before
    assert project.site.texts() == before
    assert project.vendor(check=True).exit is Exit.OK


def test_capturing_again_changes_nothing_and_asks_nobody(project: Vendored) -> None:
    project.vendor()
    kept = project.captured()
    asked = len(project.server.requests)
    again = project.vendor()
    assert (again.details["added"], again.details["changed"], again.details["files"]) == ([], [], [])
    assert project.captured() == kept
    assert len(project.server.requests) == asked


def test_a_check_says_what_is_missing_and_writes_nothing(project: Vendored) -> None:
    project.forget()
    report = project.vendor(check=True)
    assert report.exit is Exit.WAITING
    assert set(codes(report)) == {"NYL-VENDOR-STALE"}
    assert not (project.root / "deploy" / "vendor").exists()
    assert not project.server.requests


def test_a_new_version_is_stale_until_it_is_captured(project: Vendored) -> None:
    project.vendor()
    project.server.add_chart("web", "1.3.0", chart_files("web"))
    path = project.root / "deploy/applications/platform/web.yaml"
    path.write_text(path.read_text().replace("version: 1.2.3", "version: 1.3.0"))
    report = project.vendor(check=True)
    assert report.exit is Exit.WAITING
    assert "web@1.3.0 is not in the vendor folder deploy/vendor" in report.diagnostics[0].message
    project.mode("required")
    assert [each.code.value for each in project.site.problems()] == ["NYL-VENDOR-MISSING"]
    assert project.vendor().details["added"] == [f"@chart/{project.server.url}#web@1.3.0"]
    assert project.vendor(check=True).exit is Exit.OK


def test_what_no_target_needs_any_more_goes_with_prune_alone(project: Vendored) -> None:
    project.vendor()
    path = project.root / "deploy/applications/platform/web.yaml"
    path.write_text(path.read_text().partition("---\napiVersion: k8s.nyl/v1\nkind: HelmChart")[0])
    assert project.vendor(check=True).exit is Exit.OK
    stale = project.vendor(check=True, prune=True)
    assert stale.exit is Exit.WAITING
    assert len(stale.details["removed"]) == 3
    assert project.vendor().details["removed"] == []
    pruned = project.vendor(prune=True)
    assert len(pruned.details["removed"]) == 3
    assert project.vendor(check=True, prune=True).exit is Exit.OK
    assert len([name for name in project.captured() if name.startswith("files/")]) == 4


def test_refresh_captures_what_is_there_now(project: Vendored) -> None:
    project.vendor()
    project.server.add_chart("web", "1.2.3", {**chart_files("web"), "values.yaml": "text: later\n"})
    assert project.vendor().details["changed"] == []
    assert project.vendor(refresh=True).details["changed"] == [f"@chart/{project.server.url}#web@1.2.3"]


def test_damage_is_an_error_of_a_check_and_captured_again(project: Vendored) -> None:
    project.vendor()
    kept = project.captured()
    name = next(each for each in kept if each.startswith("files/"))
    (project.root / "deploy/vendor" / name).write_bytes(b"evil")
    report = project.vendor(check=True)
    assert report.exit is Exit.ERROR
    assert "NYL-VENDOR-CORRUPT" in codes(report)
    project.vendor()
    assert project.captured() == kept


def test_a_damaged_index_is_replaced_with_refresh_alone(project: Vendored) -> None:
    project.vendor()
    kept = project.captured()
    (project.root / "deploy/vendor/index.json").write_text("{")
    with pytest.raises(NylError, match="NYL-VENDOR-CORRUPT"):
        project.vendor()
    project.vendor(refresh=True)
    assert project.captured() == kept


def test_nothing_is_written_when_a_target_does_not_render(project: Vendored) -> None:
    project.site.write({"applications/platform/web.yaml": RELEASE.replace("@URL@", "https://127.0.0.1:1")})
    with pytest.raises(NylError):
        project.vendor()
    assert not (project.root / "deploy" / "vendor").exists()


def test_publication_state_is_read_and_never_captured(project: Vendored, tmp_path: Path) -> None:
    deploy = new_repository(tmp_path / "branch")
    (tmp_path / "branch/prod/state").mkdir(parents=True)
    (tmp_path / "branch/prod/state/sizes.json").write_text('{"web": 5}')
    commit_all(deploy)
    deploy.checked("branch", "deploy")
    repository = str(PROJECT["repository.yaml"]).replace(
        "https://git.example.com/team/deploy.git", f"file://{deploy.root}"
    )
    binding = "  releaseInputs: {platform/web: {size: {fromPublication: {path: state/sizes.json, pointer: /web}}}}\n"
    project.site.write({"repository.yaml": repository, "target.yaml": f"{PROJECT['target.yaml']!s}{binding}"})
    report = project.vendor()
    kinds = {key.partition("/")[0] for key in report.details["added"]}
    assert kinds == {"@chart", "@file", "@manifest", "@tree"}
    (tmp_path / "branch").rename(tmp_path / "unreachable")
    assert project.vendor(check=True).exit is Exit.OK


def test_a_project_without_vendoring_is_told_how_to_ask_for_it(project: Vendored) -> None:
    project.mode("disabled")
    with pytest.raises(NylError, match="NYL-VENDOR-DISABLED") as caught:
        project.vendor()
    assert 'mode = "preferred"' in caught.value.diagnostic.fix


def test_a_folder_that_git_ignores_is_refused(project: Vendored) -> None:
    (project.root / ".gitignore").write_text("vendor/\n")
    with pytest.raises(NylError, match="NYL-VENDOR-IGNORED"):
        project.vendor()


def test_captured_files_are_kept_exactly_by_git(project: Vendored) -> None:
    (project.root / ".gitattributes").write_text("* text=auto eol=crlf\n")
    (project.root / ".gitignore").write_text("*.json\nfiles\n")
    project.vendor()
    commit = project.site.commit()
    project.mode("required")
    project.forget()
    session = project.site.session(commit)
    assert session.project.config.vendor.mode == "preferred"
    assert len(session.tree.files((".json",))) == 1
    assert project.site.texts()
