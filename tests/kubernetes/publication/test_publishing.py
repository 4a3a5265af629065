"""Publishing a rendered tree to a branch."""

from pathlib import Path

import pytest

from nyl import __version__
from nyl.core import faults
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.embedded import EmbeddedRemote
from nyl.git.objects import ObjectReader
from nyl.kubernetes.publication.branch import BranchPlace, cached_head
from nyl.kubernetes.publication.publishing import published_update
from nyl.kubernetes.tree import RenderedTree
from tests.git.building import Scene
from tests.support.deploy_branches import REF, DeployBranch, Entry
from tests.support.rendered_trees import SOURCE, digest, rendered, target

WEB = "apps/web/configmap/web/a.yaml"
API = "apps/api/configmap/api/b.yaml"


@pytest.fixture
def deploy(tmp_path: Path) -> DeployBranch:
    return DeployBranch(Scene(tmp_path))


def refused(deploy: DeployBranch, tree: RenderedTree, *, force: bool = False) -> NylError:
    before = deploy.head
    with pytest.raises(NylError) as error:
        deploy.publish(tree, force=force)
    assert deploy.head == before
    return error.value


def test_the_first_publication_is_a_commit_without_parents(deploy: DeployBranch) -> None:
    commit = deploy.publish(rendered({WEB: "a", API: "b"}))
    assert deploy.head == commit
    assert deploy.git("rev-list", "--parents", "-1", REF) == commit
    assert deploy.files() == {f"dev/{WEB}": "a", f"dev/{API}": "b"}
    assert deploy.index().files == {WEB: digest("a"), API: digest("b")}


