"""Trees of manifests: written into folders, compared, and published."""

from pathlib import Path

import pytest

from tests.support.kubernetes_project import REPOSITORY
from tests.support.tree_worlds import SETTINGS, WEB, TreeWorld


@pytest.fixture
def world(tmp_path: Path) -> TreeWorld:
    world = TreeWorld(tmp_path)
    world.commit()
    return world


# render-tree


def test_a_tree_is_written_and_stays(world: TreeWorld) -> None:
    first = world.report("render-tree", "--output-dir", world.out).json["details"]
    assert (first["target"], first["place"], first["source"]) == (
        "prod",
        str(world.out / "prod"),
        world.git("rev-parse", "HEAD"),
    )
    assert SETTINGS in first["added"]
    assert "region: one" in (world.out / "prod" / SETTINGS).read_text()
    again = world.report("render-tree", "--output-dir", world.out).json["details"]
    assert (again["added"], again["changed"], again["removed"], again["unchanged"]) == ([], [], [], first["files"])


def test_a_check_says_whether_something_would_change_and_writes_nothing(world: TreeWorld) -> None:
    assert not world.out.exists()
    world.nyl("render-tree", "--output-dir", world.out, "--check", exits=2)
    assert not world.out.exists()
    world.nyl("render-tree", "--output-dir", world.out)
    world.nyl("render-tree", "--output-dir", world.out, "--check")
    world.data("two")
    stale = world.report("render-tree", "--output-dir", world.out, "--check", exits=2)
    assert stale.codes == {"NYL-TREE-STALE"}
    assert "region: one" in (world.out / "prod" / SETTINGS).read_text()


@pytest.mark.parametrize("options", [(), ("--check",)])
def test_edited_files_are_refused_by_name_unless_forced(world: TreeWorld, options: tuple[str, ...]) -> None:
    world.nyl("render-tree", "--output-dir", world.out)
    (world.out / "prod" / SETTINGS).write_text("edited: true\n")
    refused = world.report("render-tree", "--output-dir", world.out, *options, exits=1)
    assert refused.codes == {"NYL-TREE-EDITED"}
    assert SETTINGS in refused.diagnostics[0]["message"]
    forced = world.report("render-tree", "--output-dir", world.out, "--force")
    assert forced.json["details"]["edited"] == [SETTINGS]
    assert "region: one" in (world.out / "prod" / SETTINGS).read_text()


def test_a_tree_of_uncommitted_changes_names_no_source_commit(world: TreeWorld) -> None:
    world.data("two")
    assert world.report("render-tree", "--output-dir", world.out).json["details"]["source"] is None


@pytest.mark.parametrize("folder", ["..", "../work", ".git/x"])
def test_a_tree_is_written_neither_over_the_project_nor_into_gits_folder(world: TreeWorld, folder: str) -> None:
    world.write("target.yaml", (world.root / "target.yaml").read_text().replace("deploy}", "deploy, pathPrefix: ''}"))
    refused = world.report("render-tree", "--output-dir", folder, exits=1)
    assert refused.codes == {"NYL-PATH-REFUSED"}


def test_a_tree_is_not_written_among_its_own_sources(world: TreeWorld) -> None:
    world.write(
        "target.yaml", (world.root / "target.yaml").read_text().replace("deploy}", "deploy, pathPrefix: platform}")
    )
    refused = world.report("render-tree", "--output-dir", "applications", exits=1)
    assert refused.codes == {"NYL-PATH-REFUSED"}
    assert WEB in refused.diagnostics[0]["message"]
    assert [each.name for each in (world.root / "applications/platform").iterdir()] == ["web.yaml"]


def test_a_tree_inside_the_project_is_no_source_of_the_next(world: TreeWorld) -> None:
    world.nyl("render-tree", "--output-dir", "rendered")
    world.commit()
    again = world.report("render-tree", "--output-dir", "rendered").json["details"]
    assert (again["added"], again["changed"], again["removed"]) == ([], [], [])


