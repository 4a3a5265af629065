"""Local modules that a unit's `files` do not hold fail with the glob to add."""

import json
from pathlib import Path

import pytest

from nyl.units.outcomes import Failed, FailureCategory
from nyl.units.terraform.halts import Halt
from nyl.units.terraform.inputs import globs_of
from nyl.units.terraform.module_files import DeclaredFiles, check_modules, check_source
from tests.units.terraform.modules import LOCAL, Module

CALLS = 'module "pg" {\n  source = "../modules/pg"\n}\n'
DEEP = 'module "deep" {\n  source = "../deep"\n}\n'


def laid(root: Path, *files: str) -> Path:
    for each in files:
        path = root / each
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return root


def listed(data: Path, **sources: tuple[str, str]) -> Path:
    """The tool's list of modules: source and folder by key."""
    (data / "modules").mkdir(parents=True)
    modules = [{"Key": key, "Source": source, "Dir": place} for key, (source, place) in sources.items()]
    (data / "modules" / "modules.json").write_text(json.dumps({"Modules": modules}))
    return data


def lacking(folder: Path, data: Path, files: DeclaredFiles) -> str:
    with pytest.raises(Halt) as caught:
        check_modules(folder, data, files)
    return str(caught.value)


def test_names_with_the_signs_of_globs_are_told_as_globs_that_select_them(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "d[b]*/a.tf", "p[g]/a.tf")
    data = listed(tmp_path / "data", pg=("../p[g]", "../p[g]"))
    own = globs_of({"source": {"path": "d[b]*"}})
    assert r"'p\[g]/**'" in lacking(root / "d[b]*", data, DeclaredFiles(own, root, root))
    check_modules(root / "d[b]*", data, DeclaredFiles((*own, r"p\[g]/**"), root, root))


@pytest.mark.parametrize(
    ("globs", "told"),
    [
        (("infra/db/**", "infra/modules/pg/**"), None),
        (("infra/**",), None),
        (("**",), None),
        ((".",), None),
        (("infra",), None),
        (("/deploy/infra/**",), None),
        (("infra/db/**", "infra/modules/*/*.tf"), None),
        (("infra/db/**",), "'infra/modules/pg/**'"),
        (("infra/db/**", "infra/modules/pg/a.tf"), "'infra/modules/pg/**'"),
        (("infra/modules/pg/**",), "'infra/db/**'"),
    ],
)
def test_every_file_of_a_local_module_has_to_be_declared(
    tmp_path: Path, globs: tuple[str, ...], told: str | None
) -> None:
    root = laid(
        tmp_path / "root", *(f"deploy/infra/{each}" for each in ("db/a.tf", "modules/pg/a.tf", "modules/pg/b.tf"))
    )
    folder = root / "deploy/infra/db"
    data = listed(tmp_path / "data", pg=("../modules/pg", "../modules/pg"))
    files = DeclaredFiles(globs, root / "deploy", root)
    if told is None:
        check_modules(folder, data, files)
    else:
        assert told in lacking(folder, data, files)


def test_a_module_outside_of_the_projects_folder_is_named_from_the_root(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "deploy/db/a.tf")
    data = listed(tmp_path / "data", pg=("../../modules/pg", ""))
    assert "add to files: '/modules/pg/**'" in lacking(
        root / "deploy/db", data, DeclaredFiles(("db/**",), root / "deploy", root)
    )


def test_a_module_outside_of_the_repository_cannot_be_declared(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "db/a.tf")
    data = listed(tmp_path / "data", pg=("../../modules/pg", ""))
    assert "module pg lies outside of the repository" in lacking(
        root / "db", data, DeclaredFiles(("db/**",), root, root)
    )


def test_modules_that_were_downloaded_are_no_files_of_the_unit(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "db/a.tf")
    downloaded = laid(tmp_path, "data/modules/vpc/a.tf") / "data/modules/vpc"
    (tmp_path / "data/modules").rename(tmp_path / "kept")
    data = listed(
        tmp_path / "data",
        vpc=("git::https://example.com/vpc", str(downloaded)),
        **{"vpc.sub": ("./sub", str(downloaded / "sub")), "vpc.other": ("registry.example/a/b", "")},
    )
    check_modules(root / "db", data, DeclaredFiles(("db/**",), root, root))


@pytest.mark.parametrize("text", ["", "[]", "{", '{"Modules": 3}', '{"Modules": [{"Key": 1}]}', '{"Modules": [null]}'])
def test_a_list_that_nobody_can_read_says_nothing(tmp_path: Path, text: str) -> None:
    root = laid(tmp_path / "root", "db/a.tf")
    data = listed(tmp_path / "data")
    (data / "modules/modules.json").write_text(text)
    check_modules(root / "db", data, DeclaredFiles(("db/**",), root, root))


def test_links_are_followed_to_the_files_that_they_name(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "db/a.tf", "shared/here.tf")
    (root / "db/b.tf").symlink_to("../shared/here.tf")
    (root / "db/gone.tf").symlink_to("../shared/gone.tf")
    data = listed(tmp_path / "data")
    told = lacking(root / "db", data, DeclaredFiles(("db/**",), root, root))
    assert "add to files: 'shared/gone.tf', 'shared/here.tf'" in told
    (root / "db/gone.tf").unlink()
    check_modules(root / "db", data, DeclaredFiles(("db/**", "shared/*"), root, root))


def test_a_linked_module_is_named_by_the_folder_that_it_is(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "db/a.tf")
    (root / "db/pg").symlink_to("../shared/pg")
    data = listed(tmp_path / "data", pg=("./pg", ""))
    assert "'shared/pg/**'" in lacking(root / "db", data, DeclaredFiles(("db/**",), root, root))


def test_a_source_without_a_module_is_told_apart_from_files_that_lack_it(tmp_path: Path) -> None:
    root = laid(tmp_path / "root", "db/readme.md")
    for globs, told in {("db/**",): "holds no .tf file", ("modules/**",): "add to files: 'db/**'"}.items():
        with pytest.raises(Halt, match=told.replace("*", r"\*")):
            check_source(root / "db", DeclaredFiles(globs, root, root))


def test_the_tool_itself_tells_what_is_missing(module: Module) -> None:
    module.write(LOCAL + CALLS)
    module.write(DEEP, "infra/modules/pg/main.tf")
    told = module.apply()
    assert isinstance(told, Failed)
    assert (told.category, told.retryable) == (FailureCategory.START, True)
    assert told.message.endswith("add to files: 'infra/modules/deep/**', 'infra/modules/pg/**'")
    assert not module.state.exists()
    module.spec["files"] = ["infra/db/*.tf", "infra/modules/**"]
    assert "add to files: 'infra/modules/deep/**'" in str(module.look())
    module.write("", "infra/modules/deep/main.tf")
    module.applied()
