import json

from tests.support.world import World


def test_init_starts_both_refs_at_one_commit(world: World) -> None:
    world.pair().commit()
    ended = world.nyl("state", "init", "-e", "dev", "-o", "json")
    assert ended.json["operation"] == "state-init"
    assert (
        ended.json["details"]["desired"] == ended.json["details"]["observed"] == world.state() == world.state("desired")
    )


def test_init_prints_what_it_made(world: World) -> None:
    world.pair().commit()
    lines = world.nyl("state", "init", "-e", "dev").stdout.splitlines()
    assert lines[:2] == ["state-init dev: done", f"  desired: {world.state('desired')}"]


def test_init_refuses_a_second_time(known: World) -> None:
    refused = known.nyl("state", "init", "-e", "dev", exits=1).stderr
    assert "error NYL-STATE-EXISTS" in refused
    assert "another project's environment of this name" in refused


def test_init_takes_an_author(world: World) -> None:
    world.pair().commit()
    nobody = {"GIT_CONFIG_GLOBAL": "/dev/null"}
    assert "NYL-COMMIT-IDENTITY-MISSING" in world.nyl("state", "init", "-e", "dev", exits=1, environ=nobody).stderr
    world.nyl("state", "init", "-e", "dev", "--author", "Carol <carol@example.com>", environ=nobody)
    assert world.git("log", "-1", "--format=%an <%ae>", world.state(), cwd=world.origin) == "Carol <carol@example.com>"


def test_show_prints_the_documents_by_path(known: World) -> None:
    shown = json.loads(known.nyl("state", "show", "-e", "dev", "-o", "json").stdout)
    assert shown["observed/units/database.yaml"] == known.stored("observed/units/database.yaml")
    assert "state.yaml" in shown


def test_check_counts_what_it_read(known: World) -> None:
    assert known.nyl("state", "check", "-e", "dev").stdout.startswith("state-check dev: done\n  documents: ")


def test_history_tells_each_transition_newest_first(known: World) -> None:
    told = known.nyl("history", "-e", "dev", "-o", "json").json["details"]["transitions"]
    assert [each["operation"] for each in told] == ["reconcile", "state-init"]
    assert told[0]["results"] == {"database": "executed", "migrate": "executed"}
    assert told[0]["commit"] == known.state()
    assert told[0]["author"] == "Alice Example <alice@example.com>"


def test_history_can_be_about_one_unit_and_short(known: World) -> None:
    table = known.nyl("history", "-e", "dev", "--unit", "migrate").stdout.splitlines()
    assert table[0].split() == ["WHEN", "OPERATION", "WHO", "SOURCE", "COMMIT", "RESULTS"]
    assert table[1].endswith("  executed")
    assert len(known.nyl("history", "-e", "dev", "--limit", "1").stdout.splitlines()) == 2


def test_reset_needs_a_reason(known: World) -> None:
    assert "--reason" in known.nyl("state", "reset", "-e", "dev", exits=1).stderr


def test_publish_and_reset_of_nothing_do_nothing(known: World) -> None:
    before = known.refs()
    assert known.nyl("state", "publish", "-e", "dev").stdout == "state-publish dev: done\n  commits: 0\n"
    reset = known.nyl("state", "reset", "-e", "dev", "--reason", "nothing there").stdout
    assert reset == "state-reset dev: done\n  commits: 0\n  runs: []\n  units: []\n"
    assert known.refs() == before
    assert known.git("for-each-ref", "refs/nyl-dropped") == ""
