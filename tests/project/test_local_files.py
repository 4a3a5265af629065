"""Where local paths lead to a regular file that Git sees."""

from collections.abc import Mapping

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.trees import TreeEntry
from nyl.project.local_files import local_file

FILE, LINK, MODULE = "100644", "120000", "160000"


class Entries:
    name = "commit 1234"

    def __init__(self, modes: Mapping[str, str]) -> None:
        self._modes = modes

    def entry(self, path: str) -> TreeEntry | None:
        return TreeEntry(self._modes[path], "0" * 40) if path in self._modes else None


TREE = Entries(
    {
        "app/db.yaml": FILE,
        "shared/db.yaml": "100755",
        "app/link.yaml": LINK,
        "app/linked": LINK,
        "app/module": MODULE,
        "out/staging/_nyl/index.json": FILE,
        "out/staging/web/a.yaml": FILE,
        "out/other.yaml": FILE,
        "app/vendor/index.json": FILE,
        "app/vendored.json": FILE,
    }
)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("db.yaml", "app/db.yaml"),
        ("./x/../db.yaml", "app/db.yaml"),
        ("/app/db.yaml", "app/db.yaml"),
        ("/shared/db.yaml", "shared/db.yaml"),
        ("../shared/db.yaml", "shared/db.yaml"),
        ("../out/other.yaml", "out/other.yaml"),
        ("vendored.json", "app/vendored.json"),
    ],
)
def test_paths_are_relative_to_the_projects_folder_or_to_the_root(path: str, found: str) -> None:
    assert local_file(TREE, "app", path, "app/vendor") == found


@pytest.mark.parametrize(
    ("path", "code", "why"),
    [
        ("../../x", Code.PATH_REFUSED, "leaves the repository"),
        ("link.yaml", Code.PATH_REFUSED, "passes through the symlink app/link.yaml"),
        ("linked/db.yaml", Code.PATH_REFUSED, "passes through the symlink app/linked"),
        ("module/db.yaml", Code.PATH_REFUSED, "passes through the submodule app/module"),
        ("/out/staging/web/a.yaml", Code.PATH_REFUSED, "leads into out/staging"),
        ("/out/staging/_nyl/index.json", Code.PATH_REFUSED, "leads into out/staging"),
        ("vendor/index.json", Code.PATH_REFUSED, "leads into app/vendor"),
        ("gone.yaml", Code.SOURCE_INPUT, "leads to no file of commit 1234 that Git sees"),
        ("/app", Code.SOURCE_INPUT, "leads to no file of commit 1234 that Git sees"),
        ("/", Code.SOURCE_INPUT, "leads to no file of commit 1234 that Git sees"),
    ],
)
def test_paths_that_lead_to_no_source_are_refused(path: str, code: Code, why: str) -> None:
    with pytest.raises(NylError) as caught:
        local_file(TREE, "app", path, "app/vendor")
    assert caught.value.diagnostic.code is code
    assert why in caught.value.diagnostic.message


@pytest.mark.parametrize("around", ["", "app/"])
def test_a_tree_that_is_rendered_into_the_projects_folder_hides_none_of_its_files(around: str) -> None:
    tree = Entries({f"{around}_nyl/index.json": FILE, f"{around}_nyl/catalog/a.yaml": FILE, "app/db.yaml": FILE})
    assert local_file(tree, "app", "db.yaml") == "app/db.yaml"
    with pytest.raises(NylError, match="leads into"):
        local_file(tree, "app", f"/{around}_nyl/catalog/a.yaml")
