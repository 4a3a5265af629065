"""Every environment's state has a place of its own."""

from pathlib import Path

import pytest

from nyl.core.codes import Code
from tests.project.builders import problems_of, project_of, the_problem


def environments(*states: str) -> dict[str, str | bytes]:
    """Environments a, b, … with what their `state` holds, one file each."""
    head = "apiVersion: gitops.nyl/v1\nkind: Environment\nmetadata: {name: %s}\nspec:\n  state: {%s}\n"
    return {f"{name}.yaml": head % (name, state) for name, state in zip("abcdefgh", states, strict=False)}


def shared(path: str) -> str:
    return f"desiredRef: all, observedRef: all, path: '{path}'"


@pytest.mark.parametrize("paths", [("x", "y"), ("x", "x-y"), ("", "x"), ("x", "x/y"), ("desired/x", "desired/y")])
def test_environments_may_share_a_ref_in_folders_of_their_own(tmp_path: Path, paths: tuple[str, str]) -> None:
    assert len(project_of(tmp_path, environments(*map(shared, paths))).environments) == 2


@pytest.mark.parametrize(
    "paths", [("x", "x"), ("", "."), ("x", "x/desired"), ("observed/units", ""), ("", "state.yaml")]
)
def test_one_environment_cannot_write_among_the_documents_of_another(tmp_path: Path, paths: tuple[str, str]) -> None:
    problem = the_problem(tmp_path, environments(*map(shared, paths)), Code.RESOURCE_INVALID, "b.yaml", 1)
    assert "one folder" in problem.message


@pytest.mark.parametrize(
    "ref",
    [
        "refs/nyl/a/lease",
        "refs/nyl/a/runs/x",
        "refs/nyl/b/signals",
        "refs/nyl/a/lease/x",
        "refs/nyl/b",
        "nyl/a/desired/x",
        "nyl/a",
    ],
)
def test_a_state_ref_cannot_collide_with_another_ref(tmp_path: Path, ref: str) -> None:
    problems = problems_of(tmp_path, environments("", f"desiredRef: '{ref}', observedRef: elsewhere"))
    assert {each.code for each in problems} == {Code.RESOURCE_INVALID}
    assert any("collides" in each.message for each in problems)


@pytest.mark.parametrize(
    "states",
    [
        ("coordinationRefPrefix: refs/heads/nyl",),
        ("", "repository: {repoURL: 'https://example.com/x'}, desiredRef: nyl/a/desired/x"),
        ("", "desiredRef: nyl/ab, observedRef: nyl/a-b"),
    ],
)
def test_refs_beside_each_other_or_elsewhere_do_not_collide(tmp_path: Path, states: tuple[str, ...]) -> None:
    assert len(project_of(tmp_path, environments(*states)).environments) == len(states)
