"""Which files of a group are its Releases, and which Releases a target cannot have together."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.kubernetes.group_releases import source_files
from nyl.kubernetes.resources import GroupSource
from tests.support.kubernetes_project import PROJECT, RELEASE
from tests.support.kubernetes_session import Site

FILES = ("apps/a.yaml", "apps/b.yml", "apps/c.json", "apps/deep/d.yaml", "apps/deep/e/f.yaml", "apps2/g.yaml")
ALL = ("*.yaml", "*.yml", "*.json")


def chosen(path: str, include: tuple[str, ...] = ALL, exclude: tuple[str, ...] = (), recursive: bool = True) -> str:
    found = source_files(GroupSource(path, include, exclude, recursive), FILES)
    return " ".join(each.removeprefix("apps/").partition(".")[0] for each in found)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (chosen("apps"), "a b c deep/d deep/e/f"),
        (chosen("apps", recursive=False), "a b c"),
        (chosen("apps", ("*.yml",)), "b"),
        (chosen("apps", exclude=("d.yaml",)), "a b c deep/e/f"),
        (chosen("apps", exclude=("deep",)), "a b c"),
        (chosen("apps", exclude=("deep/*.yaml",)), "a b c deep/e/f"),
        (chosen("apps", ("/deep/**/*.yaml",)), "deep/d deep/e/f"),
        (chosen("apps/deep"), "deep/d deep/e/f"),
        (chosen(""), "a b c deep/d deep/e/f apps2/g"),
    ],
)
def test_files_are_chosen_below_the_path_by_patterns(found: str, wanted: str) -> None:
    assert found == wanted


def second(name: str) -> str:
    return RELEASE.replace("name: web, namespace: web", f"name: {name}, namespace: {name}")


def test_a_release_name_is_unique_in_its_group(tmp_path: Path) -> None:
    [problem] = Site(tmp_path, {**PROJECT, "applications/platform/more/again.yaml": RELEASE}).problems()
    assert problem.code is Code.RELEASE_TAKEN
    assert "applications/platform/more/again.yaml:1" in problem.message
    assert "applications/platform/web.yaml:1" in problem.message


def test_two_groups_may_have_releases_of_one_name(tmp_path: Path) -> None:
    group = str(PROJECT["group.yaml"]).replace("platform", "other")
    other = RELEASE.replace("namespace: web", "namespace: web2").replace("name: settings", "name: settings2")
    template = "{applicationNameTemplate: '{{ group.name }}-{{ release.name }}'}"
    files = {"other.yaml": group.replace("{}", template), "applications/other/web.yaml": other}
    assert "other/web/configmap/web2/settings2.yaml" in Site(tmp_path, {**PROJECT, **files}).texts()


@pytest.mark.parametrize(
    ("output", "release"),
    [("platform", "web"), ("platform", "WEB"), ("platform/web", "api"), ("Platform/web/x", "api")],
)
def test_the_folders_of_releases_do_not_lie_in_each_other(tmp_path: Path, output: str, release: str) -> None:
    spec = f"{{outputPath: {output}, applicationNameTemplate: other}}"
    files = {"other.yaml": str(PROJECT["group.yaml"]).replace("platform", "other").replace("{}", spec)}
    files["applications/other/x.yaml"] = second("other").replace("name: other", f"name: {release}", 1)
    problem = Site(tmp_path, {**PROJECT, **files}).problems()[0]
    assert problem.code is Code.PATH_COLLISION
    assert "applications/platform/web.yaml:1" in problem.message
    assert "applications/other/x.yaml:1" in problem.message


def test_a_file_belongs_to_one_group_of_a_target(tmp_path: Path) -> None:
    group = str(PROJECT["group.yaml"]).replace("platform", "other").replace("{}", "{source: {path: applications}}")
    [problem] = Site(tmp_path, {**PROJECT, "other.yaml": group}).problems()
    assert problem.code is Code.RELEASE_TAKEN
    for part in ("applications/platform/web.yaml:1", "other.yaml:1", "group.yaml:1"):
        assert part in problem.message


def test_releases_outside_of_all_groups_are_not_rendered(tmp_path: Path) -> None:
    texts = Site(tmp_path, {**PROJECT, "elsewhere/other.yaml": second("other")}).texts()
    assert not any("other" in path for path in texts)


def test_disabled_and_unselected_groups_are_left_out(tmp_path: Path) -> None:
    disabled = {"group.yaml": str(PROJECT["group.yaml"]).replace("{}", "{enabled: false}")}
    assert list(Site(tmp_path / "1", {**PROJECT, **disabled}).texts()) == [
        "_nyl/catalog/application.argoproj.io/argocd/prod-catalog.yaml"
    ]
    target = str(PROJECT["target.yaml"]) + "  applicationGroupSelector: {matchLabels: {team: x}}\n"
    assert len(Site(tmp_path / "2", {**PROJECT, "target.yaml": target}).texts()) == 1


def test_a_release_needs_a_namespace_of_its_own_or_of_its_group(tmp_path: Path) -> None:
    files = {**PROJECT, "applications/platform/web.yaml": RELEASE.replace(", namespace: web", "")}
    [problem] = Site(tmp_path / "1", files).problems()
    assert problem.code is Code.NAMESPACE_SCOPE
    assert "applications/platform/web.yaml:1" in problem.message
    group = {"group.yaml": str(PROJECT["group.yaml"]).replace("{}", "{destinationNamespace: shared}")}
    assert "platform/web/configmap/shared/settings.yaml" in Site(tmp_path / "2", {**files, **group}).texts()
