"""Runs page, Units: envelopes, selection, templates and the common fields."""

import pytest

from tests.support import declarations
from tests.support.world import World


def test_labels_select_units_before_anything_renders(world: World) -> None:
    world.environment(unitSelector={"matchLabels": {"tier": "platform"}})
    world.unit("database", labels={"tier": "platform"})
    world.unit("broken", labels={"tier": "other"}, values={"x": "{{ nothing.here }}"}).initialise()
    assert world.reconcile().verdicts() == {"database": "executed"}


def test_the_spec_renders_once_for_each_environment_with_its_values(world: World) -> None:
    world.environment("dev", values={"size": "small"}).environment("production", values={"size": "large"})
    world.unit("database", writes={"host": "db-$1"}, arguments=["{{ values.size }}"])
    world.initialise("dev", "production").reconcile("-e", "dev", "-e", "production")
    hosts = [world.nyl("get", "output", "database/host", "-e", each).stdout.strip() for each in ("dev", "production")]
    assert [each.strip('"') for each in hosts] == ["db-small", "db-large"]


def test_templates_see_the_environment(world: World) -> None:
    world.environment().unit("where", writes={"name": "$1"}, arguments=["{{ environment.metadata.name }}"])
    assert world.initialise().reconcile().unit("where")["outputs"] == {"name": "dev"}


def test_two_selected_units_of_one_name_are_refused(world: World) -> None:
    world.environment().unit("database").write("more.yaml", declarations.command("database", ["true"])).initialise()
    refused = world.report("validate", exits=1)
    assert "NYL-NAME-TAKEN" in refused.codes
    assert {"units/database.yaml", "more.yaml"} <= {word for each in refused.diagnostics for word in _files(each)}


def test_one_name_may_mean_different_units_in_different_environments(world: World) -> None:
    for name in ("dev", "production"):
        world.environment(name, unitSelector={"matchLabels": {"stage": name}})
        world.write(f"{name}.yaml", declarations.command("database", ["true"], {"stage": name}, timeout="1m"))
    world.commit()
    world.report("validate")


def test_enabled_false_takes_a_unit_out(world: World) -> None:
    world.environment().unit("database").unit("cache", enabled=False).initialise()
    assert world.reconcile().verdicts() == {"database": "executed"}


def test_a_unit_that_renders_to_nothing_is_out_of_the_environment(world: World) -> None:
    world.environment(values={"cache": False}).unit("database")
    world.write(
        "units/cache.yaml",
        "apiVersion: units.gitops.nyl/v1\nkind: Command\nmetadata:\n  name: cache\nspec:\n"
        "{% if values.cache %}\n  command: ['false']\n{% endif %}\n",
    )
    assert world.initialise().reconcile().verdicts() == {"database": "executed"}


def test_the_envelope_is_literal(world: World) -> None:
    world.environment(values={"name": "x"})
    world.write("units/x.yaml", declarations.command("x", ["true"]).replace("name: x", "name: '{{ values.name }}'"))
    world.commit()
    refused = world.report("validate", exits=1)
    assert refused.diagnostics[0]["code"].startswith("NYL-")
    assert "units/x.yaml" in str(refused.diagnostics)


def test_depends_on_orders_without_a_data_reference(world: World) -> None:
    world.environment().unit("a", dependsOn=["b"]).unit("b", dependsOn=[{"unit": "c"}]).unit("c").initialise()
    world.reconcile()
    assert world.ran() == ["c", "b", "a"]


def test_a_dependency_without_a_current_receipt_blocks(world: World) -> None:
    world.environment().unit("first", script="exit 1").unit("second", dependsOn=["first"]).initialise()
    assert world.reconcile(exits=3).verdicts() == {"first": "failed", "second": "blocked"}
    assert world.ran() == ["first"]


def test_a_timeout_longer_than_seven_days_is_refused(world: World) -> None:
    world.environment().unit("database", timeout="8d").commit()
    refused = world.report("validate", exits=1)
    assert "timeout" in str(refused.diagnostics)


