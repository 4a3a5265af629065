import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, Severity
from nyl.engine.results import (
    Action,
    EnvironmentReport,
    Explanation,
    Finding,
    Leaving,
    LeavingEffect,
    LeavingWhy,
    Report,
    ReportKind,
    Result,
    UnitReport,
    UnitState,
)
from nyl.engine.unit_edges import Edge, UnitGraph
from nyl.project.units import ApprovalBinding, ApprovalPolicy
from nyl.report.markdown.comment import COMMENT_LIMIT, markdown_text
from nyl.report.markdown.context import MarkdownContext
from tests.report.builders import section, unit, warning
from tests.report.markdown.reports import DIGEST, SOURCE, five, plan_of
from tests.support.gfm import page
from tests.support.nasty import nasty_text

GOLDEN = Path(__file__).parent / "golden"
NOWHERE = MarkdownContext()
THERE = MarkdownContext("a" * 40, "b" * 40, "https://github.com/o/r/actions/runs/7")


def plan(*units: UnitReport, **fields: object) -> Report:
    return Report(ReportKind.PLAN, (section(*units, **{"run": None, **fields}),))


def leaver(name: str) -> UnitReport:
    return unit(name, Action.TEARDOWN, reason="left the ownership set (removed)", detail="needs --allow-teardown")


def leaves(name: str) -> Leaving:
    return Leaving(name, LeavingWhy.REMOVED, LeavingEffect.TEARDOWN)


@pytest.mark.parametrize("number", [1, 5, 30, 600])
def test_comments_are_as_they_were_found_good(number: int) -> None:
    assert markdown_text(plan_of(number), THERE) == (GOLDEN / f"{number}.md").read_text()


def test_the_headline_tells_the_outcome() -> None:
    text = markdown_text(five(), NOWHERE)
    assert text.startswith(
        "## Plan of `production`: 1 to execute, 1 awaiting approval, 1 leaving, 1 blocked\n\n"
        "5 units, 1 of them unchanged.\n\n"
        "> [!CAUTION]\n> **1 unit leaves** `production`\n>\n> - `cache`: **tear down**"
    )


def test_digests_can_be_pasted() -> None:
    assert f"nyl reconcile -e production \\\n  --approve database={DIGEST}\n" in markdown_text(five(), NOWHERE)


def test_units_of_several_environments_are_approved_by_their_whole_names() -> None:
    waiting = unit("a", Action.AWAIT_APPROVAL, change_digest=DIGEST)
    report = Report(ReportKind.PLAN, (section(waiting), section(waiting, environment="infra")))
    assert f"--approve infra/a={DIGEST}" in markdown_text(report, NOWHERE)


def test_no_approval_is_offered_of_a_change_that_is_not_shown() -> None:
    of_change = unit("hidden", Action.AWAIT_APPROVAL, approval=ApprovalPolicy(ApprovalBinding.PLAN))
    of_key = unit("keyed", Action.AWAIT_APPROVAL, approval=ApprovalPolicy())
    text = markdown_text(Report(ReportKind.PLAN, (section(of_change, of_key),)), NOWHERE)
    assert "--approve keyed\n" in text
    assert "--approve hidden" not in text


def test_the_commits_of_a_pull_request_are_named() -> None:
    text = markdown_text(five(), THERE)
    for line in (f"- Source commit: `{SOURCE}`", "- Tree: `4b825", f"- Head: `{'a' * 40}`", f"- Base: `{'b' * 40}`"):
        assert line in text
    assert f"git switch --detach {SOURCE}\nnyl plan -e production\n" in text


def test_of_600_units_the_five_that_change_are_shown_and_the_rest_is_counted() -> None:
    changing = [unit(f"new-{number}", Action.EXECUTE, reason="no receipt") for number in range(5)]
    text = markdown_text(plan(*changing, *(unit(f"old-{n}", Action.NONE) for n in range(595))), NOWHERE)
    assert "## Plan of `dev`: 5 to execute\n\n600 units, 595 of them unchanged.\n" in text
    assert "<details><summary>595 unchanged units</summary>" in text
    assert " and 495 more\n" in text
    assert text.count("`old-") == 100
    assert "shortened" not in text


def test_nothing_to_do_is_said_in_the_headline() -> None:
    assert markdown_text(plan(unit("a", Action.NONE)), NOWHERE).startswith("## Plan of `dev`: no changes\n")


def test_what_leaves_without_being_torn_down_says_so() -> None:
    text = markdown_text(plan(unit("a", Action.RELEASE), unit("b", Action.RETAIN)), NOWHERE)
    assert "> - `a`: **release (its resources stay)**\n> - `b`: **retain (as a tombstone)**\n" in text


