"""Runs page, Execution keys and receipts: what runs a unit again, and what does not."""

from pathlib import Path

from tests.support.world import World


def runs_again(world: World) -> bool:
    """Whether `database` of the reconciled pair runs again after what the test committed."""
    world.commit()
    world.forget().reconcile()
    return "database" in world.ran()


def test_a_repeated_reconcile_executes_nothing_and_writes_nothing(reconciled: World) -> None:
    before = reconciled.refs()
    assert reconciled.reconcile().verdicts() == {"database": "current", "migrate": "current"}
    assert (reconciled.ran(), reconciled.refs()) == ([], before)


def test_a_new_commit_that_touches_other_files_writes_nothing(reconciled: World) -> None:
    before = reconciled.state_refs()
    assert not runs_again(reconciled.write("notes.txt", "x\n"))
    assert reconciled.state_refs() == before


def test_the_content_of_a_units_files_decides(reconciled: World) -> None:
    assert runs_again(reconciled.unit("database", writes={"host": "db-$1"}, script=": changed", arguments=["small"]))


def test_a_touched_but_equal_file_does_not(reconciled: World) -> None:
    text = (reconciled.project / "scripts/database.sh").read_bytes()
    assert not runs_again(reconciled.write("scripts/database.sh", text))


def test_the_executable_bit_of_a_file_decides(world: World) -> None:
    world.environment().unit("database", files=["data.txt"]).write("data.txt", "x").initialise()
    world.reconcile()
    assert runs_again(world.write("data.txt", "x", 0o755))


def test_a_file_that_becomes_a_link_of_the_same_bytes_decides(world: World) -> None:
    world.environment().write("data/x", "y").write("data/y", "").unit("database", files=["data/*"]).initialise()
    world.reconcile()
    world.remove("data/x")
    (world.project / "data/x").symlink_to("y")
    world.commit()
    assert runs_again(world)


def test_a_new_file_that_a_glob_matches_decides(world: World) -> None:
    world.environment().write("data/one.txt", "1").unit("database", files=["data/**"]).initialise()
    world.reconcile()
    assert runs_again(world.write("data/deep/two.txt", "2"))


def test_the_resolved_spec_decides(reconciled: World) -> None:
    assert runs_again(reconciled.environment("dev", values={"size": "large"}))


def test_values_of_the_environment_that_a_unit_does_not_use_do_not(reconciled: World) -> None:
    assert not runs_again(reconciled.environment("dev", values={"size": "small", "colour": "blue"}))


def test_the_names_of_variables_decide_and_their_values_do_not(world: World) -> None:
    world.environment().unit("database", env={"passthrough": ["REGION"]}).initialise()
    world.reconcile(environ={"REGION": "north", "ZONE": "a"})
    assert world.forget().reconcile(environ={"REGION": "south", "ZONE": "a"}).verdicts() == {"database": "current"}
    world.unit("database", env={"passthrough": ["REGION", "ZONE"]}).commit()
    assert world.reconcile(environ={"REGION": "south", "ZONE": "a"}).verdicts() == {"database": "executed"}


def test_neutral_fields_do_not_run_a_unit_again(world: World) -> None:
    world.environment().unit("first").unit("database").initialise()
    world.reconcile()
    fields = {"timeout": "5m", "idempotent": True, "dependsOn": ["first"], "deletionPolicy": "Retain"}
    assert not runs_again(world.unit("database", **fields))


def test_a_producer_that_runs_again_with_the_same_outputs_leaves_its_consumers(reconciled: World) -> None:
    reconciled.unit("database", writes={"host": "db-$1"}, script=": changed", arguments=["small"])
    reconciled.commit()
    assert reconciled.reconcile().verdicts() == {"database": "executed", "migrate": "current"}


def test_a_producer_with_other_outputs_runs_its_consumers_again(reconciled: World) -> None:
    reconciled.environment("dev", values={"size": "large"}).commit()
    assert reconciled.reconcile().verdicts() == {"database": "executed", "migrate": "executed"}


def test_the_output_of_a_fingerprint_decides(world: World) -> None:
    place = world.tmp / "version"
    place.write_text("1")
    world.environment().unit("database", fingerprint=["cat", str(place)]).initialise()
    world.reconcile()
    assert not runs_again(world)
    place.write_text("2")
    assert runs_again(world)


def test_a_failing_fingerprint_names_the_unit(world: World) -> None:
    world.environment().unit("database", fingerprint=["false"]).initialise()
    refused = world.reconcile(exits=(1, 3))
    assert "NYL-FINGERPRINT-FAILED" in refused.codes
    assert world.ran() == []


def test_the_report_says_why_each_unit_runs(reconciled: World) -> None:
    reconciled.environment("dev", values={"size": "large"}).commit()
    ended = reconciled.reconcile()
    assert all(ended.unit(name)["reason"] for name in ("database", "migrate"))


def test_the_first_run_of_a_unit_says_that_it_has_no_receipt(pair: World) -> None:
    assert pair.plan().unit("database")["reasons"] == ["no receipt"]
    assert pair.reconcile().unit("database")["reason"] == "no receipt"


def test_plan_explains_what_differs(reconciled: World) -> None:
    reconciled.environment("dev", values={"size": "large"})
    reconciled.write("scripts/database.sh", "#!/bin/sh\nexit 0\n").commit()
    shown = reconciled.nyl("plan", "-e", "dev", "--explain", "database", exits=(0, 2)).stdout
    assert "/command/1" in shown
    assert "scripts/database.sh" in shown


def test_a_comment_explains_every_unit_that_runs_and_stdout_only_what_was_asked(
    reconciled: World, tmp_path: Path
) -> None:
    source = reconciled.environment("dev", values={"size": "large"}).commit()
    planned = reconciled.plan("--report", f"markdown:{tmp_path}/plan.md", f"--report=json:{tmp_path}/plan.json")
    shown = (tmp_path / "plan.md").read_text()
    assert "! spec /command/1" in shown
    assert 'n0["database"]:::runs' in shown
    assert f"- Source commit: `{source}`\n- Tree: `{planned.environment()['tree']}`" in shown
    assert "What differs" not in reconciled.nyl("plan", "-e", "dev", f"--report=markdown:{tmp_path}/x", exits=2).stdout


def test_a_receipt_records_what_ran_and_what_it_made(reconciled: World) -> None:
    receipt = reconciled.stored("observed/units/database.yaml")["receipt"]
    desired = reconciled.stored("desired/units/database.yaml", "desired")
    assert receipt["outputs"] == {"host": "db-small"}
    assert receipt["executionKey"] == desired["executionKey"]
    assert receipt["executionKey"].startswith("sha256:")
    assert {"run", "readDesired", "startedAt", "finishedAt", "behaviorVersion"} <= set(receipt)


def test_the_desired_document_names_the_files_that_were_read(reconciled: World) -> None:
    desired = reconciled.stored("desired/units/database.yaml", "desired")
    assert "scripts/database.sh" in str(desired["inputs"])
    assert desired["spec"]["command"] == ["./scripts/database.sh", "small"]


def test_a_glob_that_matches_nothing_is_an_error(world: World) -> None:
    world.environment().unit("database", files=["nowhere/*.txt"]).initialise()
    refused = world.reconcile(exits=(1, 3))
    assert "nowhere/*.txt" in refused.stdout
    assert world.ran() == []
