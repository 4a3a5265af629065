import pytest

from nyl.git.urls import comparable_url, is_relative, shared_url

_SAME = (
    "https://git.example.com/team/deploy",
    "https://git.example.com/team/deploy.git",
    "https://GIT.example.com:443/team/deploy/",
    "http://git.example.com/team/deploy",
    "ssh://git@git.example.com/team/deploy.git",
    "ssh://git@git.example.com:22//team/deploy",
    "git@git.example.com:team/deploy.git",
    "git.example.com:/team/deploy",
    "https://git.example.com/team/other/../deploy",
    "https://git.example.com/team/%64eploy",
)


@pytest.mark.parametrize("url", _SAME)
def test_spellings_of_one_repository_are_equal(url: str) -> None:
    assert comparable_url(url) == "git.example.com/team/deploy"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://git.example.com/a", "https://git.example.com/A"),
        ("https://git.example.com/a", "https://git.example.com:8443/a"),
        ("https://git.example.com/a", "https://other.example.com/a"),
        ("ssh://git@[::1]/a", "ssh://git@[::2]/a"),
        ("/srv/a", "/srv/b"),
    ],
)
def test_other_repositories_differ(one: str, other: str) -> None:
    assert comparable_url(one) != comparable_url(other)


def test_folders_are_equal_however_they_are_written() -> None:
    spelled = ("/srv/deploy", "/srv/deploy.git", "/srv/deploy/", "/srv/deploy/.git", "file:///srv/x/../deploy.git")
    assert {comparable_url(each) for each in spelled} == {"/srv/deploy"}


@pytest.mark.parametrize("url", [each for each in _SAME if not each.startswith("http:")])
def test_every_clone_writes_one_address_of_a_repository(url: str) -> None:
    assert shared_url(url) == "https://git.example.com/team/deploy.git"


@pytest.mark.parametrize(
    ("url", "shared"),
    [
        ("https://ci:secret@git.example.com/a", "https://git.example.com/a.git"),
        ("https://dev.azure.com/o/my%20p/_git/r", "https://dev.azure.com/o/my%20p/_git/r"),
        ("https://git.example.com:8443/a", "https://git.example.com:8443/a"),
        ("ssh://git@git.example.com:2222/a.git", "ssh://git@git.example.com:2222/a.git"),
        ("ssh://git:secret@git.example.com:2222/a.git", "ssh://git@git.example.com:2222/a.git"),
        ("http://ci:secret@git.example.com/a", "http://git.example.com/a"),
        ("/srv/deploy.git/", "/srv/deploy.git"),
        ("file:///srv/deploy.git", "/srv/deploy.git"),
        ("../deploy.git", "../deploy.git"),
    ],
)
def test_an_address_that_only_one_kind_of_clone_knows_stays_without_credentials(url: str, shared: str) -> None:
    assert shared_url(url) == shared


@pytest.mark.parametrize("url", [*_SAME[:8], "/srv/deploy", "file:///srv/deploy"])
def test_what_means_one_place_everywhere_is_not_relative(url: str) -> None:
    assert not is_relative(url)


@pytest.mark.parametrize("url", ["../deploy.git", "./a:b", "deploy", "team/deploy"])
def test_a_path_that_begins_nowhere_is_relative(url: str) -> None:
    assert is_relative(url)
