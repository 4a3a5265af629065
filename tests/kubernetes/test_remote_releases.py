"""Groups whose Releases are in another repository, at a locked commit."""

import hashlib
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.git.repository import Repository
from tests.project.repositories import commit_all, new_repository
from tests.support.kubernetes_project import PROJECT, RELEASE
from tests.support.kubernetes_session import Site


def source(root: Path, **files: str) -> tuple[Repository, str]:
    """A repository that holds a Release, and its commit."""
    repository = new_repository(root)
    for name, text in {"apps/web": RELEASE, **{key.replace("__", "/"): text for key, text in files.items()}}.items():
        path = root / f"{name}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return repository, commit_all(repository)


def site(tmp_path: Path, commit: str, path: str = "apps") -> Site:
    group = str(PROJECT["group.yaml"]).replace(
        "spec: {}",
        f"spec:\n  source:\n    repository: {{repoURL: 'file://{tmp_path}/shared'}}\n    revision: main\n"
        f"    commit: {commit}\n    path: {path}\n",
    )
    files = {name: text for name, text in PROJECT.items() if not name.startswith("applications/")}
    return Site(tmp_path / "site", {**files, "group.yaml": group})


def test_releases_of_a_locked_commit_are_rendered_with_the_values_of_the_target(tmp_path: Path) -> None:
    _, commit = source(tmp_path / "shared")
    here = site(tmp_path, commit)
    text = here.texts()["platform/web/configmap/web/settings.yaml"]
    assert text.startswith(f"# Nyl-Provenance: apps/web.yaml of file://{tmp_path}/shared\n")
    assert "region: eu" in text


def test_the_index_names_files_of_the_other_repository_by_their_lock(tmp_path: Path) -> None:
    _, commit = source(tmp_path / "shared")
    inputs = site(tmp_path, commit).compile().inputs
    key = f"@git/file://{tmp_path}/shared@{commit}/apps/web.yaml"
    assert inputs[key] == hashlib.sha256(RELEASE.encode()).hexdigest()
    assert "apps/web.yaml" not in inputs


def test_what_is_pushed_later_is_not_rendered(tmp_path: Path) -> None:
    repository, commit = source(tmp_path / "shared")
    here = site(tmp_path, commit)
    before = here.texts()
    (tmp_path / "shared/apps/more.yaml").write_text(
        RELEASE.replace("name: web, namespace: web", "name: b, namespace: b")
    )
    commit_all(repository)
    assert here.texts() == before


def test_includes_are_those_of_the_other_repository(tmp_path: Path) -> None:
    release = RELEASE.replace("---", "spec: {include: [parts/x.yaml]}\n---", 1)
    part = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n"
    _, commit = source(tmp_path / "shared", apps__web=release, apps__parts__x=part)
    assert "platform/web/configmap/web/x.yaml" in site(tmp_path, commit).texts()


def test_a_remote_release_gets_the_inputs_that_the_target_binds(tmp_path: Path) -> None:
    release = RELEASE.replace("---", "spec: {inputs: {size: {type: integer}}}\n---", 1)
    _, commit = source(tmp_path / "shared", apps__web=release.replace("values.region", "inputs.size"))
    here = site(tmp_path, commit)
    here.write({"target.yaml": str(PROJECT["target.yaml"]) + "  releaseInputs: {platform/web: {size: {value: 3}}}\n"})
    assert "region: '3'" in here.texts()["platform/web/configmap/web/settings.yaml"]


def test_remote_templates_see_no_bindings_and_no_environment(tmp_path: Path) -> None:
    text = RELEASE.replace("{{ values.region }}", "{{ target.spec.releaseInputs is defined }} {{ env is defined }}")
    _, commit = source(tmp_path / "shared", apps__web=text)
    assert "region: False False" in site(tmp_path, commit).texts()["platform/web/configmap/web/settings.yaml"]


def test_a_commit_that_is_not_there_names_the_group_that_locks_it(tmp_path: Path) -> None:
    source(tmp_path / "shared")
    [problem] = site(tmp_path, "c" * 40).problems()
    assert problem.code is Code.SOURCE_MISSING
    assert "ApplicationGroup platform" in problem.message


@pytest.mark.parametrize("text", ["---\n{{ nothing }}\n", "---\n- a list\n"])
def test_errors_in_files_of_the_other_repository_say_whose_they_are(tmp_path: Path, text: str) -> None:
    _, commit = source(tmp_path / "shared", apps__web=RELEASE + text)
    [problem] = site(tmp_path, commit).problems()
    assert "apps/web.yaml:10" in problem.message
    assert f"file://{tmp_path}/shared" in problem.message