def test_an_execution_that_passes_its_timeout_is_uncertain(world: World) -> None:
    world.environment().unit("slow", script="sleep 60", timeout="1s").initialise()
    ended = world.reconcile(exits=4)
    assert ended.verdicts() == {"slow": "uncertain"}
    assert world.stored("observed/units/slow.yaml")["condition"]["state"] == "uncertain"


def test_only_passed_through_variables_reach_a_unit(world: World) -> None:
    world.environment()
    world.unit("probe", writes={"seen": "${REGION-none} ${SECRET_PLACE-none}"}, env={"passthrough": ["REGION"]})
    ended = world.initialise().reconcile(environ={"REGION": "north", "SECRET_PLACE": "here"})
    assert ended.unit("probe")["outputs"] == {"seen": "north none"}


def test_secrets_come_from_the_provider_and_never_show(world: World) -> None:
    world.write("nyl.toml", '[secrets]\nprovider = "env"\n').environment()
    world.unit(
        "login",
        script='test "$PASSWORD" = hunter2-hunter2; echo "with $PASSWORD"',
        env={"secrets": {"PASSWORD": "db-password"}},
    )
    ended = world.initialise().reconcile(environ={"NYL_SECRET_DB_PASSWORD": "hunter2-hunter2"})
    assert ended.verdicts() == {"login": "executed"}
    assert "hunter2" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("wanted", [{"passthrough": ["REGION"]}, {"secrets": {"PASSWORD": "db-password"}}])
def test_missing_credentials_stop_the_unit_before_execution(world: World, wanted: dict[str, object]) -> None:
    world.write("nyl.toml", '[secrets]\nprovider = "env"\n').environment().unit("login", env=wanted).initialise()
    ended = world.reconcile(exits=3)
    assert (ended.unit("login")["category"], ended.unit("login")["retryable"]) == ("credentials", True)
    assert world.ran() == []
    supplied = {"REGION": "north", "NYL_SECRET_DB_PASSWORD": "hunter2-hunter2"}
    assert world.reconcile(environ=supplied).verdicts() == {"login": "executed"}


def test_an_environment_bounds_what_its_units_may_ask_for(world: World) -> None:
    world.environment(admission={"passthrough": ["AWS_*"]}).unit(
        "probe", env={"passthrough": ["HOME_TOWN"]}
    ).initialise()
    refused = world.reconcile(exits=1, environ={"HOME_TOWN": "x"})
    assert "NYL-ADMISSION-DENIED" in refused.codes
    assert world.ran() == []


@pytest.mark.parametrize(
    ("declared", "written"),
    [("integer", '"five"'), ("string", "5"), ("boolean", "1"), ("array", "{}"), ("object", "[]"), ("number", "null")],
)
def test_an_output_of_the_wrong_type_fails_the_unit(world: World, declared: str, written: str) -> None:
    script = f"""printf '{{"value": {written}}}' > "$NYL_OUTPUTS" """
    world.environment().unit("wrong", outputs={"value": {"type": declared}}, script=script).initialise()
    ended = world.reconcile(exits=3)
    assert ended.unit("wrong")["result"] == "failed"
    assert "value" in str(ended.unit("wrong"))


def test_a_sensitive_output_is_checked_and_never_stored(world: World) -> None:
    outputs = {"host": {"type": "string"}, "password": {"type": "string", "sensitive": True}}
    (world.tmp / "made.json").write_text('{"host": "db-one", "password": "hunter2-hunter2"}')
    world.environment().unit("database", outputs=outputs, script=f"cp '{world.tmp}/made.json' \"$NYL_OUTPUTS\"")
    ended = world.initialise().reconcile()
    everything = world.git("log", "--all", "-p", cwd=world.origin) + ended.stdout + ended.stderr
    assert "db-one" in everything
    assert "hunter2" not in everything


def test_a_sensitive_output_of_the_wrong_type_fails_the_unit(world: World) -> None:
    outputs = {"password": {"type": "string", "sensitive": True}}
    world.environment().unit("database", outputs=outputs, writes={"password": 5}).initialise()
    assert world.reconcile(exits=3).verdicts() == {"database": "failed"}


def _files(diagnostic: dict[str, object]) -> list[str]:
    return str(diagnostic).replace(":", " ").replace("'", " ").replace(",", " ").split()
