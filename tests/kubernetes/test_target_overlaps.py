"""Targets may not publish to places that lie in each other, however these are written."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.resources import DeploymentTarget, Publication
from nyl.kubernetes.target_overlaps import overlapping_targets
from nyl.project.resources import RepositoryLocation
from tests.support.kubernetes_project import PROJECT, TARGET
from tests.support.kubernetes_session import Site

OWN = "https://git.example.com/team/platform.git"
DEPLOY = "https://git.example.com/team/deploy.git"


def target(
    name: str, prefix: str, url: str | None = DEPLOY, revision: str = "deploy", push: str | None = None
) -> DeploymentTarget:
    repository = RepositoryLocation(url, push) if url is not None else None
    publication = Publication(repository, revision, prefix)
    place = Location("targets.yaml", {"one": 1, "two": 9}.get(name, 20))
    return DeploymentTarget(name, {}, "prod", {}, {}, publication, {}, None, {}, {}, place)


def overlaps(*targets: DeploymentTarget, own_url: str | None = OWN) -> list[str]:
    return [each.diagnostic.message for each in overlapping_targets(targets, own_url)]


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("prod", "prod"),
        ("prod", "prod/eu"),
        ("prod/eu", "prod"),
        ("", "prod"),
        ("prod", ""),
        ("", ""),
        ("Prod", "prod/x"),
        ("caf\u00e9", "cafe\u0301"),
    ],
)
def test_prefixes_that_lie_in_each_other_overlap(one: str, two: str) -> None:
    (found,) = overlapping_targets([target("two", two), target("one", one)], OWN)
    diagnostic = found.diagnostic
    assert (diagnostic.code, diagnostic.location) == (Code.TARGET_OVERLAP, Location("targets.yaml", 9))
    assert "targets.yaml:9: DeploymentTarget two publishes" in diagnostic.message
    assert "DeploymentTarget one (targets.yaml:1)" in diagnostic.message
    assert diagnostic.fix


@pytest.mark.parametrize(("one", "two"), [("prod", "production"), ("prod", "dev"), ("a/b", "a/c"), ("a-b", "a")])
def test_prefixes_beside_each_other_do_not(one: str, two: str) -> None:
    assert overlaps(target("one", one), target("two", two)) == []


@pytest.mark.parametrize(
    "url",
    [
        DEPLOY,
        "https://GIT.example.com/team/deploy",
        "git@git.example.com:team/deploy.git",
        "ssh://git@git.example.com/team/deploy/",
    ],
)
def test_one_repository_is_recognised_however_its_url_is_written(url: str) -> None:
    assert len(overlaps(target("one", "prod"), target("two", "prod", url))) == 1


def test_a_repository_is_recognised_by_the_url_that_it_is_pushed_to() -> None:
    mirror = target("two", "prod", "https://mirror.example.com/deploy", push=DEPLOY)
    assert len(overlaps(target("one", "prod"), mirror)) == 1


def test_the_projects_own_repository_is_recognised() -> None:
    own = target("one", "prod", None)
    assert len(overlaps(own, target("two", "prod", OWN))) == 1
    assert overlaps(own, target("two", "prod")) == []
    assert len(overlaps(own, target("two", "prod", None), own_url=None)) == 1
    assert overlaps(own, target("two", "prod"), own_url=None) == []


def test_other_repositories_and_branches_are_other_places() -> None:
    assert overlaps(target("one", "prod"), target("two", "prod", revision="other")) == []
    assert overlaps(target("one", "prod"), target("two", "prod", "https://git.example.com/team/other")) == []


def test_every_two_targets_are_compared() -> None:
    assert len(overlaps(target("one", ""), target("two", "a"), target("three", "b"))) == 2


def test_a_target_that_overlaps_another_is_not_rendered(tmp_path: Path) -> None:
    inner = TARGET.replace("revision: deploy", "revision: deploy, pathPrefix: prod/dev")
    site = Site(tmp_path, {**PROJECT, "z.yaml": inner.replace("name: prod,", "name: dev,")})
    with pytest.raises(NylError) as caught:
        site.compile("prod")
    assert caught.value.diagnostic.code is Code.TARGET_OVERLAP
    assert "z.yaml:1" in caught.value.diagnostic.message


@pytest.mark.parametrize(("origin", "url"), [(None, "work"), ("../deploy.git", "deploy.git")])
def test_the_projects_own_repository_is_recognised_by_its_path(tmp_path: Path, origin: str | None, url: str) -> None:
    own = TARGET.replace("repositoryRef: {name: deploy}, ", "")
    place = f"{{repository: {{repoURL: {tmp_path / url}}}, pathPrefix: prod, revision:"
    spelled = own.replace("name: prod,", "name: dev,").replace("{revision:", place)
    site = Site(tmp_path, {**PROJECT, "target.yaml": own, "z.yaml": spelled})
    if origin is not None:
        site.repository.checked("remote", "add", "origin", origin)
    with pytest.raises(NylError) as caught:
        site.compile("prod")
    assert caught.value.diagnostic.code is Code.TARGET_OVERLAP
