"""Charts of other Git repositories."""

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.artifacts import CachedArtifacts
from nyl.kubernetes.expansion.context import Expansion, ExpansionContext, ExpansionProject
from nyl.kubernetes.manifests import Manifest
from tests.kubernetes.expansion.building import component, expander, helm_chart
from tests.support.environment import clean_environment
from tests.support.kubernetes_charts import MemoryTree, below, chart_files


class Origin:
    """A repository with charts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "origin"
        self._environ = clean_environment(folder / "origin-home")
        self.folder.mkdir()
        self.git("init", "-q", "-b", "main")
        self.url = f"file://{self.folder}"

    def git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, env=self._environ, capture_output=True, text=True).stdout.strip()

    def mktree(self, listing: str) -> str:
        command = ["git", "-C", str(self.folder), "mktree"]
        made = subprocess.run(
            command, check=True, env=self._environ, capture_output=True, text=True, input=listing + "\n"
        )
        return made.stdout.strip()

    def commit(self, files: Mapping[str, str]) -> str:
        for path, text in files.items():
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text(text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "charts")
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    return Origin(tmp_path)


def expand(folder: Path, *manifests: Manifest, offline: bool = False, refresh: bool = False) -> Expansion:
    artifacts = CachedArtifacts(folder / "artifacts", offline=offline, refresh=refresh)
    with expander(folder, artifacts=artifacts) as made:
        return made.expand(manifests, ExpansionContext(ExpansionProject(MemoryTree({}), ""), "web"))


def refused(folder: Path, *manifests: Manifest) -> tuple[str, str]:
    with pytest.raises(NylError) as caught:
        expand(folder, *manifests)
    assert caught.value.diagnostic.message.startswith("apps/web.yaml:5: ")
    return caught.value.diagnostic.code.value, caught.value.diagnostic.message


def chart(origin: Origin, version: str, name: str = "charts/web") -> Manifest:
    return helm_chart({"repository": f"git+{origin.url}", "name": name, "version": version})


def test_a_chart_is_read_at_its_tag_or_commit(tmp_path: Path, origin: Origin) -> None:
    first = origin.commit(below("charts/web", chart_files("web")))
    origin.git("tag", "v1")
    origin.git("tag", "-a", "-m", "annotated", "v1-annotated")
    origin.commit({"charts/web/values.yaml": "text: later\n"})
    wanted = [chart(origin, each) for each in (first, "v1", "v1-annotated")]
    found = expand(tmp_path, *wanted, component(f"git+{origin.url}#charts/web@v1", "web"))
    assert [each.value["data"] for each in found.manifests] == [{"text": "none"}] * 4
    assert found.manifests[1].provenance[-1] == f"HelmChart web (chart git+{origin.url}#charts/web@v1)"
    origin.folder.rename(tmp_path / "gone")
    assert expand(tmp_path, *wanted, offline=True).manifests == found.manifests[:3]


def test_a_chart_at_the_root_of_a_repository(tmp_path: Path, origin: Origin) -> None:
    origin.commit(chart_files("web"))
    origin.git("tag", "v1")
    assert len(expand(tmp_path, chart(origin, "v1", ".")).manifests) == 1


def test_a_tag_that_moved_is_followed_with_refresh_alone(tmp_path: Path, origin: Origin) -> None:
    origin.commit(below("charts/web", chart_files("web")))
    origin.git("tag", "v1")
    expand(tmp_path, chart(origin, "v1"))
    origin.commit({"charts/web/values.yaml": "text: later\n"})
    origin.git("tag", "-f", "v1")
    assert expand(tmp_path, chart(origin, "v1")).manifests[0].value["data"] == {"text": "none"}
    assert expand(tmp_path, chart(origin, "v1"), refresh=True).manifests[0].value["data"] == {"text": "later"}


def test_a_branch_is_no_version(tmp_path: Path, origin: Origin) -> None:
    origin.commit(below("charts/web", chart_files("web")))
    code, message = refused(tmp_path, chart(origin, "main"))
    assert code == "NYL-CHART-UNPINNED"
    assert "'main', which is no tag of the repository" in message


def test_what_is_not_there_is_named(tmp_path: Path, origin: Origin) -> None:
    commit = origin.commit({"README.md": "x"})
    code, message = refused(tmp_path, chart(origin, commit))
    assert (code, f"commit {commit} has no charts/web/Chart.yaml" in message) == ("NYL-CHART-MISSING", True)
    assert refused(tmp_path, chart(origin, "0" * 40))[0] == "NYL-SOURCE-MISSING"


def test_a_tree_with_names_that_lead_out_of_the_chart_is_refused(tmp_path: Path, origin: Origin) -> None:
    origin.commit(below("charts/web", chart_files("web")))
    evil = origin.git("hash-object", "-w", "charts/web/values.yaml")
    inner = origin.mktree(f"100644 blob {evil}\tevil.yaml")
    web = origin.git("ls-tree", "HEAD:charts/web") + f"\n040000 tree {inner}\t.."
    charts = origin.mktree(f"040000 tree {origin.mktree(web)}\tweb")
    commit = origin.git("commit-tree", "-m", "evil", origin.mktree(f"040000 tree {charts}\tcharts"))
    origin.git("tag", "evil", commit)
    code, message = refused(tmp_path, chart(origin, "evil"))
    assert code in ("NYL-CHART-FAILED", "NYL-CHART-MISSING")
    assert "../evil.yaml" in message


def test_a_symlink_in_a_chart_is_refused(tmp_path: Path, origin: Origin) -> None:
    (origin.folder / "charts/web").mkdir(parents=True)
    (origin.folder / "charts/web/values.yaml").symlink_to("/etc/passwd")
    commit = origin.commit({"charts/web/Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n"})
    assert refused(tmp_path, chart(origin, commit))[0] == "NYL-PATH-REFUSED"
