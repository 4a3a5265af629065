"""Pinned source commits: where they are found, and that moving them changes nothing but their bytes."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError
from nyl.project.discovery import Project
from nyl.project.locks import LockMove, PinnedField, SourceLock, find_locks, move_locks, stale_locks
from nyl.project.units import RenderedUnit
from tests.project.builders import OTHER, project_of

OLD, NEW, THIRD = "a" * 40, "b" * 40, "c" * 40
PINNED_ENVIRONMENT = f"""\
# {OLD} is only mentioned here
apiVersion: gitops.nyl/v1
kind: Environment
metadata: {{name: dev}}
spec:
  values: {{pin: {OLD}}}
  source:
    revision: main   # the branch
    commit:   '{OLD}'  # was {OLD}
"""
PINNED_UNIT = f"""\
apiVersion: {OTHER}
kind: Image
metadata: {{name: image}}
spec:
  source: {{path: a, revision: main, commit: {OLD}}}
"""


def pinned(unit: RenderedUnit) -> Iterable[PinnedField]:
    source = unit.spec.get("source", {})
    if "commit" in source:
        yield PinnedField("/source", source["revision"], source["commit"], source.get("url"))


def move_all(project: Project, root: Path) -> tuple[str, ...]:
    return move_locks(root, stale_locks(find_locks(project, pinned), lambda url, revision: NEW))


def test_locks_of_environments_groups_and_units_are_found(tmp_path: Path) -> None:
    group = (
        "apiVersion: gitops.nyl/v1\nkind: EnvironmentGroup\nmetadata: {name: g}\nspec:\n"
        f"  environmentSelector: {{matchLabels: {{a: b}}}}\n  defaults: {{source: {{revision: v1, commit: {OLD}}}}}\n"
    )
    project = project_of(tmp_path, {"e.yaml": PINNED_ENVIRONMENT, "g.yaml": group, "u.yaml": PINNED_UNIT})
    assert [(str(lock.location), lock.owner, lock.revision) for lock in find_locks(project, pinned)] == [
        ("e.yaml:9", "Environment dev", "main"),
        ("g.yaml:6", "EnvironmentGroup g", "v1"),
        ("u.yaml:5", "unit image", "main"),
    ]


def test_a_lock_of_a_group_is_not_found_again_in_its_environments(tmp_path: Path) -> None:
    environment = "apiVersion: gitops.nyl/v1\nkind: Environment\nmetadata: {name: dev}\n"
    group = (
        "apiVersion: gitops.nyl/v1\nkind: EnvironmentGroup\nmetadata: {name: g}\nspec:\n"
        f"  environmentSelector: {{}}\n  defaults: {{source: {{revision: v1, commit: {OLD}}}}}\n"
    )
    project = project_of(tmp_path, {"e.yaml": environment, "g.yaml": group})
    assert [lock.location.file for lock in find_locks(project, pinned)] == ["g.yaml"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_moving_edits_only_the_bytes_of_the_commit_id(tmp_path: Path, line_end: str) -> None:
    data = b"\xef\xbb\xbf" + PINNED_ENVIRONMENT.replace("\n", line_end).encode()
    project = project_of(tmp_path, {"e.yaml": data})
    (tmp_path / "e.yaml").chmod(0o640)
    assert move_all(project, tmp_path) == ("e.yaml",)
    assert (tmp_path / "e.yaml").read_bytes() == data.replace(f"'{OLD}'".encode(), f"'{NEW}'".encode())
    assert (tmp_path / "e.yaml").stat().st_mode & 0o777 == 0o640


def test_two_units_of_one_file_move_each_at_its_place(tmp_path: Path) -> None:
    text = PINNED_UNIT + "---\n" + PINNED_UNIT.replace("image", "other").replace(OLD, THIRD)
    project = project_of(tmp_path, {"e.yaml": PINNED_ENVIRONMENT, "u.yaml": text})
    locks = [lock for lock in find_locks(project, pinned) if lock.location.file == "u.yaml"]
    move_locks(tmp_path, [LockMove(lock, NEW) for lock in locks])
    assert (tmp_path / "u.yaml").read_text() == text.replace(OLD, NEW).replace(THIRD, NEW)


def test_a_lock_behind_template_blocks_is_found_at_its_line(tmp_path: Path) -> None:
    text = PINNED_UNIT.replace("spec:\n", "spec:\n{% for n in range(5) %}\n{% endfor %}\n")
    project = project_of(tmp_path, {"e.yaml": PINNED_ENVIRONMENT, "u.yaml": text})
    assert "u.yaml" in move_all(project, tmp_path)
    assert (tmp_path / "u.yaml").read_text() == text.replace(OLD, NEW)


def test_a_commit_that_a_template_inserts_cannot_be_moved(tmp_path: Path) -> None:
    text = PINNED_UNIT.replace(OLD, "'{{ values.pin }}'")
    project = project_of(tmp_path, {"e.yaml": PINNED_ENVIRONMENT, "u.yaml": text})
    with pytest.raises(NylError) as caught:
        find_locks(project, pinned)
    assert (caught.value.diagnostic.code, str(caught.value.diagnostic.location)) == (Code.SOURCE_INPUT, "u.yaml:5")


def test_each_revision_is_asked_for_once_and_current_locks_stay(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"e.yaml": PINNED_ENVIRONMENT, "u.yaml": PINNED_UNIT})
    asked: list[tuple[str | None, str]] = []

    def head_of(url: str | None, revision: str) -> str:
        asked.append((url, revision))
        return OLD

    assert stale_locks(find_locks(project, pinned), head_of) == []
    assert asked == [(None, "main")]


def test_nothing_is_written_when_a_file_changed_meanwhile(tmp_path: Path) -> None:
    project = project_of(tmp_path, {"e.yaml": PINNED_ENVIRONMENT, "u.yaml": PINNED_UNIT})
    moves = [LockMove(lock, NEW) for lock in find_locks(project, pinned)]
    assert [move.lock.location.file for move in moves] == ["e.yaml", "u.yaml"]
    (tmp_path / "u.yaml").write_text("changed\n")
    with pytest.raises(NylError):
        move_locks(tmp_path, moves)
    assert (tmp_path / "e.yaml").read_text() == PINNED_ENVIRONMENT


def test_revisions_that_cannot_be_had_are_told_together_each_at_its_lock() -> None:
    def gone(url: str | None, revision: str) -> str:
        if revision == "main":
            return OLD
        raise NylError(Code.SOURCE_MISSING, f"There is no revision {revision}.", "push it")

    locks = [
        SourceLock(Location("e.yaml", line), "Environment dev", revision, OLD)
        for line, revision in enumerate(("v1", "main", "v2", "v1"), start=1)
    ]
    with pytest.raises(NylError) as caught:
        stale_locks(locks, gone)
    assert [each.message for each in caught.value.diagnostics] == [
        "e.yaml:1: Environment dev: There is no revision v1.",
        "e.yaml:3: Environment dev: There is no revision v2.",
    ]
