"""Runs page, Transition commits: what a run leaves in Git."""

import json
import re

import yaml

from tests.support.world import World

TRAILERS = (
    "Nyl-Operation",
    "Nyl-Run-Id",
    "Nyl-Environment",
    "Nyl-Source-Commit",
    "Nyl-Read-Desired",
    "Nyl-Read-Observed",
    "Nyl-Runner",
    "Nyl-Evaluated-At",
    "Nyl-Version",
)


def trailers(world: World, ref: str = "observed") -> dict[str, str]:
    """The trailers of a state ref's newest commit, as git reads them."""
    lines = world.git("interpret-trailers", "--parse", stdin=world.message(ref)).splitlines()
    return dict(line.split(": ", 1) for line in lines)


def summary(world: World) -> str:
    """The machine-readable part of the newest observed commit."""
    return world.message().split("\n\n", 2)[1]


def test_the_message_has_headline_summary_and_trailers_in_order(reconciled: World) -> None:
    headline, units, tail = reconciled.message().split("\n\n")
    assert headline == "nyl: reconcile dev (2 executed)"
    assert units.startswith("units:\n  database: {")
    assert tuple(line.split(":")[0] for line in tail.splitlines()) == TRAILERS


def test_the_summary_holds_every_units_result_as_json_on_one_line(reconciled: World) -> None:
    lines = summary(reconciled).splitlines()
    results = {
        line.split(": ", 1)[0].strip(): json.loads(line.split(": ", 1)[1]) for line in lines if line.startswith("  ")
    }
    assert {name: each["result"] for name, each in results.items()} == {"database": "executed", "migrate": "executed"}
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", results["database"]["executionKey"])
    assert lines[-2:] == ["recovered: []", "imported: []"]


def test_the_headline_counts_each_result_except_current(reconciled: World) -> None:
    reconciled.unit("extra", script="exit 1").commit()
    reconciled.reconcile(exits=3)
    assert reconciled.message().splitlines()[0] == "nyl: reconcile dev (1 failed)"
    assert yaml.safe_load(summary(reconciled))["units"]["database"] == {"result": "current"}


def test_a_failure_has_its_category_and_whether_it_is_retryable(world: World) -> None:
    world.environment().unit("extra", script="exit 1").initialise().reconcile(exits=3)
    failed = yaml.safe_load(summary(world))["units"]["extra"]
    assert (failed["result"], failed["category"], failed["retryable"]) == ("failed", "execution", False)


def test_trailers_name_source_run_and_what_was_read(pair: World) -> None:
    first = pair.state()
    ended = pair.reconcile().environment()
    found = trailers(pair)
    assert found["Nyl-Read-Desired"] == found["Nyl-Read-Observed"] == first
    assert found["Nyl-Source-Commit"] == pair.git("rev-parse", "HEAD") == ended["source"]
    assert found["Nyl-Run-Id"] == ended["run"]
    assert (found["Nyl-Operation"], found["Nyl-Environment"]) == ("reconcile", "dev")


def test_a_run_writes_one_commit_to_each_state_ref(pair: World) -> None:
    before = {ref: pair.state(ref) for ref in ("desired", "observed")}
    pair.reconcile()
    for ref, old in before.items():
        assert pair.git("rev-list", "--count", f"{old}..{pair.state(ref)}", cwd=pair.origin) == "1"


def test_nothing_but_the_state_refs_remains(reconciled: World) -> None:
    assert set(reconciled.state_refs()) == {"refs/heads/nyl/dev/desired", "refs/heads/nyl/dev/observed"}


def test_state_init_starts_both_refs_at_one_commit(pair: World) -> None:
    assert pair.state("desired") == pair.state("observed")


def test_commits_are_authored_by_git_s_user(reconciled: World) -> None:
    assert (
        reconciled.git("log", "-1", "--format=%an <%ae>", reconciled.state(), cwd=reconciled.origin)
        == "Alice Example <alice@example.com>"
    )


def test_author_option_wins(pair: World) -> None:
    pair.reconcile("--author", "Bob Builder <bob@example.com>")
    assert pair.git("log", "-1", "--format=%an <%ae>", pair.state(), cwd=pair.origin) == "Bob Builder <bob@example.com>"


def test_without_identity_nothing_runs(pair: World) -> None:
    (pair.tmp / "home/.gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    refused = pair.reconcile(exits=1)
    assert "NYL-COMMIT-IDENTITY-MISSING" in refused.codes
    assert pair.ran() == []


def test_reading_needs_no_identity(reconciled: World) -> None:
    (reconciled.tmp / "home/.gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    reconciled.plan()
    reconciled.report("status", "-e", "dev")
    reconciled.nyl("get", "output", "database/host", "-e", "dev")
    reconciled.nyl("history", "-e", "dev")


def test_dates_and_names_never_come_from_the_environment(pair: World) -> None:
    pair.reconcile(environ={"GIT_COMMITTER_DATE": "2001-01-01T00:00:00Z", "GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z"})
    assert not pair.git("log", "-1", "--format=%aI %cI", pair.state(), cwd=pair.origin).startswith("2001")


def test_units_that_leave_and_cannot_be_torn_down_are_released_and_exit_0(reconciled: World) -> None:
    reconciled.remove("units/migrate.yaml").commit()
    ended = reconciled.reconcile().environment()
    assert [(each["unit"], each["why"]) for each in ended["leaving"]] == [("migrate", "removed")]
    assert ended["units"]["migrate"]["result"] == "released"


def test_plan_fails_on_leaving_when_asked(reconciled: World) -> None:
    reconciled.remove("units/migrate.yaml").commit()
    assert "NYL-PLAN-UNITS-LEAVING" in reconciled.plan().codes
    reconciled.plan("--fail-on-leaving", exits=1)


def test_the_text_names_only_refs_that_were_written(reconciled: World) -> None:
    unchanged = reconciled.nyl("reconcile", "-e", "dev").stdout
    assert "no changes" in unchanged
    assert reconciled.state() not in unchanged
    reconciled.environment("dev", values={"size": "large"}).commit()
    changed = reconciled.nyl("reconcile", "-e", "dev").stdout
    assert reconciled.state("observed")[:7] in changed
    assert reconciled.state("desired")[:7] in changed


def test_history_lists_the_transitions(reconciled: World) -> None:
    shown = reconciled.nyl("history", "-e", "dev").stdout
    assert "reconcile" in shown
    assert reconciled.git("rev-parse", "HEAD")[:7] in shown


def test_state_check_finds_nothing_wrong(reconciled: World) -> None:
    reconciled.nyl("state", "check", "-e", "dev")


def test_uninitialised_state_names_the_command_that_makes_it(world: World) -> None:
    world.pair().commit()
    refused = world.nyl("reconcile", "-e", "dev", exits=1)
    assert "NYL-STATE-MISSING" in refused.stderr
    assert "nyl state init -e dev" in refused.stderr
