"""Creating and deleting environments and units by edits of files."""

from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.config import ProjectConfig
from nyl.project.discovery import discover
from nyl.project.edits import Edit, Editable, EditedTree, apply_edit, creation, deletion, without_document
from tests.project.builders import ENVIRONMENT, UNIT, Kinds, project_of, tree_of

FILES = {
    "environments/dev.yaml": ENVIRONMENT,
    "services/web.yaml": UNIT,
    "services/api.yaml": UNIT.replace("web", "api"),
}


def created(root: Path, what: Editable, name: str, files: dict[str, str] = FILES, **options: dict[str, str]) -> Edit:
    return creation(project_of(root, files), tree_of(root, files), what, name, labels=options.get("labels"))


def deleted(root: Path, what: Editable, name: str, files: dict[str, str] = FILES) -> Edit:
    return deletion(project_of(root, files), tree_of(root, files), what, name)


def test_a_new_unit_goes_beside_the_others_and_is_valid(tmp_path: Path) -> None:
    edit = created(tmp_path, Editable.UNIT, "cache", labels={"tier": "on"})
    assert edit.path == "services/cache.yaml"
    project = discover(EditedTree(tree_of(tmp_path, FILES), edit), ProjectConfig(), Kinds(), Cache(None))
    rendered = project.render(project.environments["dev"]).units["cache"]
    assert (rendered.spec, rendered.labels) == ({"command": ["true"]}, {"tier": "on"})


def test_a_new_environment_is_valid(tmp_path: Path) -> None:
    edit = created(tmp_path, Editable.ENVIRONMENT, "prod")
    assert edit.path == "environments/prod.yaml"
    project = discover(EditedTree(tree_of(tmp_path, FILES), edit), ProjectConfig(), Kinds(), Cache(None))
    assert set(project.environments) == {"dev", "prod"}
    assert set(project.render(project.environments["prod"]).units) == {"web", "api"}


def test_the_first_of_a_project_gets_a_folder(tmp_path: Path) -> None:
    assert created(tmp_path, Editable.UNIT, "web", files={}).path == "units/web.yaml"


@pytest.mark.parametrize(
    ("name", "code"), [("Web", Code.RESOURCE_INVALID), ("../x", Code.RESOURCE_INVALID), ("web", Code.NAME_TAKEN)]
)
def test_bad_and_taken_names_are_refused(tmp_path: Path, name: str, code: Code) -> None:
    with pytest.raises(NylError) as caught:
        created(tmp_path, Editable.UNIT, name)
    assert caught.value.diagnostic.code is code


def test_a_file_in_the_way_is_not_overwritten(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        created(tmp_path, Editable.UNIT, "other", files={**FILES, "services/other.yaml": "a: 1\n"})
    assert caught.value.diagnostic.code is Code.FILE_EXISTS


def test_deleting_the_only_resource_of_a_file_removes_the_file(tmp_path: Path) -> None:
    edit = deleted(tmp_path, Editable.UNIT, "web")
    assert edit == Edit("services/web.yaml", None)
    apply_edit(tmp_path, edit)
    assert not (tmp_path / "services/web.yaml").exists()


def test_deleting_keeps_the_bytes_of_other_documents(tmp_path: Path) -> None:
    text = f"# first\n{UNIT}---\n# second\r\n{UNIT.replace('web', 'api')}--- # third\n{ENVIRONMENT}"
    edit = deleted(tmp_path, Editable.UNIT, "api", files={"all.yaml": text})
    assert edit == Edit("all.yaml", f"# first\n{UNIT}--- # third\n{ENVIRONMENT}".encode())


@pytest.mark.parametrize(
    ("line", "left"),
    [(1, "b: 1\n---\nc: 1\n"), (3, "a: 1\n---\nc: 1\n"), (5, "a: 1\n---\nb: 1\n")],
)
def test_each_document_of_a_file_can_go(line: int, left: str) -> None:
    assert without_document(b"a: 1\n---\nb: 1\n---\nc: 1\n", line) == left.encode()


def test_a_file_that_starts_with_a_separator_can_lose_its_first_document() -> None:
    assert without_document(b"---\na: 1\n---\nb: 1\n", 2) == b"---\nb: 1\n"
    assert without_document(b"---\na: 1\n", 2) is None


def test_an_unknown_name_names_the_nearest_one(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        deleted(tmp_path, Editable.ENVIRONMENT, "deev")
    assert caught.value.diagnostic.code is Code.ENVIRONMENT_UNKNOWN
    assert "dev" in caught.value.diagnostic.fix


def test_an_ambiguous_unit_is_not_deleted(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        deleted(tmp_path, Editable.UNIT, "web", files={"a.yaml": UNIT, "b.yaml": UNIT})
    assert caught.value.diagnostic.code is Code.NAME_TAKEN


def test_edits_are_not_written_through_symlinks(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "units").symlink_to(tmp_path / "outside")
    with pytest.raises(NylError) as caught:
        apply_edit(tmp_path / "root", Edit("units/x.yaml", b"x"))
    assert caught.value.diagnostic.code is Code.PATH_REFUSED
    assert list((tmp_path / "outside").iterdir()) == []
