from nyl.core.codes import Code
from nyl.kubernetes.catalog.applications import application
from nyl.kubernetes.catalog.collection import unique_objects
from nyl.kubernetes.catalog.projects import app_project
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.resources import ProjectTemplate
from tests.support.catalog import context, group, release


def _project(name: str, *namespaces: str) -> Manifest:
    found = app_project(context(), group(name, project_template=ProjectTemplate("shared", namespaces)))
    assert found is not None
    return found


def test_a_project_that_two_groups_describe_alike_is_there_once() -> None:
    first = _project("a", "web")
    assert unique_objects([first, _project("b", "web")]) == ([first], [])


def test_one_name_with_two_contents_is_an_error_that_names_both_places() -> None:
    _, (problem,) = unique_objects([_project("a", "web"), _project("b", "api")])
    message = problem.diagnostic.message
    assert problem.diagnostic.code is Code.CATALOG_CONFLICT
    assert "AppProject.argoproj.io argocd/shared" in message
    assert "ApplicationGroup a (a.yaml:2)" in message
    assert "ApplicationGroup b (b.yaml:2)" in message


def test_two_releases_never_share_an_application() -> None:
    both = [application(context(), group(name), release(), "web", "web") for name in ("a", "b")]
    _, problems = unique_objects(both)
    assert len(problems) == 1


def test_one_name_in_two_namespaces_is_no_conflict() -> None:
    both = [
        application(context(), group(name, application_namespace=name), release(), "web", "web") for name in ("a", "b")
    ]
    assert unique_objects(both) == (both, [])
