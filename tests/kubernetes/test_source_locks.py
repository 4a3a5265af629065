"""The locked commits of ApplicationGroups and of the bindings of targets."""

import json
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.source_locks import kubernetes_locks
from nyl.project.locks import LockMove, locks_of, move_locks
from tests.support.kubernetes_project import CLUSTER, GROUP, REPOSITORY, TARGET, kubernetes_project

OLD, NEW = "a" * 40, "b" * 40
URL = "https://git.example.com/team/deploy.git"
BOUND = f"""\
apiVersion: k8s.gitops.nyl/v1
kind: DeploymentTarget
metadata: {{name: staging}}
spec:
  clusterRef: {{name: prod}}
  applicationGroupSelector: {{matchLabels: {{tier: a}}}}
  publication: {{repositoryRef: {{name: deploy}}, revision: deploy}}
  releaseInputs:
    remote/web:
      size:
        value: {OLD}
      tier:
        fromGit:
          repositoryRef: {{name: deploy}}
          revision: main
          commit: {OLD}   # moved by nyl update source-locks
          path: sizing.json
    remote/other:
      tier:
        fromGit: {{repository: {{repoURL: https://git.example.com/x}}, revision: v1, commit: {OLD}, path: a.json}}
"""
REMOTE = f"""\
apiVersion: k8s.gitops.nyl/v1
kind: ApplicationGroup
metadata: {{name: remote, labels: {{tier: a}}}}
spec:
  enabled: false
  outputPath: "{{{{ target.metadata.name }}}}"
  source:
    path: apps
    repository: {{repoURL: https://git.example.com/apps}}
    revision: main
    commit: {OLD}
"""
PINNED = REMOTE.replace("{name: remote, labels: {tier: a}}", "{name: pinned}").replace(
    "apps\n    rev", "apps2\n    rev"
)
FILES = {
    "cluster.yaml": CLUSTER,
    "repository.yaml": REPOSITORY,
    "prod.yaml": TARGET,
    "staging.yaml": BOUND,
    "remote.yaml": REMOTE,
    "pinned.yaml": PINNED,
    "group.yaml": GROUP,
}


def found(root: Path, target: str | None = None) -> list[tuple[str, str, str, str | None]]:
    locks = kubernetes_locks(kubernetes_project(root, FILES), target)
    return [(str(each.location), each.owner, each.revision, each.repository) for each in locks]


GROUP_LOCK = ("remote.yaml:11", "ApplicationGroup remote", "main", "https://git.example.com/apps")
PINNED_LOCK = ("pinned.yaml:11", "ApplicationGroup pinned", "main", "https://git.example.com/apps")
BINDING_LOCKS = [
    ("staging.yaml:16", "DeploymentTarget staging", "main", URL),
    ("staging.yaml:20", "DeploymentTarget staging", "v1", "https://git.example.com/x"),
]


def test_sources_of_groups_and_bindings_of_targets_are_locks(tmp_path: Path) -> None:
    assert found(tmp_path) == [PINNED_LOCK, GROUP_LOCK, *BINDING_LOCKS]


def test_one_target_has_the_locks_of_its_groups_and_bindings(tmp_path: Path) -> None:
    assert found(tmp_path, "staging") == [GROUP_LOCK, *BINDING_LOCKS]
    assert found(tmp_path, "prod") == [PINNED_LOCK, GROUP_LOCK]


def test_a_target_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NylError) as caught:
        found(tmp_path, "stagign")
    assert caught.value.diagnostic.code is Code.TARGET_UNKNOWN


@pytest.mark.parametrize(("start", "line_end"), [(b"", "\n"), (b"\xef\xbb\xbf", "\r\n")])
def test_moving_changes_nothing_but_the_ids(tmp_path: Path, start: bytes, line_end: str) -> None:
    def written(text: str) -> bytes:
        return start + text.replace("\n", line_end).encode()

    files = {**FILES, "remote.yaml": written(REMOTE), "staging.yaml": written(BOUND)}
    locks = kubernetes_locks(kubernetes_project(tmp_path, files), "staging")
    assert move_locks(tmp_path, [LockMove(each, NEW) for each in locks]) == ("remote.yaml", "staging.yaml")
    assert (tmp_path / "remote.yaml").read_bytes() == written(REMOTE.replace(OLD, NEW))
    moved = BOUND.replace(f"commit: {OLD}", f"commit: {NEW}")
    assert (tmp_path / "staging.yaml").read_bytes() == written(moved)


def test_a_lock_in_a_json_file_is_moved(tmp_path: Path) -> None:
    lock = {"repositoryRef": {"name": "deploy"}, "revision": "main", "commit": OLD, "path": "a.json"}
    document = {
        "apiVersion": "k8s.gitops.nyl/v1",
        "kind": "DeploymentTarget",
        "metadata": {"name": "staging"},
        "spec": {
            "clusterRef": {"name": "prod"},
            "publication": {"repositoryRef": {"name": "deploy"}, "revision": "deploy"},
            "releaseInputs": {"remote/web": {"tier": {"fromGit": lock}}},
        },
    }
    text = json.dumps(document)
    locks = kubernetes_locks(
        kubernetes_project(tmp_path, {**FILES, "staging.yaml": "", "staging.json": text}), "staging"
    )
    bindings = [LockMove(each, NEW) for each in locks if each.owner == "DeploymentTarget staging"]
    assert move_locks(tmp_path, bindings) == ("staging.json",)
    assert (tmp_path / "staging.json").read_text() == text.replace(OLD, NEW)


def test_all_problems_of_targets_and_groups_are_told_together(tmp_path: Path) -> None:
    files = {
        **FILES,
        "prod.yaml": TARGET.replace("spec:", "spec:\n  clusterRef: {name: gone}"),
        "staging.yaml": BOUND.replace("repositoryRef: {name: deploy}\n", "repositoryRef: {name: gone}\n"),
        "remote.yaml": REMOTE.replace(f"commit: {OLD}", 'commit: "{{ values.pin }}"'),
    }
    with pytest.raises(NylError) as caught:
        kubernetes_locks(kubernetes_project(tmp_path, files))
    assert {each.code for each in caught.value.diagnostics} == {
        Code.CLUSTER_UNKNOWN,
        Code.REPOSITORY_UNKNOWN,
        Code.TEMPLATE_INVALID,
    }


def test_owners_are_chosen_by_name_with_or_without_their_kind(tmp_path: Path) -> None:
    locks = kubernetes_locks(kubernetes_project(tmp_path, FILES))

    def owners(*names: str) -> list[str]:
        return [each.owner for each in locks_of(locks, names)]

    assert len(owners()) == len(locks)
    assert owners("remote") == ["ApplicationGroup remote"]
    assert owners("ApplicationGroup remote", "staging") == [
        "ApplicationGroup remote",
        *["DeploymentTarget staging"] * 2,
    ]
    with pytest.raises(NylError, match="Nothing that is named remot pins a commit"):
        owners("remot")
