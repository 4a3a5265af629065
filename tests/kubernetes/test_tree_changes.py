"""What a rendered tree changes of what is there."""

from collections.abc import Mapping

import pytest

from nyl.kubernetes.tree_changes import NOT_A_FILE, Edit, EditKind, Obstacle, Present, Wanted, settled, tree_changes

NOTHING: Mapping[str, str] = {}


def present(digests: Mapping[str, str], *others: str) -> Present:
    return Present([*digests, *others], digests)


def test_files_are_added_changed_removed_and_left_alone() -> None:
    owned = {"same": "1", "changed": "1", "gone": "1"}
    found = tree_changes(Wanted({"same": "1", "changed": "2", "new": "1"}), owned, present(owned, "README"))
    assert (found.added, found.changed, found.removed) == (("new",), ("changed",), ("gone",))
    assert (found.edits, found.obstacles) == ((), ())
    assert found.files == {"same": "1", "changed": "2", "new": "1"}


def test_nothing_to_do_is_empty() -> None:
    found = tree_changes(Wanted({"a": "1"}), {"a": "1"}, present({"a": "1"}))
    assert found.is_empty
    assert found.written == ()


@pytest.mark.parametrize(
    ("digest", "kind"),
    [("other", EditKind.CHANGED), (None, EditKind.REMOVED), (NOT_A_FILE, EditKind.REPLACED), ("2", EditKind.CHANGED)],
)
@pytest.mark.parametrize("wanted", ["1", "2", None])
def test_an_owned_file_that_is_not_as_the_index_has_it_is_an_edit_whatever_is_wanted_now(
    digest: str | None, kind: EditKind, wanted: str | None
) -> None:
    there = {} if digest is None else {"a": digest}
    files = {} if wanted is None else {"a": wanted}
    assert tree_changes(Wanted(files), {"a": "1"}, present(there)).edits == (Edit("a", kind),)


def test_an_edited_file_is_written_and_one_that_is_not_wanted_any_more_removed() -> None:
    found = tree_changes(Wanted({"a": "1", "b": "1"}), {"a": "1", "b": "1", "c": "1"}, present({"a": "x", "c": "x"}))
    assert (found.changed, found.removed) == (("a", "b"), ("c",))


def test_a_file_that_nobody_owns_is_in_the_way_even_with_the_same_content() -> None:
    found = tree_changes(Wanted({"a": "1", "b": "2"}), NOTHING, present({"a": "other", "b": "2"}))
    assert found.obstacles == (Obstacle("a", "a"), Obstacle("b", "b"))


@pytest.mark.parametrize(
    ("wanted", "unowned", "path"),
    [
        ("web/a.yaml", "web", "web"),
        ("web", "web/a.yaml", "web"),
        ("web/a.yaml", "web/A.yaml", "web/a.yaml"),
        ("web/a.yaml", "Web/b.yaml", "web"),
        ("web/a.yaml", "WEB", "web"),
        ("web", "Web/x/y", "web"),
        ("caf\u00e9/a", "cafe\u0301/b", "caf\u00e9"),
        ("stra\u00dfe", "STRASSE", "stra\u00dfe"),
    ],
)
def test_what_a_disk_takes_for_the_same_is_in_the_way(wanted: str, unowned: str, path: str) -> None:
    assert tree_changes(Wanted({wanted: "1"}), NOTHING, present({}, unowned)).obstacles == (Obstacle(path, unowned),)


@pytest.mark.parametrize("unowned", ["web/b.yaml", "web/a.yaml.bak", "README", "a.yaml"])
def test_neighbours_are_not_in_the_way(unowned: str) -> None:
    assert tree_changes(Wanted({"web/a.yaml": "1"}), NOTHING, present({}, unowned)).obstacles == ()


def test_what_the_tree_owns_is_never_in_its_own_way() -> None:
    owned = {"Web/a": "1", "b": "1", "c/d": "1"}
    found = tree_changes(Wanted({"web/a": "1", "b/x": "1", "c": "1"}), owned, present(owned))
    assert found.obstacles == ()
    assert (found.added, found.removed) == (("b/x", "c", "web/a"), ("Web/a", "b", "c/d"))


def test_unowned_files_beside_files_that_stay_are_nobodys_business() -> None:
    owned = {"web/a": "1"}
    assert tree_changes(Wanted(owned), owned, present(owned, "Web/a")).obstacles == ()


def test_a_carried_file_is_taken_over_from_whoever_wrote_it() -> None:
    wanted = Wanted({"state/i.json": "1"}, adopted={"state/i.json"})
    found = tree_changes(wanted, NOTHING, present({"state/i.json": "theirs"}))
    assert (found.added, found.obstacles, found.edits) == (("state/i.json",), (), ())


def test_a_carried_file_is_not_taken_over_through_another_spelling() -> None:
    wanted = Wanted({"state/i.json": "1"}, adopted={"state/i.json"})
    assert tree_changes(wanted, NOTHING, present({}, "State/i.json")).obstacles


def test_a_state_file_that_is_only_read_now_stays_without_an_owner() -> None:
    found = tree_changes(Wanted({}, read_state=frozenset({"s"})), {"s": "1"}, present({"s": "1"}))
    assert (found.is_empty, found.files, found.edits) == (True, {}, ())


def test_until_its_owner_lets_go_of_it_a_state_file_is_for_nobody_else_to_change() -> None:
    assert tree_changes(Wanted({}, read_state=frozenset({"s"})), {"s": "1"}, present({"s": "2"})).edits


def test_a_state_file_of_a_disabled_group_stays_owned_as_it_is() -> None:
    wanted = Wanted({}, suspended=frozenset({"s", "never"}))
    found = tree_changes(wanted, {"s": "1"}, present({"s": "1"}))
    assert (found.is_empty, found.files) == (True, {"s": "1"})
    assert tree_changes(wanted, {"s": "1"}, present({"s": "2"})).edits == (Edit("s", EditKind.CHANGED),)
    assert tree_changes(wanted, {"s": "1"}, present({})).files == {}


def test_a_state_file_that_no_binding_names_is_removed() -> None:
    assert tree_changes(Wanted({}), {"s": "1"}, present({"s": "1"})).removed == ("s",)


@pytest.mark.parametrize(
    ("owned", "pending", "found", "expected"),
    [
        ({"a": "1"}, {"a": "2"}, {"a": "1"}, {"a": "1"}),
        ({"a": "1"}, {"a": "2"}, {"a": "2"}, {"a": "2"}),
        ({"a": "1"}, {"a": "2"}, {"a": "3"}, {"a": "1"}),
        ({"a": "1"}, {"a": "2"}, {}, {"a": "1"}),
        ({"a": "1"}, {}, {}, {}),
        ({"a": "1"}, {}, {"a": "1"}, {"a": "1"}),
        ({}, {"a": "2"}, {}, {}),
        ({}, {"a": "2"}, {"a": "2"}, {"a": "2"}),
        ({}, {"a": "2"}, {"a": NOT_A_FILE}, {"a": "2"}),
    ],
)
def test_after_an_interrupted_writer_files_of_either_generation_are_as_nyl_left_them(
    owned: Mapping[str, str], pending: Mapping[str, str], found: Mapping[str, str], expected: Mapping[str, str]
) -> None:
    assert settled(owned, pending, found) == expected
