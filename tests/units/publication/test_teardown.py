"""Page Deletion and holds, Publication teardown waits: the two phases over a real branch."""

from collections.abc import Callable
from pathlib import Path

import pytest

from nyl.kubernetes.index import IndexOwner
from nyl.kubernetes.publication.branch import PublishedFolder
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import AwaitingApproval, Failed, FailureCategory, Planned, Removed, Uncertain, Waiting
from tests.support.deploy_branches import falls_silent
from tests.units.publication.teardown_bench import APPLICATIONS, CATALOG, CHILDREN, SETTINGS, TeardownBench

INDEX = "prod/_nyl/index.json"
OWN = f"{CATALOG}/prod-catalog.yaml"
DELAY = {"strategy": "delay", "duration": "2h"}


@pytest.fixture
def bench(tmp_path: Path) -> TeardownBench:
    return TeardownBench(tmp_path)


def place(bench: TeardownBench) -> str:
    return f"prod on {bench.branch.read().place}"


@pytest.fixture
def published(bench: TeardownBench) -> TeardownBench:
    bench.branch.commit({"README.md": "not ours\n"})
    bench.publish()
    return bench


# Phase one


def test_phase_one_takes_the_applications_off_the_branch_and_nothing_else(published: TeardownBench) -> None:
    before = published.files
    answer = published.down()
    assert isinstance(answer, Waiting)
    assert before - published.files == CHILDREN
    assert published.files >= {OWN, SETTINGS, INDEX, "README.md"}
    assert published.branch.index().files.keys() | {"_nyl/index.json"} == {
        path.removeprefix("prod/") for path in published.files if path.startswith("prod/")
    }
    assert published.branch.index().owner == IndexOwner("dev", "uid-kubernetes")
    assert tuple(answer.progress["applications"]) == APPLICATIONS
    assert "waits since 2026-" in answer.reason
    assert "`nyl teardown -e dev --unit kubernetes --confirm-removed` ends the wait once they are gone" in answer.reason
    message = published.branch.git("log", "-1", "--format=%B", "refs/heads/deploy")
    assert message.startswith("nyl: remove the Applications of prod\n\n2 Applications removed")
    assert "Nyl-Target: prod" in message


def test_a_wait_changes_nothing_and_keeps_when_it_began(published: TeardownBench) -> None:
    first = published.down()
    head = published.branch.head
    published.seconds += 3600
    assert published.down() == first
    assert published.branch.head == head


def test_without_applications_there_is_nothing_to_wait_for(bench: TeardownBench) -> None:
    for name in ("web", "api"):
        bench.site.remove(f"applications/platform/{name}.yaml")
    bench.publish()
    assert bench.down() == Removed(confirmed="there were no Applications to wait for")
    assert bench.files == frozenset()


def test_a_phase_one_that_nobody_recorded_is_not_done_again_and_its_applications_are_known(
    published: TeardownBench,
) -> None:
    first, head = published.down(), published.branch.head
    published.progress = None
    assert published.down() == first
    assert published.branch.head == head


def test_where_the_former_tree_cannot_be_seen_it_waits_without_names(published: TeardownBench) -> None:
    published.down()
    published.progress = None
    published.receipt = ReceiptFacts(artifacts={"tree": {"commit": "5" * 40}}, uid=published.receipt.uid)
    answer = published.down({"strategy": "observe"})
    assert isinstance(answer, Waiting)
    assert answer.progress["applications"] == []
    assert isinstance(published.down({"strategy": "observe"}), Waiting)


# The end of the wait


def test_an_operator_confirms_the_removal_and_the_rest_goes_with_the_index(published: TeardownBench) -> None:
    published.down()
    assert published.down(confirm_removed=True) == Removed()
    assert published.files == {"README.md"}
    assert published.branch.git("log", "-1", "--format=%s", "refs/heads/deploy") == "nyl: remove the tree of prod"


