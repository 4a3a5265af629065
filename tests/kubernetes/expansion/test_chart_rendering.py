"""How often charts are rendered, and charts that are different each time."""

import sqlite3
from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.cancellation import CancellationToken
from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.artifacts import CachedArtifacts
from nyl.kubernetes.expansion.context import ExpansionContext, ExpansionProject
from nyl.kubernetes.expansion.expander import Expander
from nyl.kubernetes.expansion.helm import helm_identity
from tests.kubernetes.expansion.building import expand, git_files, helm_chart
from tests.support.kubernetes_charts import CONFIG_MAP, MemoryTree, below, chart_files, packed
from tests.support.kubernetes_tools import HELM_VERSIONS, helm, tool_path


def with_text(expression: str) -> dict[str, str]:
    text = CONFIG_MAP.replace("{{ .Values.text | quote }}", "{{ " + expression + " | quote }}")
    return chart_files("web", {"config.yaml": text, "still.yaml": "# nothing\n"})


def cached(folder: Path) -> int:
    with sqlite3.connect(folder / "cache.sqlite") as connection:
        return int(connection.execute("select count(*) from entries where namespace = 'helm-output'").fetchone()[0])


@pytest.mark.parametrize("version", HELM_VERSIONS)
@pytest.mark.parametrize(
    "expression",
    [
        "randAlphaNum 16",
        "uuidv4",
        '(genCA "x" 365).Cert',
        "now | unixEpoch",
        'now | date "2006-01-02"',
        'dateInZone "2006" (now) "UTC"',
        "tpl .Values.late .",
        'htpasswd "a" "b"',
    ],
)
def test_a_chart_of_random_values_or_the_time_is_found_and_its_template_named(
    tmp_path: Path, expression: str, version: str
) -> None:
    chart = helm_chart("web", values={"late": '{{ now | date "2006" }}'})
    with pytest.raises(NylError) as caught:
        expand(tmp_path, below("charts/web", with_text(expression)), chart, helm_version=version)
    assert caught.value.diagnostic.code.value == "NYL-CHART-UNSTABLE"
    assert "HelmChart web" in caught.value.diagnostic.message
    assert "in web/templates/config.yaml:" in caught.value.diagnostic.message


@pytest.mark.parametrize(
    "expression",
    [
        ".Values.password | default (randAlphaNum 16)",
        'date "2006" (toDate "2006-01-02" "2020-02-02")',
        '"it is now" | upper',
        "keys .Values | sortAlpha | first",
        ".Values.now",
    ],
)
def test_a_chart_that_only_mentions_such_functions_renders(tmp_path: Path, expression: str) -> None:
    values = {"password": "given", "now": "never"}
    found = expand(tmp_path, below("charts/web", with_text(expression)), helm_chart("web", values=values))
    assert len(found.manifests) == 1


def test_a_part_in_an_archive_is_looked_into(tmp_path: Path) -> None:
    part = packed("part", with_text('now | date "2006"'))
    files = {**below("charts/web", chart_files("web", {})), "charts/web/charts/part-1.2.3.tgz": part}
    with pytest.raises(NylError, match="NYL-CHART-UNSTABLE") as caught:
        expand(tmp_path, files, helm_chart("web"))
    assert "web/charts/web/templates/config.yaml" in caught.value.diagnostic.message


def test_a_chart_is_rendered_once_for_what_decides_its_output(tmp_path: Path) -> None:
    files = below("charts/web", chart_files("web"))
    chart = helm_chart("web", values={"text": "a"})
    first = expand(tmp_path, files, chart)
    assert cached(tmp_path) == 1
    assert expand(tmp_path, files, chart) == first
    assert cached(tmp_path) == 1
    expand(tmp_path, files, helm_chart("web", values={"text": "b"}))
    expand(tmp_path, files, helm_chart("web", "other", values={"text": "a"}))
    expand(tmp_path, files, chart, namespace="other")
    expand(tmp_path, files, chart, kube_version="1.30.0")
    expand(tmp_path, files, chart, api_versions=("example.com/v1",))
    expand(tmp_path, {**files, "charts/web/values.yaml": "text: c\n"}, chart)
    expand(tmp_path, files, chart, helm_version="helm4")
    assert cached(tmp_path) == 8


def test_another_helm_is_another_identity(tmp_path: Path) -> None:
    one, same, other = (helm_identity({"PATH": tool_path(helm(each))}) for each in ("helm3", "helm3", "helm4"))
    assert "" != one == same != other
    assert helm_identity({"PATH": str(tmp_path)}) == ""


def test_a_missing_helm_is_told_with_what_to_install(tmp_path: Path) -> None:
    tree = MemoryTree(below("charts/web", chart_files("web")))
    artifacts = CachedArtifacts(tmp_path / "artifacts")
    nothing = {"PATH": str(tmp_path)}
    with (
        Expander(artifacts, git_files(tmp_path), nothing, Cache(None), CancellationToken()) as made,
        pytest.raises(NylError) as caught,
    ):
        made.expand([helm_chart("web")], ExpansionContext(ExpansionProject(tree, ""), "web"))
    assert caught.value.diagnostic.code.value == "NYL-HELM-UNAVAILABLE"
    assert "Helm 3.17 or newer, or Helm 4" in caught.value.diagnostic.fix


def test_the_order_of_values_does_not_matter(tmp_path: Path) -> None:
    files = below("charts/web", chart_files("web"))
    expand(tmp_path, files, helm_chart("web", values={"text": "a", "more": 1}))
    expand(tmp_path, files, helm_chart("web", values={"more": 1, "text": "a"}))
    assert cached(tmp_path) == 1


def test_a_place_for_temporary_files_that_is_gone_is_named_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    with pytest.raises(NylError, match="NYL-FILE-INACCESSIBLE") as caught:
        expand(tmp_path, {}, helm_chart("web"))
    assert "TMPDIR" in caught.value.diagnostic.fix


def test_nothing_is_left_of_what_was_written_for_helm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    expand(tmp_path, below("charts/web", chart_files("web")), helm_chart("web"))
    assert list((tmp_path / "scratch").iterdir()) == []
