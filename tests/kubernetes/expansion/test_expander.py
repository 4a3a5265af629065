"""What the documents of a bundle expand to, with the real helm."""

from pathlib import Path

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.core.diagnostics import NylError
from nyl.kubernetes.expansion.context import ExpansionContext, ExpansionProject
from nyl.kubernetes.yaml_reading import read_manifests
from tests.kubernetes.expansion.building import component, expand, expander, helm_chart, manifest
from tests.support.kubernetes_charts import CONFIG_MAP, MemoryTree, below, chart_files
from tests.support.kubernetes_tools import HELM_VERSIONS

PLAIN = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "plain"}}
NESTED = """\
apiVersion: k8s.nyl/v1
kind: HelmChart
metadata: {name: %s}
spec: {chart: {name: %s}, values: {text: nested}}
"""


@pytest.mark.parametrize("version", HELM_VERSIONS)
def test_a_chart_is_replaced_in_its_place_by_what_helm_makes_of_it(tmp_path: Path, version: str) -> None:
    files = below("charts/web", chart_files("web"))
    chart = helm_chart("./charts/web", values={"text": "on"})
    found = expand(tmp_path, files, manifest(PLAIN), chart, manifest(PLAIN), helm_version=version)
    first, made, last = found.manifests
    assert (first.value, last.value) == (PLAIN, PLAIN)
    assert made.value["metadata"] == {"name": "web"}
    assert made.value["data"] == {"text": "on"}
    assert made.helm_source == "web/templates/config.yaml"
    assert made.provenance == ("apps/web.yaml:5", "HelmChart web (chart ./charts/web)")
    assert made.location == chart.location


@pytest.mark.parametrize("version", HELM_VERSIONS)
def test_charts_see_the_release_and_the_cluster(tmp_path: Path, version: str) -> None:
    text = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  namespace: {{ .Release.Namespace }}
  name: {{ .Release.Name }}
  kube: {{ .Capabilities.KubeVersion.Version }}
  offers: {{ .Capabilities.APIVersions.Has "example.com/v1/Web" | quote }}
"""
    files = below("charts/web", chart_files("web", {"c.yaml": text}))
    found = expand(
        tmp_path,
        files,
        helm_chart("web", "shop"),
        helm_version=version,
        namespace="apps",
        kube_version="1.31",
        api_versions=("example.com/v1/Web",),
    )
    assert found.manifests[0].value["data"] == {
        "namespace": "apps",
        "name": "shop",
        "kube": "v1.31.0",
        "offers": "true",
    }
    assert found.manifests[0].namespace is None


def test_a_chart_with_a_namespace_of_its_own_gives_it_to_its_objects(tmp_path: Path) -> None:
    text = CONFIG_MAP.replace("{{ .Values.text | quote }}", "{{ .Release.Namespace }}")
    chart = helm_chart("web")
    chart.value["metadata"]["namespace"] = "other"
    found = expand(tmp_path, below("charts/web", chart_files("web", {"c.yaml": text})), chart)
    assert found.manifests[0].value["data"] == {"text": "other"}
    assert found.manifests[0].namespace == "other"


@pytest.mark.parametrize("version", HELM_VERSIONS)
def test_crds_and_hooks_are_ordinary_resources_with_their_annotations(tmp_path: Path, version: str) -> None:
    hook = """\
apiVersion: v1
kind: Pod
metadata:
  name: check
  annotations: {helm.sh/hook: %s}