def test_a_removal_that_is_confirmed_from_the_start_is_one_commit(published: TeardownBench) -> None:
    before = published.branch.head
    assert published.down(confirm_removed=True) == Removed()
    assert published.files == {"README.md"}
    assert published.branch.git("rev-parse", "refs/heads/deploy^") == before


def test_an_operator_who_accepts_an_incomplete_teardown_ends_the_wait_and_nobody_claims_the_removal(
    published: TeardownBench,
) -> None:
    published.down()
    assert published.down(allow_incomplete=True) == Removed(
        "nobody saw that Argo CD removed the workloads of 2 Applications (argocd/api, argocd/web)"
    )
    assert published.files == {"README.md"}


def test_a_delay_ends_by_itself_once_its_time_is_over(published: TeardownBench) -> None:
    first = published.down(DELAY)
    assert isinstance(first, Waiting)
    assert "until 2026-09-21T" in first.reason
    published.seconds += 7199
    assert isinstance(published.down(DELAY), Waiting)
    published.seconds += 1
    answer = published.down(DELAY)
    assert isinstance(answer, Removed)
    assert answer.confirmed.startswith("the delay of 2h since 2026-09-21T")
    assert answer.incomplete == ""


def test_an_incomplete_teardown_whose_delay_is_over_is_complete_all_the_same(published: TeardownBench) -> None:
    published.down(DELAY)
    published.seconds += 7200
    answer = published.down(DELAY, allow_incomplete=True)
    assert isinstance(answer, Removed)
    assert (bool(answer.confirmed), answer.incomplete) == (True, "")


@pytest.mark.parametrize(
    "progress", [{}, {"since": "yesterday", "applications": []}, {"since": "2026-09-21T10:00:00Z"}]
)
def test_a_record_of_a_wait_that_makes_no_sense_changes_nothing(published: TeardownBench, progress: object) -> None:
    published.progress = progress  # type: ignore[assignment]
    head, answer = published.branch.head, published.down(confirm_removed=True)
    assert isinstance(answer, Failed)
    assert "what is recorded of its wait cannot be read" in answer.message
    assert published.branch.head == head


# What others did to the branch


def edit(bench: TeardownBench) -> None:
    bench.branch.commit({SETTINGS: "edited\n"})


def replaced(bench: TeardownBench) -> None:
    bench.branch.commit({}, **{SETTINGS: 0o755})


@pytest.mark.parametrize("change", [edit, replaced])
@pytest.mark.parametrize("phase", [1, 2])
def test_edited_files_keep_either_phase_from_starting_and_are_named(
    published: TeardownBench, change: Callable[[TeardownBench], None], phase: int
) -> None:
    if phase == 2:
        published.down()
    change(published)
    head, answer = published.branch.head, published.down(confirm_removed=phase == 2)
    assert isinstance(answer, Failed)
    assert "platform/web/configmap/web/settings.yaml" in answer.message
    assert (answer.retryable, published.branch.head) == (True, head)


def test_edited_files_stay_where_an_operator_accepts_that(published: TeardownBench) -> None:
    published.down()
    edit(published)
    answer = published.down(confirm_removed=True, allow_incomplete=True)
    assert answer == Removed(
        f"edited files stay in {place(published)}: platform/web/configmap/web/settings.yaml (changed)"
    )
    assert published.files == {"README.md", SETTINGS}


def test_files_that_somebody_removed_are_as_good_as_torn_down(published: TeardownBench) -> None:
    published.branch.commit({f"{CATALOG}/web.yaml": None, SETTINGS: None})
    answer = published.down()
    assert isinstance(answer, Waiting)
    assert answer.progress["applications"] == ["argocd/api"]
    assert published.down(confirm_removed=True) == Removed()


def test_files_that_nobody_owns_stay(published: TeardownBench) -> None:
    published.branch.commit({"prod/notes.txt": "mine\n", "prod/platform/web/mine.yaml": "mine\n"})
    published.down()
    assert published.down(confirm_removed=True) == Removed()
    assert published.files == {"README.md", "prod/notes.txt", "prod/platform/web/mine.yaml"}


def delete(bench: TeardownBench) -> None:
    bench.branch.git("update-ref", "-d", "refs/heads/deploy")


