"""Publishing a unit's tree, on real branches."""

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.units.driver import ReceiptFacts
from nyl.units.outcomes import AwaitingApproval, Failed, FailureCategory, Outcome, Planned, Succeeded, Uncertain
from nyl.units.source_project import Incarnation
from tests.support.declarations import shell
from tests.support.deploy_branches import falls_silent
from tests.support.publication_worlds import INDEX
from tests.support.publishing import UID, Publisher
from tests.support.tree_worlds import SETTINGS, WEB

OTHER = "01a22cd2-0000-7000-8000-000000000000"
STATE = "{platform/web: {image: {fromPublication: {path: state/images.json, pointer: /web}}}}"


def failed(outcome: Outcome, *, retryable: bool = True) -> str:
    assert isinstance(outcome, Failed), outcome
    assert outcome.retryable is retryable
    return outcome.message


def owner(publisher: Publisher) -> Any:
    return json.loads(publisher.world.published(INDEX))["owner"]


def on_first_look(publisher: Publisher, act: Any) -> Any:
    """A source whose branch somebody moves right after it was read for the first time."""
    source, looks = publisher.source(), list[int]()

    def publication(wanted: Any) -> Any:
        found = source.open_publication(wanted)
        found.entries, found.index  # noqa: B018 - read before it moves
        if not looks:
            looks.append(1)
            act()
        return found

    return replace(source, open_publication=publication)


# What is published


def test_a_tree_is_published_as_its_units_with_the_commit_and_the_digest_of_its_index(publisher: Publisher) -> None:
    artifact = publisher.publish()
    assert artifact["commit"] == publisher.world.head()
    assert (artifact["branch"], artifact["pathPrefix"], artifact["kind"]) == ("deploy", "prod", "PublishedTree")
    assert artifact["repository"] == "../origin.git"
    assert owner(publisher) == {"environment": "dev", "uid": UID}


def test_an_unchanged_tree_makes_no_commit_and_keeps_its_artifact(publisher: Publisher) -> None:
    artifact = publisher.publish()
    publisher.world.by_hand({"README.md": "more"})
    publisher.world.write("README.md", "unrelated").commit()
    head = publisher.world.head()
    assert publisher.publish(receipt=ReceiptFacts(artifacts={"tree": artifact}, uid=UID)) == artifact
    assert publisher.publish() == {**artifact, "commit": head}
    assert publisher.world.head() == head


def test_files_of_others_stay_as_they_are_and_own_files_go_with_what_made_them(publisher: Publisher) -> None:
    publisher.world.by_hand({"README.md": "docs", "prod/notes.txt": "notes", ".github/workflows/ci.yml": "on: push"})
    publisher.publish()
    publisher.world.remove(WEB).commit()
    publisher.publish()
    files = publisher.world.git("ls-tree", "-r", "--name-only", "deploy", cwd=publisher.world.origin).split("\n")
    assert {"README.md", "prod/notes.txt", ".github/workflows/ci.yml"} <= set(files)
    assert f"prod/{SETTINGS}" not in files


def test_warnings_of_the_rendering_are_warnings_of_the_unit(publisher: Publisher) -> None:
    secret = "---\napiVersion: v1\nkind: Secret\nmetadata: {name: token}\nstringData: {token: x}\n"
    publisher.world.write(WEB, (publisher.world.project / WEB).read_text() + secret).commit()
    publisher.publish()
    assert any("Secret token" in each for each in publisher.warnings)


def test_a_target_with_another_place_leaves_its_former_tree_and_says_so(publisher: Publisher) -> None:
    artifact = publisher.publish()
    text = (publisher.world.project / "target.yaml").read_text()
    publisher.world.write("target.yaml", text.replace("revision: deploy", "revision: deploy, pathPrefix: new")).commit()
    publisher.publish(receipt=ReceiptFacts(artifacts={"tree": artifact}, uid=UID))
    assert publisher.warnings == [
        "the tree is published to new on deploy of ../origin.git now, and what was published before stays in prod on "
        "deploy of ../origin.git"
    ]
    assert publisher.world.published()


# Ownership


def test_a_tree_that_nobody_owns_and_one_whose_owner_is_gone_are_adopted(publisher: Publisher) -> None:
    publisher.world.nyl("publish-tree")
    assert owner(publisher) is None
    first = publisher.publish()["commit"]
    other = replace(publisher, environment="prod", uid=OTHER)
    second = other.publish()["commit"]
    assert owner(publisher) == {"environment": "prod", "uid": OTHER}
    assert first != second


