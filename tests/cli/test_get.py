import json

import pytest
import yaml

from tests.support.world import World


def test_outputs_print_as_scripts_want_them(known: World) -> None:
    assert known.nyl("get", "output", "database/host", "-e", "dev").stdout == "db-small\n"
    assert known.nyl("get", "output", "database/port", "-e", "dev").stdout == "5432\n"
    assert known.nyl("get", "output", "database/host", "-e", "dev", "-o", "json").stdout == '"db-small"\n'


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["output", "database/nope"], "NYL-VALUE-UNRESOLVED"),
        (["output", "databse/host"], "NYL-UNIT-UNKNOWN"),
        (["output", "host"], "NYL-USAGE"),
        (["artifact", "database/tree"], "NYL-VALUE-UNRESOLVED"),
        (["artifact", "database/tree", "--pointer", "x"], "NYL-USAGE"),
        (["unit", "databse"], "NYL-UNIT-UNKNOWN"),
        (["outputs", "--revision", "main"], "NYL-SOURCE-MISSING"),
    ],
)
def test_what_does_not_resolve_exits_1_with_its_code(known: World, arguments: list[str], code: str) -> None:
    ended = known.nyl("get", *arguments, "-e", "dev", "-o", "json", exits=1)
    assert {each["code"] for each in ended.json["diagnostics"]} == {code}


def test_an_unknown_unit_is_answered_with_the_nearest(known: World) -> None:
    assert "did you mean database?" in known.nyl("get", "unit", "databse", "-e", "dev", exits=1).stderr


def test_a_stale_value_prints_only_when_asked_for(world: World) -> None:
    world.environment().unit("a", writes={"x": "one"}).initialise()
    world.nyl("reconcile", "-e", "dev")
    world.unit("a", script="exit 3", writes={"x": "two"}).commit()
    world.nyl("reconcile", "-e", "dev", exits=3)
    assert "NYL-VALUE-UNRESOLVED" in world.nyl("get", "output", "a/x", "-e", "dev", exits=1).stderr
    ended = world.nyl("get", "output", "a/x", "-e", "dev", "--allow-stale")
    assert ended.stdout == "one\n"
    assert ended.stderr.startswith("\nwarning NYL-VALUE-UNRESOLVED (a)")


def test_a_unit_prints_its_stored_documents(known: World) -> None:
    both = yaml.safe_load(known.nyl("get", "unit", "database", "-e", "dev").stdout)
    assert both == {
        "desired": known.stored("desired/units/database.yaml", "desired"),
        "observed": known.stored("observed/units/database.yaml"),
    }
    one = json.loads(known.nyl("get", "unit", "database", "-e", "dev", "--observed", "-o", "json").stdout)
    assert one == both["observed"]


def test_units_show_what_is_declared_and_what_is_recorded(known: World) -> None:
    units = known.nyl("get", "units", "-o", "json").json["details"]["units"]
    assert [(each["unit"], each["state"]) for each in units] == [("database", "active"), ("migrate", "active")]
    assert units[0]["file"] == "units/database.yaml:1"


def test_units_of_an_environment_without_state_are_listed_too(world: World) -> None:
    world.pair().commit()
    table = world.nyl("get", "units", "-e", "dev").stdout.splitlines()
    assert table[1].split() == ["dev", "database", "Command", "units/database.yaml:1"]


def test_outputs_and_environments_are_tables(known: World) -> None:
    assert known.nyl("get", "outputs").stdout == (
        "ENVIRONMENT  UNIT      OUTPUT  VALUE\n"
        "dev          database  host    db-small\n"
        "dev          database  port    5432\n"
    )
    assert known.nyl("get", "environments").stdout.splitlines()[1].split()[:2] == ["dev", "stage=dev"]


def test_nothing_to_list_says_so(known: World) -> None:
    assert known.nyl("get", "runs").stdout == "no runs\n"
    assert known.nyl("get", "artifacts", "-e", "dev").stdout == "no artifacts\n"


def test_state_is_read_as_of_a_commit(world: World) -> None:
    world.pair().initialise()
    world.nyl("reconcile", "-e", "dev")
    before = world.state()
    world.environment("dev", values={"size": "large"}).commit()
    world.nyl("reconcile", "-e", "dev")
    arguments = ("get", "output", "database/host", "-e", "dev")
    assert world.nyl(*arguments).stdout == "db-large\n"
    assert world.nyl(*arguments, "--revision", before).stdout == "db-small\n"


def test_the_graph_has_an_arrow_from_producer_to_consumer(known: World) -> None:
    assert known.nyl("get", "graph", "-e", "dev").stdout == (
        'flowchart LR\n    n0["database"]\n    n1["migrate"]\n    n0 -->|"host"| n1\n'
    )
    assert '"database" -> "migrate" [label="host"];' in known.nyl("get", "graph", "-e", "dev", "--format", "dot").stdout


def test_kinds_need_no_project(world: World) -> None:
    kinds = world.nyl("get", "kinds", "-o", "json", cwd=world.tmp).json["details"]["kinds"]
    assert ("units.gitops.nyl/v1", "Command") in [(each["apiVersion"], each["kind"]) for each in kinds]


def test_reading_needs_no_identity(known: World) -> None:
    nobody = {"GIT_CONFIG_GLOBAL": "/dev/null", "EMAIL": ""}
    for command in (["status"], ["plan", "-e", "dev"], ["get", "units"], ["history", "-e", "dev"]):
        known.nyl(*command, environ=nobody)