def empty(bench: TeardownBench) -> None:
    bench.branch.commit({path: None for path in bench.files if path.startswith("prod/")})


@pytest.mark.parametrize("gone", [delete, empty])
def test_a_tree_that_is_gone_already_leaves_nothing_to_do_but_nobody_claims_that_argo_cd_was_told(
    published: TeardownBench, gone: Callable[[TeardownBench], None]
) -> None:
    gone(published)
    answer = published.down()
    assert isinstance(answer, Removed)
    assert f"there was no tree in {place(published)} any more" in answer.incomplete


@pytest.mark.parametrize("gone", [delete, empty])
def test_a_tree_that_goes_during_the_wait_leaves_the_wait_as_it_is(
    published: TeardownBench, gone: Callable[[TeardownBench], None]
) -> None:
    first = published.down(DELAY)
    gone(published)
    assert published.down(DELAY) == first
    published.seconds += 7200
    answer = published.down(DELAY)
    assert isinstance(answer, Removed)
    assert (answer.incomplete, answer.confirmed[:12]) == ("", "the delay of")


def test_an_index_that_is_gone_alone_keeps_it_from_removing_what_it_cannot_own(published: TeardownBench) -> None:
    published.branch.commit({INDEX: None})
    head, answer = published.branch.head, published.down()
    assert isinstance(answer, Failed)
    assert f"there is no index in {place(published)} any more" in answer.message
    assert published.branch.head == head
    accepted = published.down(allow_incomplete=True)
    assert isinstance(accepted, Removed)
    assert "this was left there" in accepted.incomplete
    assert published.branch.head == head


def test_an_index_that_cannot_be_read_is_left_with_its_tree_where_an_operator_accepts_that(
    published: TeardownBench,
) -> None:
    published.branch.commit({INDEX: "{}\n"})
    head, answer = published.branch.head, published.down()
    assert isinstance(answer, Failed)
    assert "NYL-TREE-INDEX" in answer.message
    accepted = published.down(allow_incomplete=True)
    assert isinstance(accepted, Removed)
    assert "its index cannot be used" in accepted.incomplete
    assert published.branch.head == head


def test_a_tree_that_is_somebody_elses_by_now_is_not_touched(published: TeardownBench) -> None:
    published.down()
    receipt = published.receipt
    published.publish(IndexOwner("prod", "uid-other"))
    published.receipt = receipt
    head, answer = published.branch.head, published.down(confirm_removed=True)
    assert isinstance(answer, Failed)
    assert answer.category is FailureCategory.OWNERSHIP
    assert "belongs to a unit of prod by now" in answer.message
    left = published.down(confirm_removed=True, allow_incomplete=True)
    assert isinstance(left, Removed)
    assert "belongs to a unit of prod by now; this was left there" in left.incomplete
    assert published.branch.head == head


def test_a_tree_of_nobody_is_the_units_if_it_published_it(bench: TeardownBench) -> None:
    bench.publish(owner=None)
    assert isinstance(bench.down(), Waiting)
    assert bench.down(confirm_removed=True) == Removed()
    assert bench.files == frozenset()


@pytest.mark.parametrize("owner", [None, IndexOwner("prod", "uid-other")])
def test_a_unit_that_published_nothing_has_nothing_to_remove(bench: TeardownBench, owner: IndexOwner | None) -> None:
    bench.publish(owner)
    bench.receipt = ReceiptFacts(uid=bench.receipt.uid)
    head = bench.branch.head
    assert bench.down() == Removed()
    assert bench.branch.head == head


def test_a_tree_without_receipt_whose_index_names_the_unit_is_removed(bench: TeardownBench) -> None:
    bench.publish()
    bench.receipt = ReceiptFacts(uid=bench.receipt.uid)
    assert isinstance(bench.down(), Waiting)
    assert bench.down(confirm_removed=True) == Removed()