def test_a_second_owner_is_refused_while_the_first_one_exists(publisher: Publisher) -> None:
    head = publisher.publish()["commit"]
    other = replace(publisher, environment="prod", uid=OTHER, others={UID: Incarnation(True, "kubernetes")})
    outcome = other.execute()
    assert "owned by unit dev/kubernetes, which still exists" in failed(outcome)
    assert isinstance(outcome, Failed)
    assert outcome.category is FailureCategory.OWNERSHIP
    assert isinstance(other.plan(), Failed)
    assert publisher.world.head() == head


def test_an_owner_whose_state_cannot_be_read_counts_as_existing(publisher: Publisher) -> None:
    publisher.publish()
    unread = Incarnation(True, obstacle="its remote does not answer")
    other = replace(publisher, environment="prod", uid=OTHER, others={UID: unread})
    assert "may still exist: its remote does not answer" in failed(other.execute())


# What was changed by hand


def test_files_that_were_edited_are_refused_by_name_and_written_over_by_a_repair(publisher: Publisher) -> None:
    publisher.publish()
    publisher.world.by_hand({f"prod/{SETTINGS}": "edited"})
    publisher.world.data("two").commit()
    told = failed(publisher.execute())
    assert SETTINGS in told
    assert "`nyl reconcile -e dev --unit kubernetes --reapply --reason <text>`" in told
    assert publisher.world.published() == "edited"
    publisher.publish(receipt=ReceiptFacts(uid=UID, drifted=True))
    assert "region: two" in publisher.world.published()


def test_files_in_the_way_that_nyl_does_not_own_are_never_written_over(publisher: Publisher) -> None:
    publisher.world.by_hand({f"prod/{SETTINGS}": "theirs"})
    repair = ReceiptFacts(uid=UID, drifted=True)
    assert "NYL-TREE-UNOWNED" in failed(publisher.execute(receipt=repair))
    assert publisher.world.published() == "theirs"


@pytest.mark.parametrize("text", ["no JSON", '{"version": 2}', None])
def test_an_index_that_cannot_be_used_or_is_missing_stops_the_publication(
    publisher: Publisher, text: str | None
) -> None:
    publisher.publish()
    head = publisher.world.by_hand({f"prod/{INDEX}": text})
    publisher.world.data("two").commit()
    assert "NYL-TREE-" in failed(publisher.execute(receipt=ReceiptFacts(uid=UID, drifted=True)))
    assert publisher.world.head() == head


# Races


def test_a_publication_starts_over_on_the_new_head_where_it_was_outpaced(publisher: Publisher) -> None:
    source = on_first_look(publisher, lambda: publisher.world.by_hand({"README.md": "theirs"}))
    assert isinstance(publisher.execute(source=source), Succeeded)
    assert publisher.world.git("show", "deploy:README.md", cwd=publisher.world.origin) == "theirs"
    assert len(publisher.opened) == 2


def test_the_owner_is_looked_at_again_on_the_new_head(publisher: Publisher) -> None:
    other = replace(publisher, environment="prod", uid=OTHER)
    publisher.others = {OTHER: Incarnation(True, "kubernetes")}
    source = on_first_look(publisher, other.publish)
    assert "owned by unit prod/kubernetes" in failed(publisher.execute(source=source))