def test_a_commit_names_target_source_counts_and_version(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", API: "b", "c": "1"}))
    deploy.publish(rendered({WEB: "z", "d": "1", "e": "1"}))
    message = deploy.git("log", "-1", "--format=%B", REF)
    assert message.splitlines() == [
        "nyl: publish dev at 555555555555",
        "",
        "3 files of 1 Release: 2 added, 1 changed, 2 removed",
        "",
        "Nyl-Target: dev",
        f"Nyl-Source-Commit: {SOURCE}",
        f"Nyl-Version: {__version__}",
    ]
    assert deploy.git("log", "-1", "--format=%an <%ae> %at", REF) == "Nyl Bot <bot@example.com> 1700000000"


def test_a_publication_builds_on_the_head_and_touches_its_own_files_alone(deploy: DeployBranch) -> None:
    theirs = {"README.md": "hi", ".github/workflows/x.yml": "on: push", "prod/a.yaml": "p", f"dev/{WEB}.bak": "mine"}
    deploy.commit({**theirs, "run.sh": "x"}, **{"run.sh": 0o755})
    before, parent = deploy.entries(), deploy.head
    deploy.publish(rendered({WEB: "a"}))
    deploy.publish(rendered({API: "b"}))
    after = deploy.entries()
    assert {path: after[path] for path in before} == before
    assert after.keys() - before.keys() == {f"dev/{API}", "dev/_nyl/index.json"}
    assert after["run.sh"].mode == "100755"
    assert deploy.git("rev-parse", f"{REF}~2") == parent


def test_an_unchanged_tree_makes_no_commit(deploy: DeployBranch) -> None:
    head = deploy.publish(rendered({WEB: "a"}, inputs={"@carried/s": digest("x")}))
    again = rendered({WEB: "a"}, commit="6" * 40, inputs={"@publication/s": digest("x")})
    assert deploy.publish(again) is None
    assert (deploy.head, deploy.index().commit) == (head, SOURCE)


def test_files_that_are_not_rendered_any_more_are_removed_with_the_index_in_one_commit(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", API: "b"}))
    deploy.publish(rendered({API: "b"}))
    changed = deploy.git("diff-tree", "-r", "--name-status", f"{REF}~1", REF)
    assert changed.split() == ["M", "dev/_nyl/index.json", "D", f"dev/{WEB}"]


def test_with_an_empty_prefix_the_tree_is_at_the_root(tmp_path: Path) -> None:
    deploy = DeployBranch(Scene(tmp_path), prefix="")
    deploy.commit({"README.md": "hi"})
    deploy.publish(rendered({WEB: "a"}, of=target(prefix="")))
    assert deploy.files() == {WEB: "a", "README.md": "hi"}


@pytest.mark.parametrize("name", ["caf\u00e9/ \"quoted\" 'x'.yaml", "a\nb", "-dash", "%63on.yaml"])
def test_odd_names_are_published_as_they_are(deploy: DeployBranch, name: str) -> None:
    deploy.publish(rendered({name: "a"}))
    assert deploy.read().read(name) == b"a"
    assert deploy.publish(rendered({name: "a"})) is None


def test_a_rename_by_case_alone_leaves_one_name(deploy: DeployBranch) -> None:
    deploy.scene.git("config", "core.ignorecase", "true")
    deploy.refs = DeployBranch(deploy.scene).refs
    deploy.publish(rendered({"apps/Web/A.yaml": "1", "apps/Web/b.yaml": "1"}))
    deploy.publish(rendered({"apps/web/a.yaml": "1", "apps/web/b.yaml": "1"}))
    assert deploy.files().keys() == {"dev/apps/web/a.yaml", "dev/apps/web/b.yaml"}


def test_where_the_disk_does_not_know_case_folders_of_others_stay_apart(deploy: DeployBranch) -> None:
    deploy.scene.git("config", "core.ignorecase", "true")
    deploy.commit({"Dev/apps/theirs.yaml": "theirs"})
    deploy.refs = DeployBranch(deploy.scene).refs
    deploy.publish(rendered({WEB: "a"}))
    assert deploy.files().keys() == {"Dev/apps/theirs.yaml", f"dev/{WEB}"}


# What others do to the branch


def test_hand_edits_are_refused_by_name_and_restored_with_force(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", API: "b", "c": "1"}))
    deploy.commit({f"dev/{WEB}": "edited", f"dev/{API}": None})
    tree = rendered({WEB: "a", API: "b", "c": "2"})
    error = refused(deploy, tree)
    assert error.diagnostic.code is Code.TREE_EDITED
    assert f"{API} (removed), {WEB} (changed)" in error.diagnostic.message
    deploy.publish(tree, force=True)
    assert deploy.files() == {f"dev/{WEB}": "a", f"dev/{API}": "b", "dev/c": "2"}
    assert "3 changed, 2 restored" in deploy.git("log", "-1", "--format=%B", REF)


def test_a_tree_that_only_restores_keeps_its_index(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a"}))
    deploy.commit({f"dev/{WEB}": "edited"})
    deploy.publish(rendered({WEB: "a"}, commit="6" * 40), force=True)
    assert deploy.index().commit == SOURCE
    assert deploy.git("diff-tree", "-r", "--name-only", f"{REF}~1", REF) == f"dev/{WEB}"


@pytest.mark.parametrize("mode", ["100755", "120000"])
def test_another_mode_is_an_edit(deploy: DeployBranch, mode: str) -> None:
    deploy.publish(rendered({WEB: "a"}))
    oid = deploy.entries()[f"dev/{WEB}"].oid
    work = deploy.scene.clone("moded", "-b", "deploy")
    deploy.scene.git("update-index", "--cacheinfo", f"{mode},{oid},dev/{WEB}", cwd=work)
    deploy.scene.git("commit", "-q", "-m", "Mode", cwd=work)
    deploy.scene.git("push", "-q", "origin", "deploy", cwd=work)
    assert refused(deploy, rendered({WEB: "a"})).diagnostic.code is Code.TREE_EDITED
    deploy.publish(rendered({WEB: "a"}), force=True)
    assert deploy.entries()[f"dev/{WEB}"] == Entry("100644", oid)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("theirs", [f"dev/{WEB}", "dev/apps", "dev/Apps/x", f"dev/{WEB.upper()}"])
def test_files_of_others_in_the_way_are_refused(deploy: DeployBranch, theirs: str, force: bool) -> None:
    deploy.commit({theirs: "theirs"})
    error = refused(deploy, rendered({WEB: "a"}), force=force)
    assert error.diagnostic.code is Code.TREE_UNOWNED
    assert theirs.removeprefix("dev/") in error.diagnostic.message


def test_a_reverted_publication_is_published_again(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a"}))
    deploy.publish(rendered({WEB: "b"}))
    work = deploy.scene.clone("reverting", "-b", "deploy")
    deploy.scene.git("revert", "--no-edit", "HEAD", cwd=work)
    deploy.scene.git("push", "-q", "origin", "deploy", cwd=work)
    assert deploy.publish(rendered({WEB: "b"})) is not None
    assert deploy.files() == {f"dev/{WEB}": "b"}


@pytest.mark.parametrize("content", ["{", '{"version": 99}', None])
def test_without_a_usable_index_nothing_is_published(deploy: DeployBranch, content: str | None) -> None:
    deploy.publish(rendered({WEB: "a"}))
    deploy.commit({"dev/_nyl/index.json": content})
    code = refused(deploy, rendered({WEB: "b"}), force=True).diagnostic.code
    assert code is (Code.TREE_UNOWNED if content is None else Code.TREE_INDEX)


@pytest.mark.parametrize("prefix", ["dev", "", "dev/sub", "dev/sub/deep"])
def test_the_prefix_of_another_target_is_refused_above_and_below_too(deploy: DeployBranch, prefix: str) -> None:
    deploy.prefix = "dev/sub" if prefix == "dev" else "dev"
    deploy.publish(rendered({WEB: "a"}))
    deploy.prefix = prefix
    error = refused(deploy, rendered({API: "b"}, of=target("prod", prefix)), force=True)
    assert error.diagnostic.code is Code.TREE_FOREIGN
    assert "DeploymentTarget dev" in error.diagnostic.message
    assert "prod (targets/prod.yaml:1)" in error.diagnostic.message


def test_another_target_beside_is_left_alone(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a"}))
    deploy.prefix = "dev2"
    deploy.publish(rendered({API: "b"}, of=target("prod", "dev2")))
    assert deploy.files() == {f"dev/{WEB}": "a", f"dev2/{API}": "b"}


@pytest.mark.parametrize(
    ("prefix", "path"), [(".github/workflows", "x.yml"), ("", ".github/workflows/x.yml"), (".GIT", "x")]
)
def test_nothing_is_published_below_folders_that_hosts_act_on(tmp_path: Path, prefix: str, path: str) -> None:
    deploy = DeployBranch(Scene(tmp_path), prefix=prefix)
    tree = rendered({path: "a"}, of=target(prefix=prefix), state=[path])
    assert refused(deploy, tree, force=True).diagnostic.code is Code.PATH_REFUSED


# Carried state


def test_a_carried_file_is_adopted_and_from_then_on_owned(deploy: DeployBranch) -> None:
    deploy.commit({"dev/state/i.json": "theirs"})
    deploy.publish(rendered({"state/i.json": "ours"}, state=["state/i.json"]))
    assert deploy.index().files == {"state/i.json": digest("ours")}
    deploy.commit({"dev/state/i.json": "theirs"})
    tree = rendered({"state/i.json": "ours"}, state=["state/i.json"])
    assert refused(deploy, tree).diagnostic.code is Code.TREE_EDITED
    deploy.commit({"dev/state/i.json": None})
    assert refused(deploy, tree).diagnostic.code is Code.TREE_EDITED


def test_a_file_that_is_adopted_with_its_content_changes_the_index_alone(deploy: DeployBranch) -> None:
    deploy.commit({"dev/state/i.json": "same"})
    deploy.publish(rendered({"state/i.json": "same"}, state=["state/i.json"]))
    assert deploy.index().files == {"state/i.json": digest("same")}


def test_a_file_that_is_not_carried_any_more_but_read_stays_without_an_owner(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", "s.json": "1"}, state=["s.json"]))
    deploy.publish(rendered({WEB: "a"}, read_state=["s.json"]))
    assert deploy.index().files.keys() == {WEB}
    deploy.commit({"dev/s.json": "another tool"})
    assert deploy.publish(rendered({WEB: "a"}, read_state=["s.json"])) is None
    assert deploy.files()["dev/s.json"] == "another tool"


def test_a_file_whose_binding_is_gone_is_deleted(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", "s.json": "1"}, state=["s.json"]))
    deploy.publish(rendered({WEB: "a"}))
    assert deploy.files().keys() == {f"dev/{WEB}"}


def test_a_file_of_a_disabled_group_stays_until_the_group_is_enabled_again(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", "s.json": "1"}, state=["s.json"]))
    deploy.publish(rendered({}, suspended=["s.json"]))
    assert deploy.files() == {"dev/s.json": "1"}
    assert deploy.index().files == {"s.json": digest("1")}
    deploy.publish(rendered({WEB: "a", "s.json": "2"}, state=["s.json"]))
    assert deploy.files() == {f"dev/{WEB}": "a", "dev/s.json": "2"}


# Races, refusals and deaths


def test_of_two_publishers_one_wins_and_the_other_is_told(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a"}))
    seen = deploy.read()
    winner = deploy.publish(rendered({WEB: "b"}))
    with pytest.raises(NylError, match="NYL-PUBLISH-OUTPACED") as lost:
        deploy.publish(rendered({WEB: "c"}), on=seen)
    assert lost.value.exit == 1
    assert deploy.head == winner
    assert deploy.publish(rendered({WEB: "c"})) is not None
    assert deploy.git("rev-parse", f"{REF}~1") == winner


def test_a_writer_that_pushes_while_nyl_renders_wins(deploy: DeployBranch) -> None:
    deploy.commit({"dev/s.json": "1"})
    seen = deploy.read()
    theirs = deploy.commit({"dev/s.json": "2"})
    with pytest.raises(NylError, match="NYL-PUBLISH-OUTPACED"):
        deploy.publish(rendered({WEB: "1"}), on=seen)
    assert deploy.head == theirs


def test_two_first_publishers_race_on_a_branch_that_does_not_exist(deploy: DeployBranch) -> None:
    seen = deploy.read()
    winner = deploy.publish(rendered({WEB: "b"}))
    with pytest.raises(NylError, match="NYL-PUBLISH-OUTPACED"):
        deploy.publish(rendered({WEB: "c"}), on=seen)
    assert deploy.head == winner


def test_a_branch_that_was_deleted_meanwhile_is_not_made_again(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a"}))
    seen = deploy.read()
    deploy.git("update-ref", "-d", REF)
    with pytest.raises(NylError, match="NYL-PUBLISH-OUTPACED"):
        deploy.publish(rendered({WEB: "b"}), on=seen)
    assert deploy.head is None


def test_the_same_publication_by_two_is_one_commit(deploy: DeployBranch) -> None:
    seen = deploy.read()
    assert deploy.publish(rendered({WEB: "a"}), on=seen) == deploy.publish(rendered({WEB: "a"}), on=seen)


def test_a_publication_that_arrived_counts_though_another_writer_built_on_it_since(deploy: DeployBranch) -> None:
    seen = deploy.read()
    arrived = deploy.publish(rendered({WEB: "a"}), on=seen)
    deploy.commit({"README": "theirs"})
    assert deploy.publish(rendered({WEB: "a"}), on=seen) == arrived
    assert deploy.git("rev-parse", f"{REF}~1") == arrived


def test_a_refused_push_names_ref_and_reason(deploy: DeployBranch) -> None:
    hook = deploy.scene.origin / "hooks" / "update"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho only the robot may do this\nexit 1\n")
    hook.chmod(0o755)
    error = refused(deploy, rendered({WEB: "a"}))
    assert error.diagnostic.code is Code.PUSH_REFUSED
    assert REF in error.diagnostic.message
    assert "only the robot may do this" in error.diagnostic.message


def test_a_repository_without_atomic_pushes_is_named_as_what_is_in_the_way(deploy: DeployBranch) -> None:
    deploy.git("config", "receive.advertiseAtomic", "false")
    error = refused(deploy, rendered({WEB: "a"})).diagnostic
    assert error.code is Code.PUSH_REFUSED
    assert "takes no atomic pushes" in error.message
    assert error.fix.startswith("publish to another repository, or let its host offer them")


def test_a_ref_that_leaves_no_room_for_the_branch_is_not_to_be_deleted(deploy: DeployBranch) -> None:
    deploy.git("update-ref", f"{REF}/state", deploy.scene.remote_refs()["refs/heads/main"])
    error = refused(deploy, rendered({WEB: "a"})).diagnostic
    assert error.code is Code.PUSH_REFUSED
    assert error.fix == f"publish to another branch or repository, or rename {REF}/state there if nothing uses it"


class _Death(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("where", ["after publication commit", "after publication push"])
def test_after_a_death_the_next_publication_goes_on_from_what_is_there(deploy: DeployBranch, where: str) -> None:
    deploy.publish(rendered({WEB: "a"}))

    def die(name: str) -> None:
        if name == where:
            raise _Death

    faults.install(die)
    try:
        with pytest.raises(_Death):
            deploy.publish(rendered({WEB: "b"}))
    finally:
        faults.install(None)
    again = deploy.publish(rendered({WEB: "b"}))
    assert (again is None) == (where == "after publication push")
    assert deploy.files() == {f"dev/{WEB}": "b"}


# Where it is published


def test_without_a_remote_it_is_published_to_a_branch_of_the_repository_itself(tmp_path: Path) -> None:
    deploy = DeployBranch(Scene(tmp_path))
    deploy.refs = EmbeddedRemote(deploy.scene.open())
    commit = deploy.publish(rendered({WEB: "a"}))
    assert deploy.scene.git("rev-parse", REF) == commit


def test_what_was_published_is_known_offline(deploy: DeployBranch) -> None:
    commit = deploy.publish(rendered({WEB: "a"}))
    found = cached_head(BranchPlace(deploy.refs, REF, "dev"), ObjectReader(deploy.refs.repository))
    assert found.index is not None
    assert (found.commit, found.index.files) == (commit, {WEB: digest("a")})


def test_of_a_large_branch_only_the_prefix_is_looked_at(deploy: DeployBranch) -> None:
    place = deploy.scene.folder / "large"
    deploy.scene.git("init", "-q", "-b", "deploy", str(place), cwd=deploy.scene.folder)
    stream = [b"commit refs/heads/deploy\ncommitter a <a@b> 1 +0000\ndata 1\nx\n"]
    stream += [b"M 100644 inline prod/r%d/configmap/f%d.yaml\ndata 2\nx\n\n" % (n // 10, n) for n in range(20_000)]
    (place / "stream").write_bytes(b"".join(stream))
    deploy.scene.git("-c", "alias.import=!git fast-import --quiet <stream", "import", cwd=place)
    deploy.scene.git("push", "-q", str(deploy.scene.origin), "deploy", cwd=place)
    deploy.publish(rendered({WEB: "a"}))
    before, published = deploy.entries(), deploy.read()
    assert len(published.entries) == 2
    deploy.publish(rendered({WEB: "b"}), on=published)
    after = deploy.entries()
    assert len(after) == 20_002
    assert {path for path in after if after[path] != before.get(path)} == {f"dev/{WEB}", "dev/_nyl/index.json"}
    assert not list(deploy.scene.work.glob("**/f1.yaml"))


def test_what_is_published_unchanged_reads_no_file_but_the_index(deploy: DeployBranch) -> None:
    deploy.publish(rendered({WEB: "a", API: "b"}))
    published = deploy.read()
    deploy.scene.calls.commands.clear()
    assert published_update(rendered({WEB: "a", API: "b"}), published).is_empty
    assert len(deploy.scene.calls.commands) == 1
