"""The four ways in which the ownership of a carried path moves, and what stays as it is."""

from typing import Any

from nyl.core.canonical import digest_bytes
from nyl.kubernetes.inputs.resolution import resolve_inputs
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.tree_changes import EditKind, Present, TreeChanges, Wanted, tree_changes
from tests.kubernetes.inputs.builders import WEB, HeldSources, HeldState, context, release

PATH = "state/images.json"
READING = {"fromPublication": {"path": PATH}}
CARRYING = {"fromPublication": {"path": PATH, "carryFileFromWorktree": "build/images.json"}}
THERE, CARRIED, OTHER = b'{"tag": 1}', b'{"tag": 2}', b'{"tag": 3}'


def sha256(content: bytes) -> str:
    return digest_bytes(content).removeprefix("sha256:")


def changes(
    binding: dict[str, Any] | None,
    *,
    owned: bytes | None = THERE,
    there: bytes | None = THERE,
    carried: bytes | None = None,
    enabled: bool = True,
) -> TreeChanges:
    """What publishing changes of the state file: `owned` is what the index says of it, `there` what the branch has."""
    declared = {WEB: release({"image": {"type": "object", "default": {}}})}
    sources = HeldSources(
        state=HeldState({PATH: there} if there else {}), carried={"build/images.json": carried} if carried else {}
    )
    bindings = {"platform/web": {"image": binding}} if binding else {}
    found = resolve_inputs(context(bindings), declared if enabled else {}, () if enabled else {"platform"}, sources)
    files = {each.path: sha256(each.content) for each in found.state_files}
    wanted = Wanted(files, frozenset(files), found.read_state, found.suspended_state)
    digests = {PATH: sha256(there)} if there else {}
    return tree_changes(wanted, {PATH: sha256(owned)} if owned else {}, Present(digests.keys(), digests))


def test_a_file_that_another_tool_committed_there_is_adopted() -> None:
    found = changes(CARRYING, owned=None, carried=CARRIED)
    assert (found.obstacles, found.added, found.files) == ((), (PATH,), {PATH: sha256(CARRIED)})
    kept = changes(CARRYING, owned=None)
    assert (kept.obstacles, kept.is_empty, kept.files) == ((), True, {PATH: sha256(THERE)})


def test_a_carried_file_is_written_anew_and_stays_owned() -> None:
    found = changes(CARRYING, carried=CARRIED)
    assert (found.changed, found.edits, found.files) == ((PATH,), (), {PATH: sha256(CARRIED)})


def test_a_change_or_deletion_by_another_writer_is_an_edit() -> None:
    assert [each.kind for each in changes(CARRYING, there=OTHER).edits] == [EditKind.CHANGED]
    assert [each.kind for each in changes(CARRYING, there=OTHER, carried=CARRIED).edits] == [EditKind.CHANGED]
    assert [each.kind for each in changes(CARRYING, there=None).edits] == [EditKind.REMOVED]


def test_without_the_carry_file_option_the_file_stays_and_is_owned_no_more() -> None:
    found = changes(READING)
    assert (found.is_empty, found.edits, found.files) == (True, (), {})
    assert [each.kind for each in changes(READING, there=OTHER).edits] == [EditKind.CHANGED]


def test_without_the_binding_the_file_is_removed() -> None:
    found = changes(None)
    assert (found.removed, found.files) == ((PATH,), {})


def test_a_file_that_was_never_owned_stays_without_a_binding() -> None:
    assert changes(None, owned=None).is_empty
    assert changes(READING, owned=None).is_empty


def test_while_its_group_is_disabled_the_file_stays_and_is_owned() -> None:
    for carried in (None, CARRIED):
        found = changes(CARRYING, enabled=False, carried=carried)
        assert (found.is_empty, found.files) == (True, {PATH: sha256(THERE)})
    assert [each.kind for each in changes(CARRYING, enabled=False, there=OTHER).edits] == [EditKind.CHANGED]


def test_a_disabled_group_adopts_nothing() -> None:
    found = changes(CARRYING, owned=None, enabled=False, carried=CARRIED)
    assert (found.is_empty, found.files) == (True, {})


def test_an_enabled_group_carries_anew_to_a_path_that_a_disabled_one_names_too() -> None:
    other = ReleaseAddress("other", "web")
    bindings = {"platform/web": {"a": CARRYING}, "other/web": {"image": CARRYING}}
    sources = HeldSources(carried={"build/images.json": CARRIED})
    declared = {other: release({"image": {"type": "object"}})}
    found = resolve_inputs(context(bindings), declared, {"platform"}, sources)
    assert [each.content for each in found.state_files] == [CARRIED]
