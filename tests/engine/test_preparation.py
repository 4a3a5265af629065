"""Runs page, Source commit: what comes from the working tree, and what from S; and why units leave."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.engine.preparation import PreparedEnvironment, RenderedEnvironment, prepare_environment, render_environment
from nyl.engine.results import LeavingWhy
from nyl.engine.source import Source
from nyl.engine.source_projects import SourceProjects
from nyl.engine.workspace import Workspace
from nyl.project.resources import Admission, Environment, EnvironmentSource
from tests.engine.projects import workspace
from tests.support import declarations
from tests.support.world import World

LATER: dict[str, Any] = {
    "source": {"revision": "stable"},
    "state": {"desiredRef": "elsewhere/desired"},
    "protectedRefs": ["stable"],
    "allowUnprotectedSource": True,
    "admission": {"passthrough": ["AWS_*"]},
}


def rendered(world: World, commit: str) -> RenderedEnvironment:
    where = workspace(world)
    return render_environment(where, where.worktree.environments["dev"], Source(commit), SourceProjects(where))


def check_later(found: Environment) -> None:
    assert found.source == EnvironmentSource("stable")
    assert found.state.desired_ref == "refs/heads/elsewhere/desired"
    assert (found.protected_refs, found.allow_unprotected_source) == (("stable",), True)
    assert found.admission == Admission(("AWS_*",), Admission().secrets)


def test_what_decides_s_where_state_lives_and_what_is_admitted_comes_from_the_working_tree(world: World) -> None:
    commit = world.environment(values={"size": "small"}).commit()
    world.environment(values={"size": "large"}, **LATER)
    found = rendered(world, commit).environment
    check_later(found)
    assert found.values == {"size": "small"}


def test_a_source_that_is_not_there_is_told_at_the_unit_that_reads_it(world: World) -> None:
    spec = "{context: {path: app, revision: nowhere}, repository: registry.example.com/web}"
    text = f"apiVersion: units.gitops.nyl/v1\nkind: OciImage\nmetadata: {{name: web}}\nspec: {spec}\n"
    found = rendered(world, world.environment().write("units/web.yaml", text).commit())
    with pytest.raises(NylError) as caught:
        prepare_environment(workspace(world), found, lambda _name: None)
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.environment, problem.unit) == (Code.SOURCE_MISSING, "dev", "web")
    assert str(problem.location) == "units/web.yaml:1"


def test_so_do_the_defaults_that_groups_give_for_it(world: World) -> None:
    commit = world.environment(labels={"stage": "dev"}).commit()
    group = {"environmentSelector": {"matchLabels": {"stage": "dev"}}, "defaults": LATER | {"values": {"x": 1}}}
    world.write("group.yaml", declarations.resource("gitops.nyl/v1", "EnvironmentGroup", "devs", group))
    found = rendered(world, commit).environment
    check_later(found)
    assert found.values == {}


def test_a_source_commit_cannot_widen_what_is_admitted(world: World) -> None:
    commit = world.environment(admission={"passthrough": ["*"]}, allowUnprotectedSource=True).commit()
    world.environment(admission={"passthrough": []})
    found = rendered(world, commit).environment
    assert (found.admission.passthrough, found.allow_unprotected_source) == ((), False)


@pytest.mark.parametrize(
    ("spec", "labels", "why"),
    [
        ({"enabled": False}, {"tier": "platform"}, LeavingWhy.DISABLED),
        ({}, {"tier": "other"}, LeavingWhy.DESELECTED),
        (None, {}, LeavingWhy.REMOVED),
    ],
)
def test_a_unit_leaves_disabled_deselected_or_removed(
    world: World, spec: dict[str, Any] | None, labels: dict[str, str], why: LeavingWhy
) -> None:
    world.environment(unitSelector={"matchLabels": {"tier": "platform"}})
    if spec is not None:
        world.unit("cache", labels=labels, **spec)
    found = PreparedEnvironment(rendered(world, world.commit()), {}, (), {}, {})
    assert "cache" not in found.rendered.rendering.units
    assert found.why_leaving("cache") is why


def settings_at(world: World, commit: str) -> tuple[Workspace, str]:
    """The project as opened, and the timeout of its unit at a commit."""
    where = workspace(world)
    found = render_environment(where, where.worktree.environments["dev"], Source(commit), SourceProjects(where))
    return where, str(found.rendering.units["a"].timeout)


def test_defaults_of_kinds_come_from_the_source_commit_and_orchestration_from_the_working_tree(world: World) -> None:
    text = "[units.Command]\ntimeout = '{}'\n[orchestration]\nconcurrency = {}\n[secrets]\nprovider = '{}'\n"
    commit = world.write("nyl.toml", text.format("5m", 3, "env")).environment().unit("a").commit()
    world.write("nyl.toml", text.format("9m", 7, "sops") + "file = 'x.yaml'\n")
    where, timeout = settings_at(world, commit)
    assert timeout == "0:05:00"
    assert (where.config.orchestration.concurrency, where.config.secrets.provider.value) == (7, "sops")
