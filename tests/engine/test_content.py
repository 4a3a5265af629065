"""Which files a glob selects, and which it must not."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.content import Content
from nyl.git.repository import Repository
from nyl.git.trees import TreeListing
from tests.engine.builders import S

FILE, PROGRAM, LINK, MODULE = "100644", "100755", "120000", "160000"
FILES = ("nyl.toml", "run.sh", "app/a.txt", "app/b.yaml", "app/deep/c.txt", "lib/x[1].txt", "lib/äöü.txt", "zz")


def content(*files: str, folder: str = "", **odd: str) -> Content:
    """A commit of some files; `odd` gives modes of others."""
    modes = dict.fromkeys(files or FILES, FILE) | odd
    lines = [f"{modes[path]} {'a' * 40}\t{path}\0" for path in sorted(modes, key=str.encode)]
    return Content(cast(Repository, None), S, folder, TreeListing("".join(lines).encode()))


def matched(glob: str, where: Content | None = None) -> list[str]:
    return [each.path for each in (where or content()).match(glob)]


@pytest.mark.parametrize(
    ("glob", "paths"),
    [
        ("run.sh", ["run.sh"]),
        ("./run.sh", ["run.sh"]),
        ("/run.sh", ["run.sh"]),
        ("app", ["app/a.txt", "app/b.yaml", "app/deep/c.txt"]),
        ("app/", ["app/a.txt", "app/b.yaml", "app/deep/c.txt"]),
        ("app/*.txt", ["app/a.txt"]),
        ("app/**", ["app/a.txt", "app/b.yaml", "app/deep/c.txt"]),
        ("app/**/*.txt", ["app/a.txt", "app/deep/c.txt"]),
        ("**/*.txt", ["app/a.txt", "app/deep/c.txt", "lib/x[1].txt", "lib/äöü.txt"]),
        ("app/?.yaml", ["app/b.yaml"]),
        ("app/[ab].*", ["app/a.txt", "app/b.yaml"]),
        ("*.sh", ["run.sh"]),
        ("*", ["nyl.toml", "run.sh", "zz"]),
        ("app/*", ["app/a.txt", "app/b.yaml"]),
        ("lib/x[1].txt", ["lib/x[1].txt"]),
        ("lib/x\\[1].*", ["lib/x[1].txt"]),
        ("lib/x\\[1\\]**", ["lib/x[1].txt"]),
        ("lib/ä*", ["lib/äöü.txt"]),
        ("app/../run.sh", ["run.sh"]),
        ("/", sorted(FILES, key=lambda each: each.encode())),
    ],
)
def test_globs_select_files(glob: str, paths: list[str]) -> None:
    assert matched(glob) == paths


@pytest.mark.parametrize("glob", ["nothing", "app/*.md", "app/a.txt/x", "RUN.sh", "**/none"])
def test_a_glob_without_files_is_an_error_that_names_the_commit(glob: str) -> None:
    with pytest.raises(NylError, match=S) as caught:
        matched(glob)
    assert caught.value.diagnostic.code is Code.SOURCE_INPUT


def test_paths_are_relative_to_the_projects_folder_or_rooted_with_a_slash() -> None:
    here = content("deploy/run.sh", "run.sh", folder="deploy")
    assert [(each.path, each.name) for each in here.match("run.sh")] == [("deploy/run.sh", "run.sh")]
    assert [(each.path, each.name) for each in here.match("/run.sh")] == [("run.sh", "/run.sh")]
    assert matched("../run.sh", here) == ["run.sh"]


def test_a_folder_of_a_similar_name_is_not_inside_the_project() -> None:
    here = content("deploy/a", "deployment/a", folder="deploy")
    assert [each.name for each in here.match("/deployment/a")] == ["/deployment/a"]


@pytest.mark.parametrize("path", ["..", "../x", "/../x", "app/../../x", "/.."])
def test_a_path_that_leaves_the_repository_is_refused(path: str) -> None:
    with pytest.raises(NylError) as caught:
        content().rooted(path)
    assert caught.value.diagnostic.code is Code.PATH_REFUSED


@pytest.mark.parametrize("glob", ["link", "link/x", "link/*.txt", "app/link"])
def test_a_path_through_a_symlink_is_refused(glob: str) -> None:
    where = content("app/a", **{"link": LINK, "app/link": LINK})
    with pytest.raises(NylError, match="symlink"):
        matched(glob, where)


def test_a_submodule_that_is_selected_is_refused() -> None:
    with pytest.raises(NylError, match="submodule vendor/lib"):
        matched("vendor", content("vendor/a", **{"vendor/lib": MODULE}))
    assert matched("vendor/a", content("vendor/a", **{"vendor/lib": MODULE})) == ["vendor/a"]


@pytest.mark.parametrize("path", ["vendor/lib/a.txt", "vendor/lib/*.txt", "vendor/lib"])
def test_what_lies_in_a_submodule_is_refused_with_its_name(path: str) -> None:
    where = content("vendor/a", **{"vendor/lib": MODULE})
    with pytest.raises(NylError, match="submodule vendor/lib"):
        matched(path, where)
    with pytest.raises(NylError, match="submodule vendor/lib"):
        where.below(path, lambda name: False)


@pytest.mark.parametrize(
    ("glob", "reached"),
    [
        ("vendor/**/*.txt", ["vendor/lib"]),
        ("**/*.txt", ["app/sub", "vendor/lib"]),
        ("*/*/*.txt", ["app/sub", "vendor/lib"]),
        ("v*/l?b/*.txt", ["vendor/lib"]),
        ("vendor/*.txt", []),
        ("vendor/a", []),
        ("**/a/*.txt", ["app/sub", "vendor/lib"]),
        ("app/a/**", []),
    ],
)
def test_a_glob_that_may_select_files_of_a_submodule_reaches_it(glob: str, reached: list[str]) -> None:
    where = content("vendor/a", "vendor/a.txt", **{"vendor/lib": MODULE, "app/sub": MODULE})
    assert list(where.reached_submodules(glob)) == reached


def test_a_name_that_is_not_utf8_is_refused_readably() -> None:
    listing = TreeListing(f"{FILE} {'a' * 40}\tapp/caf".encode() + b"\xe9\0")
    where = Content(cast(Repository, None), S, "", listing)
    with pytest.raises(NylError, match=r"app/caf\\xe9") as caught:
        matched("app/**", where)
    assert caught.value.diagnostic.code is Code.SOURCE_INPUT
    str(caught.value).encode()


def test_a_link_that_a_glob_selects_is_told_from_a_file() -> None:
    first, second = content("app/a", **{"app/b": LINK}).match("app/*")
    assert (first.symlink, second.symlink) == (False, True)


def test_the_executable_bit_is_seen() -> None:
    first, second = content("a", b=PROGRAM).match("/")
    assert (first.executable, second.executable) == (False, True)


_PART = st.text("ab", min_size=1, max_size=2)
_PATHS = st.lists(_PART, min_size=1, max_size=3).map("/".join)


@given(st.frozensets(_PATHS, min_size=1, max_size=6), _PATHS)
def test_a_name_selects_itself_or_all_that_lies_below_it(paths: frozenset[str], name: str) -> None:
    files = {each for each in paths if not any(each.startswith(other + "/") for other in paths)}
    files = {each for each in files if not any(other.startswith(each + "/") for other in files)}
    expected = {each for each in files if each == name or each.startswith(name + "/")}
    if expected:
        assert set(matched(name, content(*files))) == expected
    else:
        with pytest.raises(NylError):
            matched(name, content(*files))