def test_without_a_target_the_only_one_is_taken_else_they_are_listed(world: TreeWorld) -> None:
    world.write("other.yaml", (world.root / "target.yaml").read_text().replace("{name: prod}", "{name: dev}\n"))
    text = (world.root / "other.yaml").read_text().replace("spec:\n", "spec:\n  clusterRef: {name: prod}\n")
    world.write("other.yaml", text)
    refused = world.report("render-tree", "--output-dir", world.out, exits=1)
    assert "dev, prod" in refused.diagnostics[0]["message"]
    world.nyl("render-tree", "--output-dir", world.out, "--target", "dev")
    assert (world.out / "dev/_nyl/index.json").exists()


# publish-tree


def test_a_tree_is_published_once(world: TreeWorld) -> None:
    first = world.report("publish-tree").json["details"]
    assert first["commit"] == world.head()
    assert "region: one" in world.published()
    again = world.report("publish-tree").json["details"]
    assert (again["commit"], world.head()) == (None, first["commit"])
    world.data("two").commit()
    world.nyl("publish-tree")
    assert "region: two" in world.published()


def test_an_unrelated_source_commit_makes_no_publication_commit(world: TreeWorld) -> None:
    world.nyl("publish-tree")
    head = world.head()
    world.write("README.md", "hello\n").commit()
    world.nyl("publish-tree")
    assert world.head() == head


@pytest.mark.parametrize("path", [WEB, "new.txt"])
def test_a_tree_is_published_from_a_clean_worktree_alone(world: TreeWorld, path: str) -> None:
    world.write(path, "changed\n")
    refused = world.report("publish-tree", exits=1)
    assert refused.codes == {"NYL-WORKTREE-DIRTY"}
    assert path in refused.diagnostics[0]["message"]
    assert not world.head()


def test_staged_changes_are_no_clean_worktree(world: TreeWorld) -> None:
    world.data("two")
    world.git("add", "-A")
    assert world.report("publish-tree", exits=1).codes == {"NYL-WORKTREE-DIRTY"}


def test_an_author_may_be_named(world: TreeWorld) -> None:
    world.nyl("publish-tree", "--author", "Robot <robot@example.com>")
    assert world.git("log", "-1", "--format=%an <%ae>", "deploy", cwd=world.origin) == "Robot <robot@example.com>"


def test_hand_edits_on_the_branch_are_refused_and_restored_with_force(world: TreeWorld) -> None:
    world.nyl("publish-tree")
    edited = world.by_hand({f"prod/{SETTINGS}": "edited: true\n", "README.md": "mine\n"})
    refused = world.report("publish-tree", exits=1)
    assert (refused.codes, world.head()) == ({"NYL-TREE-EDITED"}, edited)
    world.nyl("publish-tree", "--force")
    assert "region: one" in world.published()
    assert world.git("show", "deploy:README.md", cwd=world.origin) == "mine"


@pytest.mark.parametrize("command", [("render-tree", "--output-dir", "out"), ("diff-tree",), ("publish-tree",)])
def test_tree_commands_take_no_inputs_but_render_and_fetch_again_when_asked(
    world: TreeWorld, command: tuple[str, ...]
) -> None:
    assert "NYL-USAGE" in world.nyl(*command, "--input", "image=1", exits=1).stderr
    world.nyl(*command)
    world.nyl(*command, "--refresh", "--no-cache")


# diff-tree


def test_a_comparison_shows_what_a_publication_would_change(world: TreeWorld) -> None:
    world.nyl("publish-tree")
    same = world.nyl("diff-tree", "--detailed-exitcode").stdout
    assert same == f"# prod: 4 unchanged, compared with prod on deploy of {world.origin} at {world.head()}\n"
    world.data("two")
    shown = world.nyl("diff-tree").stdout
    assert f"+++ b/{SETTINGS}" in shown
    assert "-  region: one\n+  region: two\n" in shown
    assert world.nyl("diff-tree", "--stats").stdout.splitlines()[1] == f"{SETTINGS} | +1 -1"
    assert "region: one" in world.published()
    world.data('"one"')
    told = world.nyl("diff-tree", "--detailed-exitcode", exits=2).stdout
    assert told.startswith("# prod: only the index changed, 4 unchanged, ")


def test_a_comparison_shows_hand_edits_as_drift(world: TreeWorld) -> None:
    world.nyl("publish-tree")
    world.by_hand({f"prod/{SETTINGS}": "edited: true\n"})
    found = world.report("diff-tree")
    assert found.json["details"]["edited"] == [SETTINGS]
    assert [(each["code"], each["severity"]) for each in found.diagnostics] == [("NYL-TREE-EDITED", "warning")]
    assert "-edited: true" in found.json["details"]["differences"][0]["diff"]


