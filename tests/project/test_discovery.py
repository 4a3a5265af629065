"""Finding resources: what is one, what is nobody's business, and what is wrong with it."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.project.config import ProjectConfig
from nyl.project.discovery import Discovery
from tests.project.builders import ENVIRONMENT, OTHER, UNIT, Kinds, problems_of, project_of, the_problem, tree_of


def test_folders_and_suffixes_carry_no_meaning(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"a/b/c.yml": ENVIRONMENT, "x.json": '{"apiVersion": "v1"}', "units.yaml": UNIT})
    assert list(project.environments) == ["dev"]
    assert [unit.name for unit in project.units] == ["web"]


def test_several_documents_of_a_file_are_told_apart(tmp_path: Path) -> None:
    files = {
        "all.yaml": f"# all of it\n---\n{ENVIRONMENT}---\n{UNIT}--- # the other\n{UNIT.replace('web', 'api')}...\n"
    }
    project = project_of(tmp_path, files)
    assert [(unit.name, unit.location.line, unit.spec_line) for unit in project.units] == [
        ("web", 11, 15),
        ("api", 18, 22),
    ]


@pytest.mark.parametrize(
    "content",
    [
        "a: b: c: [",
        "{{- if .Values.on }}\nkind: x\n{{- end }}\n",
        "apiVersion: v1\nkind: ConfigMap\ndata:\n  x: |\n    apiVersion: gitops.nyl/v1\n",
        "# apiVersion: gitops.nyl/v1\nbroken: [\n",
        "apiVersion: apps/v1\nbroken: [ # unlike gitops.nyl/v1\n",
        "- apiVersion: gitops.nyl/v1\n  kind: Environment\n",
        "\x00\x01\x02",
        b"\xff\xfe\x00broken",
        "",
    ],
)
def test_documents_of_others_may_hold_anything(tmp_path: Path, content: str | bytes) -> None:
    project = project_of(tmp_path, {"other.yaml": content, "dev.yaml": ENVIRONMENT})
    assert list(project.environments) == ["dev"]


def test_a_broken_document_beside_a_resource_is_nobodys_business(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"all.yaml": f"apiVersion: v1\ndata: [\n---\n{UNIT}"})
    assert [unit.name for unit in project.units] == ["web"]


def test_a_resource_that_is_indented_as_a_whole_is_found(tmp_path: Path) -> None:
    indented = "".join(f"  {line}\n" for line in UNIT.splitlines())
    assert [unit.name for unit in project_of(tmp_path, {"a.yaml": indented}).units] == ["web"]


def test_the_cache_folder_is_left_out(tmp_path: Path) -> None:
    assert project_of(tmp_path, {".nyl/x/dev.yaml": ENVIRONMENT}).environments == {}
    assert project_of(tmp_path, {"made/dev.yaml": ENVIRONMENT}, '[cache]\ndir = "./made/"').environments == {}


def test_symlinks_are_not_followed(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"dev.yaml": ENVIRONMENT})
    (tmp_path / "link.yaml").symlink_to("dev.yaml")
    assert list(tree.files((".yaml",))) == ["dev.yaml"]


def test_json_documents_are_resources_too(tmp_path: Path) -> None:
    unit = (
        '{"apiVersion": "units.gitops.nyl\\/v1", "kind": "Command", "metadata": {"name": "web"},\n'
        ' "spec": {"command": ["{{ values.size }}"]}}'
    )
    project = project_of(tmp_path, {"dev.yaml": ENVIRONMENT, "web.json": unit})
    assert project.render(project.environments["dev"]).units["web"].spec == {"command": ["small"]}


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    files = {
        "a.yaml": ENVIRONMENT,
        "b.yaml": UNIT.replace("values.size", "values.nope"),
        "c.yaml": UNIT.replace("name: web", "name: Web"),
        "d.yaml": "apiVersion: gitops.nyl/v1\nkind: Envronment\nmetadata: {name: x}\n",
        "e.yaml": "apiVersion: gitops.nyl/v1\nkind: Environment\nmetadata: {name: x\n",
        "f.yaml": ENVIRONMENT.replace("name: dev", "name: prod").replace("values:", "valeus:"),
    }
    found = problems_of(tmp_path, files)
    assert [(each.code, str(each.location)) for each in found] == [
        (Code.TEMPLATE_INVALID, "b.yaml:6"),
        (Code.RESOURCE_INVALID, "c.yaml:4"),
        (Code.KIND_UNKNOWN, "d.yaml:1"),
        (Code.YAML_INVALID, found[3].location and str(found[3].location)),
        (Code.RESOURCE_INVALID, "f.yaml:7"),
    ]
    assert all(each.fix for each in found)


def test_unknown_kinds_name_the_nearest_one(tmp_path: Path) -> None:
    unit = UNIT.replace("Command", "Comand")
    assert "Command" in the_problem(tmp_path, {"u.yaml": unit}, Code.KIND_UNKNOWN, "u.yaml", 1).fix


def test_unknown_fields_name_the_nearest_one(tmp_path: Path) -> None:
    environment = ENVIRONMENT + "  unitSelectr: {}\n"
    problem = the_problem(tmp_path, {"e.yaml": environment}, Code.RESOURCE_INVALID, "e.yaml", 8)
    assert "unitSelector" in problem.message


@pytest.mark.parametrize("name", ["Web", "-web", "web-", "a" * 64, "wéb", "a/b", "..", "a b", "[red]x[/red]"])
@pytest.mark.parametrize("text", [UNIT, ENVIRONMENT], ids=["unit", "environment"])
def test_hostile_names_are_refused(tmp_path: Path, name: str, text: str) -> None:
    named = text.replace("name: web", f"name: '{name}'").replace("name: dev", f"name: '{name}'")
    the_problem(tmp_path, {"x.yaml": named}, Code.RESOURCE_INVALID, "x.yaml", 4)


def test_a_name_that_ends_with_a_line_feed_is_refused(tmp_path: Path) -> None:
    unit = UNIT.replace("name: web", 'name: "web\\n"')
    the_problem(tmp_path, {"u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 4)


@pytest.mark.parametrize("name", ["no", "on", "yes", "y", "off"])
def test_words_that_older_yaml_takes_for_booleans_stay_names(tmp_path: Path, name: str) -> None:
    project = project_of(tmp_path, {"u.yaml": UNIT.replace("name: web", f"name: {name}")})
    assert [unit.name for unit in project.units] == [name]


@pytest.mark.parametrize(
    ("name", "code"), [("1.10", Code.YAML_INVALID), ("007", Code.YAML_INVALID), ("12", Code.RESOURCE_INVALID)]
)
def test_numbers_as_names_are_refused_with_a_word_on_quotes(tmp_path: Path, name: str, code: Code) -> None:
    unit = UNIT.replace("name: web", f"name: {name}")
    assert "quotes" in the_problem(tmp_path, {"u.yaml": unit}, code, "u.yaml", 4).fix


def test_two_environments_of_one_name_are_refused_with_both_places(tmp_path: Path) -> None:
    problem = the_problem(tmp_path, {"a.yaml": ENVIRONMENT, "b.yaml": ENVIRONMENT}, Code.NAME_TAKEN, "b.yaml", 1)
    assert "a.yaml:1" in problem.message


def test_two_units_of_one_name_in_one_selection_are_refused_with_both_places(tmp_path: Path) -> None:
    files = {"e.yaml": ENVIRONMENT, "a.yaml": UNIT, "b.yaml": UNIT}
    problem = the_problem(tmp_path, files, Code.NAME_TAKEN, "b.yaml", 1)
    assert "a.yaml:1" in problem.message
    assert problem.environment == "dev"


def test_two_units_of_one_name_may_be_selected_by_different_environments(tmp_path: Path) -> None:
    def selecting(name: str) -> str:
        environment = ENVIRONMENT.replace("name: dev", f"name: {name}")
        return environment + f"  unitSelector: {{matchLabels: {{in: {name}}}}}\n"

    units = {f"{name}.yaml": UNIT.replace("name: web", f"name: web\n  labels: {{in: {name}}}") for name in ("a", "b")}
    project = project_of(tmp_path, {**units, "ea.yaml": selecting("a"), "eb.yaml": selecting("b")})
    assert [set(project.render(each).units) for each in project.environments.values()] == [{"web"}, {"web"}]


def test_the_same_project_results_with_byte_order_marks_and_crlf(tmp_path: Path) -> None:
    plain = project_of(tmp_path / "a", {"e.yaml": ENVIRONMENT, "u.yaml": UNIT})
    odd = {
        name: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()
        for name, text in (("e.yaml", ENVIRONMENT), ("u.yaml", UNIT))
    }
    other = project_of(tmp_path / "b", odd)
    assert plain.units[0].spec_digest == other.units[0].spec_digest
    assert plain.render(plain.environments["dev"]).units == other.render(other.environments["dev"]).units


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings_are_refused_by_name(tmp_path: Path, encoding: str) -> None:
    problem = the_problem(tmp_path, {"u.yaml": UNIT.encode(encoding)}, Code.YAML_INVALID, "u.yaml", 1)
    assert "UTF-" in problem.message


def test_invalid_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    unit = UNIT.encode().replace(b"web.sh", b"w\xe9b.sh")
    assert "0xe9" in the_problem(tmp_path, {"u.yaml": unit}, Code.YAML_INVALID, "u.yaml", 6).message


def test_duplicate_keys_are_refused_at_any_depth_with_both_lines(tmp_path: Path) -> None:
    files = {"e.yaml": ENVIRONMENT, "u.yaml": UNIT + "  command: [x]\n"}
    assert "command" in the_problem(tmp_path, files, Code.TEMPLATE_INVALID, "u.yaml", 7).message
    unit = UNIT.replace("metadata:\n", "metadata:\n  name: other\n")
    problem = the_problem(tmp_path / "b", {"u.yaml": unit}, Code.YAML_INVALID, "u.yaml", 5)
    assert "line 4" in problem.message


def test_a_second_spec_is_refused_with_both_lines(tmp_path: Path) -> None:
    problem = the_problem(tmp_path, {"u.yaml": UNIT + "spec: {}\n"}, Code.YAML_INVALID, "u.yaml", 7)
    assert "5 and 7" in problem.message


def test_alias_bombs_and_deep_nesting_are_refused(tmp_path: Path) -> None:
    bomb = (
        ENVIRONMENT
        + "  b0: &b0 [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(f"  b{n}: &b{n} [{', '.join([f'*b{n - 1}'] * 10)}]\n" for n in range(1, 9))
    )
    assert [each.code for each in problems_of(tmp_path, {"e.yaml": bomb})] == [Code.YAML_INVALID]
    deep = ENVIRONMENT + "  deep: " + "[" * 5000 + "]" * 5000 + "\n"
    assert [each.code for each in problems_of(tmp_path / "b", {"e.yaml": deep})] == [Code.YAML_INVALID]


def test_an_unreadable_file_is_an_error(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, {"u.yaml": UNIT})
    (tmp_path / "u.yaml").unlink()
    (tmp_path / "u.yaml").mkdir()
    assert list(tree.files((".yaml",))) == []


def test_drivers_are_only_looked_for_when_a_file_needs_one(tmp_path: Path) -> None:
    kinds = Kinds()
    project_of(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": UNIT}, kinds=kinds)
    assert kinds.asked == 0


def test_units_of_installed_drivers_are_found(tmp_path: Path) -> None:
    image = f"apiVersion: {OTHER}\nkind: Image\nmetadata: {{name: image}}\nspec: {{}}\n"
    cache = Cache(tmp_path / "cache")
    for _ in range(2):
        project = project_of(tmp_path, {"i.yaml": image, "other.yaml": "apiVersion: apps/v1\nx: [\n"}, cache=cache)
        assert [unit.name for unit in project.units] == ["image"]


def test_the_cache_changes_no_result_and_spares_reading(tmp_path: Path) -> None:
    files = {"e.yaml": ENVIRONMENT, "u.yaml": UNIT}
    cache = Cache(tmp_path / "cache" / "c.sqlite")
    first = project_of(tmp_path, files, cache=cache)
    rendered = first.render(first.environments["dev"])
    second = project_of(tmp_path, files, cache=cache)
    assert (second.environments, second.units) == (first.environments, first.units)
    assert second.render(second.environments["dev"]) == rendered


def test_problems_are_reported_again_when_everything_else_is_cached(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache")
    files = {"u.yaml": UNIT.replace("name: web", "name: Web")}
    for _ in range(2):
        with pytest.raises(Exception, match="NYL-RESOURCE-INVALID"):
            project_of(tmp_path, files, cache=cache)


def test_trees_with_the_same_files_share_a_project(tmp_path: Path) -> None:
    finder = Discovery(Kinds(), Cache(None))
    trees = [tree_of(tmp_path / name, {"e.yaml": text}) for name, text in (("a", ENVIRONMENT), ("b", ENVIRONMENT))]
    changed = tree_of(tmp_path / "c", {"e.yaml": ENVIRONMENT + "  driftRepair: manual\n"})
    first, second, third = (finder.project(tree, ProjectConfig()) for tree in (*trees, changed))
    assert first is second
    assert third.environments != first.environments
    assert finder.project(trees[0], ProjectConfig(cache_dir="other")) is not first


@pytest.mark.parametrize("damage", [b"", b"{", b"1", b"[1, 2, 3]", b"1,2", b"[[], [[1]], []]"])
def test_damaged_cache_rows_change_no_result(tmp_path: Path, damage: bytes) -> None:
    class Damaged(Cache):
        def get_many(self, namespace: str, keys: Iterable[str]) -> dict[str, bytes]:
            return dict.fromkeys(keys, damage)

    files = {"e.yaml": ENVIRONMENT, "u.yaml": UNIT}
    project = project_of(tmp_path, files, cache=Damaged(None))
    assert project.render(project.environments["dev"]).units["web"].spec == {"command": ["./web.sh", "small"]}
