"""What trees of manifests cost in programs: how often Git and helm are started."""

from pathlib import Path

from tests.support.copies import copied
from tests.support.git_processes import GitRecorder
from tests.support.kubernetes_charts import below, chart_files
from tests.support.kubernetes_project import RELEASE
from tests.support.kubernetes_tools import helm
from tests.support.publication_worlds import PublicationWorld, published
from tests.support.tree_worlds import TreeWorld

MOST_PROCESSES = 6
CHART = "---\napiVersion: k8s.nyl/v1\nkind: HelmChart\nmetadata: {name: cache}\nspec: {chart: {name: cache}}\n"


def recorded(world: TreeWorld) -> GitRecorder:
    """What a publication asks of git."""
    recorder = GitRecorder.install(world.tmp / f"recorder-{len(list(world.tmp.glob('recorder-*')))}")
    world.nyl("publish-tree", environ=recorder.environ(world.environ["PATH"]))
    return recorder


def with_releases(world: TreeWorld, count: int) -> TreeWorld:
    """A published target of so many Releases."""
    for number in range(count):
        world.write(f"applications/platform/r{number}.yaml", RELEASE.replace(": web", f": r{number}"))
    world.commit()
    world.nyl("publish-tree")
    return world


def test_publishing_an_unchanged_tree_takes_a_fixed_small_number_of_processes(tmp_path: Path) -> None:
    counts = []
    for size in (1, 12):
        (tmp_path / str(size)).mkdir()
        recorder = recorded(with_releases(TreeWorld(tmp_path / str(size)), size))
        assert recorder.round_trips() == ["fetch"], recorder.calls()
        counts.append(len(recorder.calls()))
    assert counts[0] == counts[1] <= MOST_PROCESSES, recorder.calls()


def test_publishing_a_change_makes_one_fetch_and_one_push(tmp_path: Path) -> None:
    world = with_releases(TreeWorld(tmp_path), 3)
    world.data("two").commit()
    assert recorded(world).round_trips() == ["fetch", "push"]


def counting_helm(world: TreeWorld) -> tuple[Path, dict[str, str]]:
    """A helm that adds a line to a file each time, and the variables that put it first."""
    log, counting = world.tmp / "runs", world.tmp / "bin" / "helm"
    counting.parent.mkdir()
    counting.write_text(f"#!/bin/sh\necho >> '{log}'\nexec '{helm()}' \"$@\"\n")
    counting.chmod(0o755)
    return log, {"PATH": f"{counting.parent}:{world.environ['PATH']}"}


def test_charts_are_rendered_once_while_nothing_of_them_changes(tmp_path: Path) -> None:
    world = TreeWorld(tmp_path)
    files = {"applications/platform/web.yaml": RELEASE + CHART, **below("charts/cache", chart_files("cache"))}
    for name, text in files.items():
        world.write(name, text)
    world.commit()
    log, path = counting_helm(world)
    runs = []
    for command in (("render-tree", "--output-dir", world.out), ("publish-tree",), ("diff-tree",)):
        world.nyl(*command, environ=path)
        runs.append(len(log.read_text().splitlines()))
    assert runs == [1, 1, 1]


def test_a_run_in_which_nothing_changed_renders_nothing_and_does_not_look_at_the_branch(tmp_path: Path) -> None:
    copied(tmp_path / "world", published)
    world = PublicationWorld(tmp_path / "world", laid=True)
    world.bind("")
    files = {"applications/platform/web.yaml": RELEASE + CHART, **below("charts/cache", chart_files("cache"))}
    for name, text in files.items():
        world.write(name, text)
    world.commit()
    log, path = counting_helm(world)
    assert world.reconcile(environ=path).verdicts()["kubernetes"] == "executed"
    assert len(log.read_text().splitlines()) == 1
    log.unlink()
    recorder = GitRecorder.install(world.tmp / "recorder")
    quiet = {"PATH": f"{recorder.folder}:{path['PATH']}"}
    assert world.reconcile(environ=quiet).verdicts()["kubernetes"] == "current"
    assert not any("deploy" in argument for call in recorder.calls() for argument in call)
    world.write("README.md", "unrelated").commit()
    assert world.reconcile(environ=quiet).verdicts()["kubernetes"] == "current"
    assert not log.exists()