def test_an_error_is_in_sight_with_its_fix() -> None:
    problem = Diagnostic(Code.STATE_MISSING, "dev has no state", "run `nyl state init -e dev`", environment="dev")
    text = markdown_text(Report(ReportKind.PLAN, (EnvironmentReport("dev", diagnostics=(problem,)),)), NOWHERE)
    assert text.startswith(
        "## Plan of `dev`: 1 error\n\n> [!WARNING]\n> **1 error**\n>\n> - **NYL-STATE-MISSING** `dev`: "
    )
    assert "<br>Fix: run" in text


def test_environments_without_news_share_a_line() -> None:
    quiet = [section(unit("a", Action.NONE), environment=name) for name in ("infra", "tools")]
    report = Report(ReportKind.PLAN, (*quiet, section(unit("b", Action.EXECUTE), environment="web")))
    text = markdown_text(report, NOWHERE)
    assert text.startswith(
        "## Plan of 3 environments: 1 to execute\n\n3 units, 2 of them unchanged.\n\n### `web`: 1 to execute"
    )
    assert "No changes in `infra`, `tools`." in text


@pytest.mark.parametrize(
    ("kind", "verdict", "headline"),
    [
        (ReportKind.RECONCILE, Result.EXECUTED, "Reconcile of `dev`: 1 executed"),
        (ReportKind.RECONCILE, Result.CURRENT, "Reconcile of `dev`: no changes"),
        (ReportKind.RECONCILE, Result.AWAITING_APPROVAL, "Reconcile of `dev`: 1 awaiting approval"),
        (ReportKind.STATUS, UnitState.PENDING_TEARDOWN, "Status of `dev`: 1 pending teardown"),
        (ReportKind.STATUS, UnitState.CURRENT, "Status of `dev`: 1 current"),
        (ReportKind.VERIFY, Finding.DRIFTED, "Verification of `dev`: 1 drifted"),
        (ReportKind.VERIFY, Finding.UNVERIFIED, "Verification of `dev`: 1 unverified"),
        (ReportKind.TEARDOWN, Result.REMOVED, "Teardown of `dev`: 1 removed"),
    ],
)
def test_every_operation_has_its_words(kind: ReportKind, verdict: Result, headline: str) -> None:
    assert markdown_text(Report(kind, (section(unit("a", verdict)),)), NOWHERE).startswith(f"## {headline}\n")


def test_a_run_says_how_long_units_took_and_what_left() -> None:
    gone = unit("old", Result.REMOVED, reason="left the ownership set (removed)")
    failed = unit("a", Result.FAILED, detail="exit code 3", category="temporary", duration_ms=1260)
    text = markdown_text(Report(ReportKind.RECONCILE, (section(failed, gone, leaving=(leaves("old"),)),)), NOWHERE)
    assert "**1 unit left** `dev`\n>\n> - `old`: **removed**, left the ownership set (removed)\n" in text
    assert "| `a` | Command | **failed** | 1.3\u00a0s | exit code 3; temporary failure |" in text
    assert "nyl status -e dev" in text


@pytest.mark.parametrize("verdict", [*Action, *Result, *UnitState, *Finding])
def test_every_verdict_has_a_place(verdict: Action | Result) -> None:
    assert "`a`" in markdown_text(plan(unit("a", verdict)), NOWHERE)


def test_what_a_table_clips_is_below_it() -> None:
    long = "word " * 200
    text = markdown_text(plan(unit("a", Action.BLOCKED, reason=long)), NOWHERE)
    assert text.count("…") == 1
    assert long.strip() in text


def test_a_picture_shows_what_runs_up_to_60_units() -> None:
    def drawn(nodes: int) -> str:
        names = tuple(f"u{number}" for number in range(nodes))
        graph = UnitGraph("dev", names, (Edge("u0", "u1", "host"),))
        changing = [unit(each, Action.EXECUTE) for each in names[:2]]
        return markdown_text(plan(*changing, *(unit(each, Action.NONE) for each in names[2:]), graph=graph), NOWHERE)

    assert "```mermaid\nflowchart LR\n" in drawn(60)
    assert 'n0["u0"]:::runs' in drawn(60)
    assert drawn(60).count('"]') == 60
    assert drawn(61).count('"]') == 2
    assert "of the 2 units that change" in drawn(61)


# The budget


def size(text: str) -> int:
    return max(len(text), len(text.encode()))


def test_a_megabyte_of_output_for_each_of_300_units_keeps_every_row() -> None:
    wide = "名前 changes\n" * 80_000
    names = [f"unit-{number}" for number in range(300)]
    text = markdown_text(
        plan(*(unit(each, Action.EXECUTE, reason="no receipt", changes=wide) for each in names)), THERE
    )
    assert size(text) < COMMENT_LIMIT
    assert text.count("| `unit-") == 300
    assert "it leaves out the details of 300 units. Everything is in [the full report](<https://github.com/" in text
    page(text)