def test_a_comparison_with_another_source_needs_no_publication(world: TreeWorld) -> None:
    world.data("two")
    shown = world.report("diff-tree", "--against", "source").json["details"]
    assert [(each["path"], each["change"]) for each in shown["differences"]] == [(SETTINGS, "changed")]
    world.commit()
    assert "@@" not in world.nyl("diff-tree", "--against", "source").stdout
    assert "+  region: two" in world.nyl("diff-tree", "--against", "source", "--source-ref", "HEAD~1").stdout
    assert world.report("diff-tree", "--against", "source", "--source-ref", "no-such", exits=1).codes == {
        "NYL-SOURCE-MISSING"
    }


def test_a_checkout_of_one_commit_is_compared_with_what_the_remote_has(world: TreeWorld) -> None:
    world.data("two").git("checkout", "-q", "--detach")
    world.git("update-ref", "-d", "refs/remotes/origin/main")
    command = ("diff-tree", "--against", "source", "--source-ref")
    assert "+  region: two" in world.nyl(*command, "origin/main").stdout
    for revision in (("HEAD~9",), ("nowhere", "--offline")):
        refused = world.nyl(*command, *revision, exits=1).stderr
        assert "NYL-SOURCE-MISSING" in refused
        assert f"There is no revision {revision[0]} here" in refused


def test_a_repository_without_a_commit_has_no_source_to_compare_with(tmp_path: Path) -> None:
    refused = TreeWorld(tmp_path).report("diff-tree", "--against", "source", exits=1)
    assert refused.codes == {"NYL-SOURCE-MISSING"}
    assert "no commit yet" in refused.diagnostics[0]["message"]


def test_a_target_that_another_source_does_not_have_is_all_new(world: TreeWorld) -> None:
    text = (world.root / "target.yaml").read_text()
    world.write(
        "target.yaml", text.replace("{name: prod}", "{name: new}").replace("spec:", "spec:\n  clusterRef: {name: prod}")
    )
    found = world.report("diff-tree", "--against", "source").json["details"]
    assert {each["change"] for each in found["differences"]} == {"added"}


def test_a_comparison_is_written_as_a_comment(world: TreeWorld) -> None:
    world.nyl("diff-tree", "--report", f"markdown:{world.tmp}/report.md")
    assert (world.tmp / "report.md").read_text().startswith("## Tree of `prod`: 4 added")


def test_a_source_ref_without_a_comparison_of_sources_is_a_usage_error(world: TreeWorld) -> None:
    assert "NYL-USAGE" in world.nyl("diff-tree", "--source-ref", "main", exits=1).stderr


# Other repositories


def test_a_tree_is_published_to_another_repository_and_known_offline_from_then_on(world: TreeWorld) -> None:
    other = world.tmp / "other.git"
    world.git("init", "-q", "--bare", other, cwd=world.tmp)
    text = (world.root / "target.yaml").read_text()
    world.write("target.yaml", text.replace("{revision", "{repositoryRef: {name: deploy}, revision"))
    world.write("repository.yaml", REPOSITORY.replace("https://git.example.com/team/deploy.git", f"file://{other}"))
    world.commit()
    assert world.report("diff-tree", "--offline").json["details"]["base"] is None
    commit = world.report("publish-tree").json["details"]["commit"]
    assert world.git("rev-parse", "deploy", cwd=other) == commit
    assert not world.head()
    offline = world.report("diff-tree", "--offline").json["details"]
    assert (offline["base"], offline["differences"]) == (commit, [])


def test_a_remote_that_is_gone_is_told_and_nothing_is_written(world: TreeWorld) -> None:
    world.origin.rename(world.tmp / "moved.git")
    assert world.report("publish-tree", exits=1, hurries=True).codes == {"NYL-REMOTE-UNAVAILABLE"}
    assert world.report("diff-tree", exits=1, hurries=True).codes == {"NYL-REMOTE-UNAVAILABLE"}
    world.nyl("render-tree", "--output-dir", world.out)