def test_a_branch_that_somebody_moves_meanwhile_is_read_again(published: TeardownBench) -> None:
    moves = iter(["first", "second"])
    read = published.branch.read

    def moved() -> PublishedFolder:
        found = read()
        found.entries.find("README.md")
        name = next(moves, None)
        if name is not None:
            published.branch.commit({f"{name}.md": "theirs\n"})
        return found

    published.branch.read = moved  # type: ignore[method-assign]
    assert isinstance(published.down(), Waiting)
    assert published.files >= {"first.md", "second.md", OWN}
    assert not published.files & CHILDREN


def test_a_branch_that_declines_the_push_fails_and_may_be_tried_again(published: TeardownBench) -> None:
    hook = published.branch.scene.origin / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho the branch is frozen\nexit 1\n")
    hook.chmod(0o755)
    head, answer = published.branch.head, published.down()
    assert isinstance(answer, Failed)
    assert "the branch is frozen" in answer.message
    assert (answer.retryable, published.branch.head) == (True, head)
    hook.unlink()
    assert isinstance(published.down(), Waiting)


def test_a_phase_one_that_may_have_arrived_is_uncertain_and_is_taken_up_from_there(published: TeardownBench) -> None:
    bring_back = falls_silent(published.branch.scene.origin)
    answer = published.down()
    assert isinstance(answer, Uncertain), answer
    assert "NYL-PUBLISH-UNKNOWN" in answer.reason
    bring_back()
    head = published.branch.head
    assert not published.files & CHILDREN
    assert isinstance(published.down(), Waiting)
    assert published.branch.head == head


def test_a_target_that_the_source_does_not_have_any_more_fails_with_the_way_out(published: TeardownBench) -> None:
    published.site.remove("target.yaml")
    published.context.source = published.source()
    answer = published.down()
    assert isinstance(answer, Failed)
    assert "NYL-TARGET-UNKNOWN" in answer.message


def test_nothing_is_pushed_once_the_run_was_cancelled(published: TeardownBench) -> None:
    head = published.branch.head
    published.context.source = published.source()
    original = published.open

    def cancelling(place: object) -> PublishedFolder:
        published.cancellation.cancel()
        return original(place)  # type: ignore[arg-type]

    published.open = cancelling  # type: ignore[method-assign]
    published.context.source = published.source()
    answer = published.down()
    assert isinstance(answer, Failed)
    assert (answer.retryable, published.branch.head) == (True, head)


# Plans and approvals


def test_a_plan_names_both_phases_and_its_digest_is_about_the_files_alone(published: TeardownBench) -> None:
    plan = published.planned()
    assert isinstance(plan, Planned)
    assert plan.text == (
        f"remove the tree of DeploymentTarget prod from {place(published)}:\n"
        "  phase one: 2 Applications\n"
        "    - argocd/api\n"
        "    - argocd/web\n"
        "  then it waits for --confirm-removed\n"
        "  phase two: the other 5 files, and the index\n"
    )
    delayed = published.planned(DELAY)
    assert isinstance(delayed, Planned)
    assert "then it waits for 2h" in delayed.text
    assert delayed.digest == plan.digest
    published.branch.commit({"other.md": "theirs\n"})
    assert published.planned() == plan
    edit(published)
    edited = published.planned()
    assert isinstance(edited, Planned)
    assert "1 file edited outside nyl, which keep it from starting" in edited.text


def test_a_tree_that_is_gone_is_an_empty_change(published: TeardownBench) -> None:
    delete(published)
    plan = published.planned()
    assert isinstance(plan, Planned)
    assert plan.text == ""


def test_only_the_removal_that_was_approved_is_carried_out(published: TeardownBench) -> None:
    plan = published.planned()
    assert isinstance(plan, Planned)
    published.site.write({"applications/platform/db.yaml": ""})
    published.site.remove("applications/platform/api.yaml")
    published.publish()
    now = published.planned()
    assert isinstance(now, Planned)
    published.context.approved_digest = plan.digest
    assert published.down() == AwaitingApproval(now.digest)
    published.context.approved_digest = now.digest
    assert isinstance(published.down(), Waiting)
