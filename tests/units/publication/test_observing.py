"""Page Deletion and holds, Publication teardown waits: `observe` looks for Applications with kubectl."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from nyl.units.outcomes import Removed, Waiting
from tests.support.argo_api import CONTEXT, Cluster, argo_cluster, write_kubeconfig
from tests.support.kubernetes_project import CLUSTER
from tests.support.kubernetes_tools import kubectl, tool_path
from tests.units.publication.teardown_bench import TeardownBench

OBSERVE = {"strategy": "observe"}
PATIENT = {"strategy": "observe", "duration": "20s"}
GONE = "observed: 2 Applications (argocd/api, argocd/web) are gone"


@pytest.fixture
def bench(tmp_path: Path) -> TeardownBench:
    """A publication whose Applications left the branch."""
    bench = TeardownBench(tmp_path)
    bench.context.variables = {**bench.context.variables, "PATH": tool_path(kubectl())}
    bench.publish()
    return bench


@pytest.fixture
def cluster(bench: TeardownBench) -> Iterator[Cluster]:
    """The cluster with the Applications of the tree, the catalog's own among them."""
    with argo_cluster(bench.kubeconfig) as cluster:
        cluster.bring(bench.application_texts())
        first = bench.down(OBSERVE)
        assert isinstance(first, Waiting)
        assert first.again
        yield cluster


def test_it_waits_until_the_applications_are_gone_and_says_which_are_left(
    bench: TeardownBench, cluster: Cluster
) -> None:
    assert len(cluster.applications) == 3
    waits = bench.down(OBSERVE)
    assert isinstance(waits, Waiting)
    assert "for Argo CD to remove 2 Applications (argocd/api, argocd/web)" in waits.reason
    cluster.delete("api")
    waits = bench.down(OBSERVE)
    assert isinstance(waits, Waiting)
    assert "for Argo CD to remove 1 Application (argocd/web)" in waits.reason
    cluster.delete("web")
    assert bench.down(OBSERVE) == Removed(confirmed=GONE)
    assert bench.files == frozenset()


def test_with_a_duration_one_run_keeps_looking(bench: TeardownBench, cluster: Cluster) -> None:
    original = cluster.change.wait_for

    def watched(*arguments: object) -> bool:
        cluster.delete("api", "web")
        return original(*arguments)  # type: ignore[arg-type]

    cluster.change.wait_for = watched  # type: ignore[assignment, method-assign]
    assert bench.down(PATIENT) == Removed(confirmed=GONE)
    assert any("watch=true" in each for each in cluster.requests)


def test_its_time_ends_with_the_duration_and_with_the_timeout_of_the_unit(
    bench: TeardownBench, cluster: Cluster
) -> None:
    assert isinstance(bench.down({"strategy": "observe", "duration": "1s"}), Waiting)
    asked = len(cluster.requests)
    assert isinstance(bench.down({"strategy": "observe", "duration": "7d"}, seconds=25), Waiting)
    assert not any("watch" in each for each in cluster.requests[asked:])


def test_where_it_may_not_watch_it_looks_twice_and_no_more(bench: TeardownBench, cluster: Cluster) -> None:
    cluster.forbidden = {"list", "watch"}
    assert isinstance(bench.down({"strategy": "observe", "duration": "1s"}), Waiting)
    assert len([each for each in cluster.requests if "/applications/web?" in each]) == 2
    cluster.delete()
    assert isinstance(bench.down(PATIENT), Removed)


def refused(bench: TeardownBench, problem: str) -> None:
    """The wait stays as it is, and says why."""
    before, head = bench.progress, bench.branch.head
    waits = bench.down(OBSERVE)
    assert isinstance(waits, Waiting)
    assert problem in waits.reason
    assert (waits.progress, bench.branch.head) == (before, head)
    assert problem in bench.context.warnings[-1].message
    assert "--confirm-removed" in bench.context.warnings[-1].fix


def test_where_it_may_not_look_the_wait_stays(bench: TeardownBench, cluster: Cluster) -> None:
    cluster.forbidden = {"get"}
    refused(bench, 'cannot get resource "applications"')


def test_a_cluster_that_does_not_answer_is_no_word_of_a_removal(bench: TeardownBench, cluster: Cluster) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        write_kubeconfig(bench.kubeconfig, free.getsockname()[1])
    refused(bench, "kubectl ended with exit code 1")


def test_an_answer_that_is_no_application_is_no_word_of_a_removal(bench: TeardownBench, cluster: Cluster) -> None:
    cluster.garbage = True
    refused(bench, "kubectl answered with what is no list of Applications")


def test_a_context_that_is_not_there_is_told(bench: TeardownBench, cluster: Cluster) -> None:
    bench.kubeconfig.write_text("apiVersion: v1\nkind: Config\n")
    refused(bench, CONTEXT)


def test_a_cluster_without_a_context_is_told(bench: TeardownBench, cluster: Cluster) -> None:
    bench.site.write({"cluster.yaml": CLUSTER})
    bench.context.source = bench.source()
    refused(bench, "the Cluster of its Argo CD has no live.context to look with")


def test_a_missing_kubectl_is_told(bench: TeardownBench, cluster: Cluster, tmp_path: Path) -> None:
    bench.context.variables = {**bench.context.variables, "PATH": str(tmp_path)}
    refused(bench, "there is no kubectl on the PATH of the unit")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("kill -9 $$", "kubectl ended with a signal"),
        ("head -c 80000000 /dev/zero", "kubectl printed more than nyl reads"),
    ],
)
def test_a_kubectl_that_fails_otherwise_is_told(
    bench: TeardownBench, cluster: Cluster, tmp_path: Path, script: str, told: str
) -> None:
    folder = tmp_path / "stub"
    folder.mkdir()
    (folder / "kubectl").write_text(f"#!/bin/sh\n{script}\n")
    (folder / "kubectl").chmod(0o755)
    bench.context.variables = {**bench.context.variables, "PATH": f"{folder}:/usr/bin:/bin"}
    refused(bench, told)


def test_an_operator_need_not_wait_for_what_cannot_be_seen(bench: TeardownBench, cluster: Cluster) -> None:
    cluster.forbidden = {"get"}
    assert bench.down(OBSERVE, confirm_removed=True) == Removed()


def test_what_is_gone_is_confirmed_even_where_an_incomplete_teardown_was_accepted(
    bench: TeardownBench, cluster: Cluster
) -> None:
    cluster.delete()
    assert bench.down(OBSERVE, allow_incomplete=True) == Removed(confirmed=GONE)


def test_what_was_found_out_while_it_looked_goes_on_record_before_the_second_phase(
    bench: TeardownBench, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nyl.units.publication.teardown._AT_ONCE_SECONDS", -1)
    cluster.delete()
    looked = bench.down(OBSERVE)
    assert isinstance(looked, Waiting)
    assert (looked.again, looked.reason) == (True, GONE)
    cluster.bring(
        [
            "apiVersion: argoproj.io/v1alpha1\nkind: Application\n"
            "metadata: {name: web, namespace: argocd}\nspec: {project: default, destination: {}}\n"
        ]
    )
    assert bench.down(OBSERVE) == Removed(confirmed=GONE)
