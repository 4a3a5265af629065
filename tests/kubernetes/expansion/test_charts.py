"""Where charts are found, and what they are made of."""

import subprocess
from pathlib import Path

import pytest

from nyl.core.clock import SystemClock
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.git.repository import Repository
from nyl.git.status import worktree_changes
from nyl.project.trees import CommitTree, WorktreeTree
from tests.kubernetes.expansion.building import component, expand, helm_chart
from tests.support.environment import clean_environment
from tests.support.kubernetes_charts import MemoryTree, below, chart_files, packed


def told(path: Path, files: dict[str, str | bytes], *arguments: object, **options: object) -> tuple[str, str]:
    """Code and message of the error that an expansion ends with."""
    with pytest.raises(NylError) as caught:
        expand(path, files, *arguments, **options)  # type: ignore[arg-type]
    return caught.value.diagnostic.code.value, caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("chart", "folder"),
    [
        ("./charts/web", "deploy/charts/web"),
        ("../shared/web", "shared/web"),
        ("/shared/web", "shared/web"),
        ("web", "deploy/charts/web"),
        ("group/web", "deploy/charts/group/web"),
        ("./", "deploy"),
    ],
)
def test_a_local_chart_is_relative_to_the_project_and_a_bare_name_is_searched(
    tmp_path: Path, chart: str, folder: str
) -> None:
    found = expand(tmp_path, below(folder, chart_files("web")), helm_chart(chart), within="deploy")
    assert found.manifests[0].helm_source == "web/templates/config.yaml"
    assert set(found.sources) == {f"{folder}/{each}" for each in chart_files("web")}


def test_the_first_search_path_that_has_a_chart_wins(tmp_path: Path) -> None:
    files = {**below("two/web", chart_files("second")), **below("three/web", chart_files("third"))}
    found = expand(tmp_path, files, helm_chart("web"), helm_chart_search_paths=("one", "two", "three"))
    assert found.manifests[0].helm_source == "second/templates/config.yaml"
    assert found.folders == {"one/web", "two/web"}


def test_a_chart_that_is_nowhere_names_where_it_was_looked_for(tmp_path: Path) -> None:
    code, message = told(tmp_path, {}, helm_chart("web"), helm_chart_search_paths=("one", "two"))
    assert code == "NYL-CHART-MISSING"
    assert "apps/web.yaml:5" in message
    assert "one/web/Chart.yaml and two/web/Chart.yaml" in message


def test_a_component_is_not_looked_for_among_charts(tmp_path: Path) -> None:
    files = below("charts/example.com/v1/Web", chart_files("web"))
    assert told(tmp_path, files, component("example.com/v1/Web"))[0] == "NYL-CHART-MISSING"


def test_a_path_out_of_the_repository_is_refused(tmp_path: Path) -> None:
    assert told(tmp_path, {}, helm_chart("../../web"), within="deploy")[0] == "NYL-PATH-REFUSED"


@pytest.mark.parametrize(("link", "chart"), [("charts", "./charts/web"), ("charts/web/templates/x.yaml", "web")])
def test_no_symlink_on_the_way_to_a_chart_or_in_it_is_followed(tmp_path: Path, link: str, chart: str) -> None:
    files = {} if link == "charts" else below("charts/web", chart_files("web"))
    code, message = told(tmp_path, {}, helm_chart(chart), tree=MemoryTree(files, links=[link]))
    assert code == "NYL-PATH-REFUSED"
    assert link in message
    assert "symlink" in message


def test_a_pointer_of_git_lfs_in_a_chart_is_refused(tmp_path: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
    files = below("charts/web", {**chart_files("web"), "charts/part-1.0.0.tgz": pointer})
    code, message = told(tmp_path, files, helm_chart("web"))
    assert code == "NYL-SOURCE-INPUT"
    assert "charts/web/charts/part-1.0.0.tgz" in message


def test_dependencies_of_a_chart_are_taken_from_its_folder(tmp_path: Path) -> None:
    declared = "dependencies: [{name: part, version: 1.2.3, repository: https://charts.example.com}]\n"
    chart = chart_files("web", {})
    chart["Chart.yaml"] += declared
    files = {**below("charts/web", chart), "charts/web/charts/part-1.2.3.tgz": packed("part", chart_files("part"))}
    found = expand(tmp_path, files, helm_chart("web"))
    assert found.manifests[0].helm_source == "web/charts/part/templates/config.yaml"


def test_dependencies_that_are_not_there_are_named_with_what_to_do(tmp_path: Path) -> None:
    declared = "dependencies: [{name: part, version: 1.2.3, repository: https://charts.example.com}]\n"
    chart = chart_files("web")
    chart["Chart.yaml"] += declared
    with pytest.raises(NylError) as caught:
        expand(tmp_path, below("charts/web", chart), helm_chart("web"))
    assert caught.value.diagnostic.code.value == "NYL-CHART-FAILED"
    assert "its dependencies part are not in its folder charts/" in caught.value.diagnostic.message
    assert "helm dependency build" in caught.value.diagnostic.fix


def test_values_that_a_chart_refuses_are_told_in_its_words(tmp_path: Path) -> None:
    schema = '{"type": "object", "properties": {"text": {"type": "string"}}}'
    files = below("charts/web", {**chart_files("web"), "values.schema.json": schema})
    code, message = told(tmp_path, files, helm_chart("web", values={"text": 3}))
    assert code == "NYL-CHART-FAILED"
    assert "text" in message
    assert "HelmChart web" in message


def test_a_schema_that_refers_to_the_network_never_reaches_it(tmp_path: Path) -> None:
    schema = '{"$ref": "https://127.0.0.1:9/schema.json"}'
    files = below("charts/web", {**chart_files("web"), "values.schema.json": schema})
    assert told(tmp_path, files, helm_chart("web"))[0] == "NYL-CHART-FAILED"


@pytest.mark.parametrize("commits", [True, False])
def test_charts_are_read_from_git_visible_files_alone(tmp_path: Path, commits: bool) -> None:
    root = tmp_path / "project"
    environ = clean_environment(tmp_path / "home")
    for path, text in below("charts/web", chart_files("web")).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".gitignore").write_text("ignored.yaml\n")
    git = ["git", "-C", str(root)]
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *arguments], check=True, env=environ)
    (root / "charts/web/templates/ignored.yaml").write_text("this is: {{ no template")
    (root / "charts/web/values.yaml").write_text("text: changed\n")
    repository = Repository.discover(root, environ, SystemClock())
    with ObjectReader(repository) as reader:
        commit = CommitTree(reader, repository.resolve("HEAD") or "", "")
        tree = commit if commits else WorktreeTree(root, commit, worktree_changes(repository, ""), "")
        found = expand(tmp_path, {}, helm_chart("web"), tree=tree)
    assert [each.value["data"] for each in found.manifests] == [{"text": "none" if commits else "changed"}]