"""
    crd = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: webs.example.com}\n"
    templates = {"install.yaml": hook % "pre-install", "tests/test.yaml": hook % "test"}
    files = below("charts/web", {**chart_files("web", templates), "crds/web.yaml": crd})
    found = expand(tmp_path, files, helm_chart("web"), helm_version=version)
    sources = {each.helm_source: each.value for each in found.manifests}
    assert set(sources) == {"web/crds/web.yaml", "web/templates/install.yaml", "web/templates/tests/test.yaml"}
    assert sources["web/templates/install.yaml"]["metadata"]["annotations"] == {"helm.sh/hook": "pre-install"}


def test_values_reach_the_chart_as_they_are(tmp_path: Path) -> None:
    strings = ["yes", "0644", "1e3", "a\u2028b\x85c", "\U0001f600 \x7f", 'tab\tquote"\\', "~", ""]
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {all: {{ .Values.all | toJson | quote }}}\n"
    values = {"all": {"strings": strings, "none": None, "true": True, "number": 3}}
    found = expand(
        tmp_path, below("charts/web", chart_files("web", {"c.yaml": text})), helm_chart("web", values=values)
    )
    import json

    got = json.loads(found.manifests[0].value["data"]["all"])
    assert got == {"strings": strings, "none": None, "true": True, "number": 3}


def test_a_component_is_a_chart_below_a_search_path_with_its_spec_as_values(tmp_path: Path) -> None:
    files = below("parts/example.com/v1/Web", chart_files("web"))
    found = expand(
        tmp_path,
        files,
        component("example.com/v1/Web", "shop", text="hello"),
        component("example.com/v1/Web", "bare"),
        components_search_paths=("components", "parts"),
    )
    shop, bare = found.manifests
    assert (shop.value["metadata"]["name"], shop.value["data"]) == ("shop", {"text": "hello"})
    assert bare.value["data"] == {"text": "none"}
    assert shop.provenance[-1] == "Component example.com/v1/Web shop (chart example.com/v1/Web)"
    assert found.folders == {"components/example.com/v1/Web", "parts/example.com/v1/Web"}


def test_an_alias_stands_for_a_component(tmp_path: Path) -> None:
    files = below("components/example.com/v1/Web", chart_files("web"))
    written = {"apiVersion": "shop.example.com/v2", "kind": "Shop", "metadata": {"name": "a"}, "spec": {"text": "x"}}
    aliases = {"shop.example.com/v2/Shop": "example.com/v1/Web"}
    found = expand(tmp_path, files, manifest(written), manifest({**written, "kind": "Other"}), aliases=aliases)
    assert [each.value["kind"] for each in found.manifests] == ["ConfigMap", "Other"]
    assert found.manifests[0].provenance[-1] == "Component shop.example.com/v2/Shop a (chart example.com/v1/Web)"


def test_what_a_chart_renders_is_expanded_again(tmp_path: Path) -> None:
    files = {
        **below("charts/outer", chart_files("outer", {"inner.yaml": NESTED % ("in", "inner")})),
        **below("charts/inner", chart_files("inner")),
    }
    found = expand(tmp_path, files, helm_chart("outer", "out"))
    assert found.manifests[0].value["data"] == {"text": "nested"}
    assert found.manifests[0].provenance == (
        "apps/web.yaml:5",
        "HelmChart out (chart outer)",
        "HelmChart in (chart inner)",
    )
    assert found.manifests[0].helm_source == "inner/templates/config.yaml"
    assert set(found.sources) == set(files)


@pytest.mark.parametrize(("levels", "is_refused"), [(10, False), (11, True)])
def test_documents_expand_at_most_ten_levels_deep(tmp_path: Path, levels: int, is_refused: bool) -> None:
    files: dict[str, str] = {}
    for level in range(1, levels):
        nested = {"next.yaml": NESTED % (f"n{level + 1}", f"c{level + 1}")}
        files.update(below(f"charts/c{level}", chart_files(f"c{level}", nested)))
    files.update(below(f"charts/c{levels}", chart_files(f"c{levels}")))
    if not is_refused:
        assert expand(tmp_path, files, helm_chart("c1", "n1")).manifests[0].value["data"] == {"text": "nested"}
        return
    with pytest.raises(NylError) as caught:
        expand(tmp_path, files, helm_chart("c1", "n1"))
    assert caught.value.diagnostic.code.value == "NYL-EXPANSION-DEPTH"
    assert "HelmChart n1 → HelmChart n2 → " in caught.value.diagnostic.message
    assert "HelmChart n11" in caught.value.diagnostic.message


def test_a_chart_that_renders_itself_is_refused_with_its_chain(tmp_path: Path) -> None:
    files = below("charts/web", chart_files("web", {"again.yaml": NESTED % ("web", "web")}))
    with pytest.raises(NylError, match=r"NYL-EXPANSION-DEPTH.*HelmChart web → HelmChart web"):
        expand(tmp_path, files, helm_chart("web"))


def test_a_chart_that_renders_itself_many_times_is_refused_soon(tmp_path: Path) -> None:
    many = "{{ range $i := until 32 }}\n---\n" + NESTED % ("web-{{ $i }}", "web") + "{{ end }}"
    files = below("charts/web", chart_files("web", {"again.yaml": many}))
    with pytest.raises(NylError, match="NYL-EXPANSION-DEPTH") as caught:
        expand(tmp_path, files, helm_chart("web"))
    assert "1,024 documents" in caught.value.diagnostic.message


def test_all_problems_of_a_level_are_told_together(tmp_path: Path) -> None:
    broken = {"x.yaml": 'a: {{ required "give text" .Values.nothing }}\n'}
    files = below("charts/broken", chart_files("broken", broken))
    with pytest.raises(NylError) as caught:
        expand(tmp_path, files, helm_chart("nowhere"), helm_chart("broken"))
    assert [each.code.value for each in caught.value.diagnostics] == ["NYL-CHART-MISSING", "NYL-CHART-FAILED"]
    assert "give text" in caught.value.diagnostics[1].message
    assert str(tmp_path.parent) not in caught.value.diagnostics[1].message


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ({"kind": "HelmChart", "spec": {"chart": {"name": "./web"}, "value": {}}}, "did you mean values?"),
        ({"kind": "HelmChart"}, "lacks the required field spec"),
        ({"kind": "HelmChart", "spec": {"chart": {"name": 3}}}, "/spec/chart/name must be a string"),
        ({"kind": "RemoteManifest", "spec": {"url": "http://x/y", "digest": "sha256:" + "0" * 64}}, "https://"),
        ({"kind": "RemoteManifest", "spec": {"url": "https://x/y", "digest": "md5:00"}}, "64 lower case hex"),
        ({"kind": "RemoteManifest", "spec": {"url": "https://x/y"}}, "lacks the required field digest"),
        ({"kind": "HelmCharts", "spec": {}}, "cannot hold a document of kind HelmCharts"),
        ({"apiVersion": "k8s.nyl/v2", "kind": "HelmChart"}, "has the apiVersion k8s.nyl/v2, which nyl does not know"),
        ({"apiVersion": "components.k8s.nyl/v1alpha1", "kind": "a/v1/B"}, "which nyl does not know"),
        ({"kind": "HelmChart", "metadata": {"name": "Web_1"}, "spec": {"chart": {"name": "x"}}}, "lower case"),
        ({"kind": "HelmChart", "metadata": {"name": "--set"}, "spec": {"chart": {"name": "x"}}}, "lower case"),
        ({"kind": "HelmChart", "metadata": {"name": "web\n"}, "spec": {"chart": {"name": "x"}}}, "lower case"),
        (
            {"kind": "RemoteManifest", "spec": {"url": "https://x/\ny", "digest": "sha256:" + "0" * 64}},
            "without white space",
        ),
        ({"kind": "HelmChart", "metadata": {}, "spec": {"chart": {"name": "x"}}}, "lacks the required field name"),
    ],
)
def test_a_document_that_does_not_fit_its_schema_is_refused_with_file_and_line(
    tmp_path: Path, value: dict[str, object], told: str
) -> None:
    with pytest.raises(NylError) as caught:
        expand(tmp_path, {}, manifest({"apiVersion": "k8s.nyl/v1", "metadata": {"name": "web"}, **value}))
    assert caught.value.diagnostic.code.value == "NYL-RESOURCE-INVALID"
    assert caught.value.diagnostic.message.startswith("apps/web.yaml:5: ")
    assert any(told in each.message for each in caught.value.diagnostics)


def test_a_url_with_credentials_is_refused_without_showing_them(tmp_path: Path) -> None:
    spec = {"url": "https://alice:secret@example.com/x.yaml", "digest": "sha256:" + "0" * 64}
    value = {"apiVersion": "k8s.nyl/v1", "kind": "RemoteManifest", "metadata": {"name": "x"}, "spec": spec}
    with pytest.raises(NylError, match="NYL-URL-REFUSED") as caught:
        expand(tmp_path, {}, manifest(value))
    assert "secret" not in caught.value.diagnostic.message


def test_nothing_of_a_cluster_is_seen(tmp_path: Path) -> None:
    text = CONFIG_MAP.replace("{{ .Values.text | quote }}", '{{ lookup "v1" "Secret" "web" "x" | toJson | quote }}')
    found = expand(tmp_path, below("charts/web", chart_files("web", {"c.yaml": text})), helm_chart("web"))
    assert found.manifests[0].value["data"] == {"text": "{}"}


def test_the_same_objects_come_out_wherever_and_however_charts_are_rendered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, str] = {}
    for number in range(6):
        files.update(below(f"charts/c{number}", chart_files(f"c{number}")))
    charts = [helm_chart(f"c{number}", values={"text": f"{number}"}) for number in range(6)]
    found = []
    for name, zone, language, home, concurrency in (
        ("a", "UTC", "C", "/", 1),
        ("b", "Asia/Tokyo", "de_DE.UTF-8", "/x", 8),
    ):
        for variable, value in (("TZ", zone), ("LC_ALL", language), ("HOME", home), ("HELM_NAMESPACE", name)):
            monkeypatch.setenv(variable, value)
        (tmp_path / name).mkdir()
        with expander(tmp_path / name, concurrency=concurrency) as made:
            found.append(made.expand(charts, ExpansionContext(ExpansionProject(MemoryTree(files), ""), "web")))
    assert found[0] == found[1]
    assert [each.value["data"]["text"] for each in found[0].manifests] == [str(number) for number in range(6)]


def test_a_cancelled_invocation_renders_nothing(tmp_path: Path) -> None:
    cancellation = CancellationToken()
    cancellation.cancel()
    tree = MemoryTree(below("charts/web", chart_files("web")))
    context = ExpansionContext(ExpansionProject(tree, ""), "web")
    with expander(tmp_path, cancellation=cancellation) as made, pytest.raises(NylError, match="NYL-RUN-CANCELLED"):
        made.expand([helm_chart("web")], context)


def test_numbers_and_booleans_of_the_bundle_reach_a_chart_as_helm_would_read_them(tmp_path: Path) -> None:
    text = CONFIG_MAP.replace("{{ .Values.text | quote }}", "{{ .Values.all | toJson | quote }}")
    [parsed] = read_manifests(
        "apiVersion: k8s.nyl/v1\nkind: HelmChart\nmetadata: {name: web}\n"
        "spec: {chart: {name: web}, values: {all: [1.10, 0644, yes, 1_000, 1e3, '0644']}}\n",
        "x",
    )
    found = expand(tmp_path, below("charts/web", chart_files("web", {"c.yaml": text})), manifest(parsed.value))
    assert found.manifests[0].value["data"] == {"text": '[1.1,420,true,1000,1000,"0644"]'}


def test_sources_are_the_files_that_were_read(tmp_path: Path) -> None:
    files = {**below("charts/web", chart_files("web")), "charts/other/Chart.yaml": "x", "README.md": "y"}
    tree = MemoryTree(files)
    found = expand(tmp_path, files, helm_chart("web"), helm_chart("web", "again"), tree=tree)
    assert set(found.sources) == {path for path in files if path.startswith("charts/web/")} == set(tree.read)
    assert len(tree.read) == 3
    assert found.folders == {"charts/web"}