def test_a_branch_that_moves_every_time_ends_the_tries(publisher: Publisher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nyl.units.publication.racing._PAUSE", 0)
    publisher.publish()
    publisher.world.data("two").commit()
    source, numbers = publisher.source(), iter(range(100))

    def publication(wanted: Any) -> Any:
        found = source.open_publication(wanted)
        found.entries, found.index  # noqa: B018 - read before it moves
        publisher.world.by_hand({"count": str(next(numbers))})
        return found

    outcome = publisher.execute(source=replace(source, open_publication=publication))
    assert "others moved the branch 10 times" in failed(outcome)


def test_two_publications_to_one_branch_both_land(publisher: Publisher) -> None:
    target = (publisher.world.project / "target.yaml").read_text().replace("name: prod}", "name: other}")
    target = target.replace("spec:\n", "spec:\n  clusterRef: {name: prod}\n")
    publisher.world.write("other.yaml", target).commit()
    other = replace(publisher, spec={"target": "other"}, uid=OTHER, opened=[], told=[])
    outcomes: list[Outcome] = []
    threads = [threading.Thread(target=lambda it=it: outcomes.append(it.execute())) for it in (publisher, other)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(isinstance(each, Succeeded) for each in outcomes), outcomes
    folders = publisher.world.git("ls-tree", "--name-only", "deploy", cwd=publisher.world.origin).split("\n")
    assert folders == ["other", "prod"]


def test_publications_of_one_run_wait_for_each_other_and_outpace_nobody(publisher: Publisher) -> None:
    target = (publisher.world.project / "target.yaml").read_text().replace("name: prod}", "name: other}")
    publisher.world.write("other.yaml", target.replace("spec:\n", "spec:\n  clusterRef: {name: prod}\n")).commit()
    source = publisher.source()
    other = replace(publisher, spec={"target": "other"}, uid=OTHER)
    completions = [each.complete(source) for each in (publisher, other)]
    publisher.opened.clear()
    outcomes: list[Outcome] = []

    def run(it: Publisher, completion: Any) -> None:
        outcomes.append(it.execute(completion, source))

    threads = [threading.Thread(target=run, args=pair) for pair in zip((publisher, other), completions, strict=True)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(isinstance(each, Succeeded) for each in outcomes), outcomes
    assert len(publisher.opened) == len(outcomes)


def test_state_that_moved_since_the_unit_was_resolved_makes_it_fail_for_now(publisher: Publisher) -> None:
    publisher.world.bind(STATE).commit()
    completion = publisher.complete()
    publisher.world.by_hand({"prod/state/images.json": '{"web": "a"}'})
    assert "inputs of platform/web changed since the unit was resolved" in failed(publisher.execute(completion))
    publisher.publish()
    assert "region: a" in publisher.world.published()


def test_bytes_of_a_state_file_that_changed_make_it_fail_for_now_too(publisher: Publisher) -> None:
    publisher.world.bind(STATE).commit()
    publisher.world.by_hand({"prod/state/images.json": '{"web": "a"}'})
    completion = publisher.complete()
    publisher.world.by_hand({"prod/state/images.json": '{"web": "a", "api": "b"}'})
    assert "what the tree is rendered from changed" in failed(publisher.execute(completion))


def test_a_branch_that_declines_the_push_is_tried_again_by_the_next_run(publisher: Publisher) -> None:
    hook = publisher.world.origin / "hooks" / "pre-receive"
    hook.write_text(shell("echo not on a Friday >&2\nexit 1"))
    hook.chmod(0o755)
    told = failed(publisher.execute())
    assert "NYL-PUSH-REFUSED" in told
    assert "refs/heads/deploy" in told
    assert "not on a Friday" in told
    hook.unlink()
    publisher.publish()


def test_a_push_that_may_have_arrived_is_uncertain_and_the_next_one_goes_on_from_there(publisher: Publisher) -> None:
    bring_back = falls_silent(publisher.world.origin)
    outcome = publisher.execute()
    assert isinstance(outcome, Uncertain), outcome
    assert "NYL-PUBLISH-UNKNOWN" in outcome.reason
    bring_back()
    head = publisher.world.head()
    assert publisher.publish()["commit"] == head != ""


# Approvals


def test_the_change_that_was_approved_is_the_one_that_is_published(publisher: Publisher) -> None:
    planned = publisher.plan()
    assert isinstance(planned, Planned)
    publisher.world.data("two").commit()
    waiting = publisher.execute(approved_digest=planned.digest)
    assert isinstance(waiting, AwaitingApproval)
    assert publisher.world.head() == ""
    assert isinstance(publisher.execute(approved_digest=waiting.digest), Succeeded)


# Its end


def test_a_cancelled_publication_had_no_effect(publisher: Publisher) -> None:
    completion, source, cancellation = publisher.complete(), publisher.source(), CancellationToken()
    source.cache.close()
    (publisher.world.project / ".nyl" / "cache.sqlite").unlink()

    def publication(wanted: Any) -> Any:
        cancellation.cancel()
        return source.open_publication(wanted)

    slow = replace(source, open_publication=publication)
    outcome = publisher.execute(completion, slow, cancellation=cancellation)
    assert failed(outcome) == "it was cancelled before it published anything"
    assert publisher.world.head() == ""


def test_one_that_passes_its_timeout_had_no_effect(publisher: Publisher) -> None:
    completion = publisher.complete()
    (publisher.world.project / ".nyl" / "cache.sqlite").unlink()
    publisher.seconds = 0
    assert failed(publisher.execute(completion)) == "it passed its timeout of 0s before it published anything"


def test_without_its_project_it_says_so(publisher: Publisher) -> None:
    completion = publisher.complete()
    from nyl.units import execution
    from nyl.units.context import UnitContext, private_folder
    from tests.support.publishing import DRIVER

    with private_folder() as folder:
        context = UnitContext(Path("/nowhere"), folder, {})
        outcome = execution.execute(DRIVER, publisher._unit(completion.spec), context)
    assert "needs the project" in failed(outcome, retryable=False)
