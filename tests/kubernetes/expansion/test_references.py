"""What references to charts and the kinds of Components mean."""

import pytest

from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.expansion.references import ChartOrigin, ChartReference, chart_reference, component_reference

COMMIT = "3f1c9a" + "0" * 34


@pytest.mark.parametrize(
    ("repository", "name", "version", "expected"),
    [
        (None, "./charts/web", None, ChartReference(ChartOrigin.LOCAL, "./charts/web")),
        (None, "/charts/web", None, ChartReference(ChartOrigin.LOCAL, "/charts/web")),
        (None, "web", None, ChartReference(ChartOrigin.SEARCHED, "web")),
        ("./charts", "web", None, ChartReference(ChartOrigin.LOCAL, "./charts/web")),
        ("../charts/web", None, None, ChartReference(ChartOrigin.LOCAL, "../charts/web")),
        (
            "git+https://git.example.com/charts.git",
            "web/chart",
            "v1.2",
            ChartReference(ChartOrigin.GIT, "https://git.example.com/charts.git", "web/chart", "v1.2"),
        ),
        ("git+file:///r", None, COMMIT, ChartReference(ChartOrigin.GIT, "file:///r", "", COMMIT)),
        (
            "git+ssh://git@example.com/r",
            None,
            "v1",
            ChartReference(ChartOrigin.GIT, "ssh://git@example.com/r", "", "v1"),
        ),
        (
            "oci://registry.example.com/charts",
            "web",
            "1.2.3",
            ChartReference(ChartOrigin.OCI, "oci://registry.example.com/charts", "web", "1.2.3"),
        ),
        (
            "https://charts.example.com/",
            "web",
            "1.2.3-rc.1",
            ChartReference(ChartOrigin.REPOSITORY, "https://charts.example.com", "web", "1.2.3-rc.1"),
        ),
    ],
)
def test_each_form_of_a_reference(
    repository: str | None, name: str | None, version: str | None, expected: ChartReference
) -> None:
    assert chart_reference(repository, name, version) == expected


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("example.com/v1/Web", ChartReference(ChartOrigin.COMPONENT, "example.com/v1/Web")),
        (
            "oci://registry.example.com/charts/web@1.2.3",
            ChartReference(ChartOrigin.OCI, "oci://registry.example.com/charts/web", "", "1.2.3"),
        ),
        (
            "https://charts.example.com#web@1.2.3",
            ChartReference(ChartOrigin.REPOSITORY, "https://charts.example.com", "web", "1.2.3"),
        ),
        (
            "git+https://git.example.com/charts.git#charts/web@v1",
            ChartReference(ChartOrigin.GIT, "https://git.example.com/charts.git", "charts/web", "v1"),
        ),
        (
            "git+ssh://git@example.com/charts.git@v1",
            ChartReference(ChartOrigin.GIT, "ssh://git@example.com/charts.git", "", "v1"),
        ),
    ],
)
def test_each_form_of_a_components_kind(kind: str, expected: ChartReference) -> None:
    assert component_reference(kind) == expected


@pytest.mark.parametrize(
    ("repository", "name", "version", "code"),
    [
        (None, None, None, "NYL-CHART-REFERENCE"),
        (None, "./web", "1.0.0", "NYL-CHART-REFERENCE"),
        (None, "web/../../x", None, "NYL-CHART-REFERENCE"),
        (None, "-x", None, "NYL-CHART-REFERENCE"),
        ("http://charts.example.com", "web", "1.0.0", "NYL-CHART-REFERENCE"),
        ("https://charts.example.com", None, "1.0.0", "NYL-CHART-REFERENCE"),
        ("https://charts.example.com", "--devel", "1.0.0", "NYL-CHART-REFERENCE"),
        ("https://charts.example.com", "web", None, "NYL-CHART-UNPINNED"),
        ("https://charts.example.com", "web", "^1.0.0", "NYL-CHART-UNPINNED"),
        ("https://charts.example.com", "web", "1.2", "NYL-CHART-UNPINNED"),
        ("oci://registry.example.com/web", None, "latest", "NYL-CHART-UNPINNED"),
        ("git+https://git.example.com/x.git", None, None, "NYL-CHART-UNPINNED"),
        ("git+https://git.example.com/x.git", "../x", "v1", "NYL-CHART-REFERENCE"),
        ("git+ext::sh -c id", None, "v1", "NYL-CHART-REFERENCE"),
        ("git+https://git.example.com/x.git", "a\nb", "v1", "NYL-CHART-REFERENCE"),
        ("git+https://git.example.com/x.git", None, "v1\n", "NYL-URL-REFUSED"),
        ("https://charts.example.com/\nx", "web", "1.0.0", "NYL-CHART-REFERENCE"),
        ("https://charts.example.com", "web", "1.0.0\n", "NYL-CHART-UNPINNED"),
        (None, "./web\n# x", None, "NYL-CHART-REFERENCE"),
        (None, "web\n", None, "NYL-CHART-REFERENCE"),
        ("git+--upload-pack=id", None, "v1", "NYL-URL-REFUSED"),
        ("git+https://git.example.com/x.git", None, "--all", "NYL-URL-REFUSED"),
        ("https://alice:secret@charts.example.com", "web", "1.0.0", "NYL-URL-REFUSED"),
        ("oci://alice:secret@registry.example.com/web", None, "1.0.0", "NYL-URL-REFUSED"),
    ],
)
def test_a_bad_reference_is_refused_with_its_place(
    repository: str | None, name: str | None, version: str | None, code: str
) -> None:
    with pytest.raises(NylError) as caught:
        chart_reference(repository, name, version, Location("web.yaml", 7))
    assert caught.value.diagnostic.code.value == code
    assert caught.value.diagnostic.message.startswith("web.yaml:7: ")
    assert "secret" not in caught.value.diagnostic.message


@pytest.mark.parametrize("kind", ["example.com//Web", "../v1/Web", "a b/v1/Web", "/v1/Web", "", "-x/v1/Web"])
def test_a_component_kind_that_is_no_path_below_a_search_path_is_refused(kind: str) -> None:
    with pytest.raises(NylError, match="NYL-CHART-REFERENCE"):
        component_reference(kind)