def test_what_native_plans_destroy_or_replace_survives_when_they_do_not() -> None:
    wide = (
        "  ~ 名前 changes\n" * 10_000 + "  # disk.main must be replaced\n  # vm.old will be destroyed\n0 to destroy\n"
    )
    units = [unit(f"unit-{number}", Action.EXECUTE, reason="no receipt", changes=wide) for number in range(100)]
    text = markdown_text(plan(*units), NOWHERE)
    assert size(text) < COMMENT_LIMIT
    assert "> **200 planned destructions**\n>\n> - `unit-0`: `# disk.main` must be replaced\n" in text
    assert text.count("must be replaced\n") == text.count("will be destroyed\n") == 100
    assert "0 to destroy" not in text


def test_600_names_of_63_characters_are_all_there() -> None:
    names = [f"{number:03}-{'x' * 59}" for number in range(600)]
    units = [unit(each, Action.EXECUTE, reason=f"why {at}", changes="x" * 500) for at, each in enumerate(names)]
    text = markdown_text(plan(leaver("gone"), *units, leaving=(leaves("gone"),)), NOWHERE)
    assert size(text) < COMMENT_LIMIT
    assert all(f"`{each}`" in text for each in names)
    assert "`gone`" in text
    assert "it leaves out the reasons of 600 units and the details of " in text
    page(text)


def test_leaving_units_come_before_others_when_not_even_names_have_room() -> None:
    gone = [f"g{number:03}-{'x' * 58}" for number in range(500)]
    others = [f"o{number:03}-{'x' * 58}" for number in range(999)]
    units = (*map(leaver, gone), *(unit(each, Action.EXECUTE, reason=each) for each in others))
    text = markdown_text(plan(*units, leaving=tuple(map(leaves, gone))), NOWHERE)
    assert size(text) < COMMENT_LIMIT
    assert all(f"`{each}`" in text for each in gone)
    named = sum(f"`{each}`" in text for each in others)
    assert f"the names of {999 - named} units that change or wait" in text
    assert "## Plan of `dev`: 999 to execute, 500 leaving" in text
    page(text)


def test_a_thousand_environments_have_a_headline_of_all() -> None:
    sections = [section(unit("a", Action.EXECUTE), environment=f"{n:04}-{'e' * 58}") for n in range(1000)]
    text = markdown_text(Report(ReportKind.PLAN, tuple(sections)), NOWHERE)
    assert size(text) < COMMENT_LIMIT
    assert text.startswith("## Plan of 1000 environments: 1000 to execute")
    assert "the outcome of" in text
    page(text)


@given(st.integers(2_000, 30_000))
def test_any_limit_is_kept_and_every_block_is_whole(limit: int) -> None:
    text = markdown_text(five(), NOWHERE, limit)
    assert size(text) < limit
    assert "`cache`" in text
    page(text)


# Texts from elsewhere


def hostile(text: str) -> Report:
    """A report in which everything that comes from a project, a tool or a user is this text."""
    shape = UnitReport(
        f"u{text}",
        f"Kind{text}",
        Action.AWAIT_APPROVAL,
        reason=text,
        detail=text,
        changes=f"{text}\nx must be replaced\n",
        change_digest=text,
        explanation=Explanation((f"~{text}",), (f"+{text}",), (text,)),
    )
    return Report(
        ReportKind.PLAN,
        (
            EnvironmentReport(
                f"e{text}",
                (shape, replace(shape, unit=f"g{text}", verdict=Action.TEARDOWN), unit(f"n{text}", Action.NONE)),
                source=f"s{text}",
                tree=f"t{text}",
                leaving=(leaves(f"g{text}"),),
                graph=UnitGraph(text, (f"u{text}", f"n{text}"), (Edge(f"u{text}", f"n{text}", text),)),
                diagnostics=(
                    Diagnostic(Code.STATE_MISSING, f"m{text}", f"f{text}", environment=text, unit=f"u{text}"),
                    Diagnostic(Code.UNIT_FAILED, f"m{text}", f"f{text}", Severity.WARNING, unit=f"u{text}"),
                ),
            ),
        ),
        diagnostics=(warning(message=f"m{text}"),),
    )


@given(nasty_text)
def test_hostile_texts_change_no_structure_and_nothing_of_them_is_live(text: str) -> None:
    context = MarkdownContext(text, text, f"https://x/{text}")
    shown, plain = page(markdown_text(hostile(text), context)), page(markdown_text(hostile("x"), NOWHERE))
    assert without_optional(shown.outline) == without_optional(plain.outline)
    assert shown.tags <= {*plain.tags, "br"}
    assert not shown.live


def without_optional(outline: list[str]) -> str:
    """An outline in which neither empty texts nor long ones count."""
    return re.sub(r"p /p |pre /pre |li /li ", "", " ".join(outline))


def test_a_secret_that_is_masked_stays_masked() -> None:
    text = markdown_text(plan(unit("a", Action.EXECUTE, reason="token *** is used", changes="+ token: ***")), NOWHERE)
    assert "token `***` is used" in text
    assert "+ token: ***" in text
