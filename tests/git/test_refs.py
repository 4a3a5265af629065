import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.refs import check_ref_name, check_url, full_ref, is_local, without_credentials
from tests.git.building import Scene

_BAD_NAMES = [
    "-x",
    "a..b",
    "a.lock",
    "a/b.lock/c",
    ".a",
    "a/.b",
    "a.",
    "a/",
    "/a",
    "a//b",
    "a~b",
    "a^b",
    "a:b",
    "a?b",
    "a*b",
    "a[b",
    "a\\b",
    "a@{b",
    "@",
]


@pytest.mark.parametrize("name", [*_BAD_NAMES, "", "a b", "a\nb", "a\x7f"])
def test_bad_ref_names_are_refused(name: str) -> None:
    with pytest.raises(NylError) as caught:
        check_ref_name(name)
    assert caught.value.diagnostic.code is Code.URL_REFUSED


@pytest.mark.parametrize("name", ["main", "feature/x", "refs/heads/ünï", "a@b", "v1.0", "a-b", "{x}"])
def test_good_ref_names_are_kept(name: str, scene: Scene) -> None:
    assert check_ref_name(name) == name
    scene.git("check-ref-format", full_ref(name))


def test_a_name_is_a_branch_unless_it_is_full() -> None:
    assert full_ref("main") == "refs/heads/main"
    assert full_ref("refs/tags/v1") == "refs/tags/v1"


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/a/b.git",
        "ssh://git@example.com:2222/a",
        "git@example.com:a/b.git",
        "host:a",
        "/srv/git/a.git",
        "../a.git",
        "file:///srv/a",
    ],
)
def test_plain_urls_are_kept(url: str) -> None:
    assert check_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "--upload-pack=x",
        "https://me:secret@example.com/a",
        "https://secret@example.com/a",
        "ssh://git:secret@example.com/a",
        "ext::sh -c secret",
        "fd::3",
        "https://example.com/a\nb",
        "ssh://-oProxyCommand=x/a",
        "gopher://example.com/a",
    ],
)
def test_other_urls_are_refused_without_showing_secrets(url: str) -> None:
    with pytest.raises(NylError) as caught:
        check_url(url)
    assert caught.value.diagnostic.code is Code.URL_REFUSED
    assert "secret@" not in str(caught.value)


def test_credentials_are_taken_out_of_any_text() -> None:
    assert without_credentials("fatal: https://a:b@x/y and ssh://git@z") == "fatal: https://x/y and ssh://z"


@pytest.mark.parametrize(
    ("url", "expected"),
    [("/a", True), ("../a", True), ("a/b", True), ("file:///a", True), ("git@x:a", False), ("https://x/a", False)],
)
def test_local_urls_are_told(url: str, expected: bool) -> None:
    assert is_local(url) is expected
