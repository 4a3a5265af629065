import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.objects import ObjectReader
from nyl.git.process import stop
from nyl.git.trees import TreeEntry
from tests.git.building import Scene


def test_many_objects_are_read_by_one_process(scene: Scene) -> None:
    for number in range(300):
        scene.write(f"files/{number}", f"content {number}\n" * 50)
    commit = scene.commit()
    with ObjectReader(scene.open()) as reader:
        scene.calls.commands.clear()
        tree = reader.tree(commit, "files")
        contents = reader.read_many(entry.oid for entry in tree.values())
        assert contents[tree["files/7"].oid] == b"content 7\n" * 50
        assert reader.read(tree["files/8"].oid).startswith(b"content 8")
    assert len(scene.calls.commands) == 1


def test_a_missing_object_is_an_error_and_the_reader_goes_on(scene: Scene) -> None:
    with ObjectReader(scene.open()) as reader:
        with pytest.raises(NylError) as caught:
            reader.read_many([scene.first, "0" * 39 + "1"])
        assert caught.value.diagnostic.code is Code.GIT_FAILED
        assert reader.read(scene.first).startswith(b"tree ")


def test_a_process_that_died_is_replaced(scene: Scene) -> None:
    with ObjectReader(scene.open()) as reader:
        reader.read(scene.first)
        process = reader._process
        assert process is not None
        process.kill()
        process.wait()
        assert reader.read(scene.first).startswith(b"tree ")
        stop(process)


def test_threads_share_a_reader(scene: Scene) -> None:
    for number in range(40):
        scene.write(f"{number}", f"{number}" * 1000)
    tree = scene.commit()
    with ObjectReader(scene.open()) as reader:
        listing = reader.tree(tree)
        wanted = [(path, listing[path].oid) for path in map(str, range(40))]
        with ThreadPoolExecutor(8) as pool:
            read = list(pool.map(lambda each: reader.read(each[1]), wanted))
    assert read == [(path * 1000).encode() for path, _ in wanted]


def test_facts_of_blobs_name_digest_size_and_lfs_pointers(scene: Scene) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"
    scene.write("big", b"x" * 3_000_000)
    scene.write("pointer", pointer)
    tree = scene.commit()
    with ObjectReader(scene.open()) as reader:
        listing = reader.tree(tree)
        facts = reader.sha256_many([listing["big"].oid, listing["pointer"].oid])
    assert facts[listing["big"].oid].sha256 == hashlib.sha256(b"x" * 3_000_000).hexdigest()
    assert facts[listing["big"].oid].size == 3_000_000
    assert not facts[listing["big"].oid].lfs_pointer
    assert facts[listing["pointer"].oid].lfs_pointer


def test_trees_tell_modes_and_odd_names(scene: Scene) -> None:
    scene.write("run.sh", "#!/bin/sh\n", 0o755)
    scene.write('ünï "x"\n', "odd\n")
    (scene.work / "link").symlink_to("README.md")
    with ObjectReader(scene.open()) as reader:
        tree = reader.tree(scene.commit())
    assert tree["run.sh"].is_executable
    assert tree["link"].is_symlink
    assert 'ünï "x"\n' in tree
    assert list(tree) == ["README.md", "link", "run.sh", 'ünï "x"\n']
    assert dict(tree.items())["link"] == tree["link"]


def test_a_tree_of_a_folder_is_by_path_from_the_root(scene: Scene) -> None:
    scene.write("a/b/c", "1")
    scene.write("a.b", "2")
    with ObjectReader(scene.open()) as reader:
        commit = scene.commit()
        assert list(reader.tree(commit, "a/b")) == ["a/b/c"]
        whole = reader.tree(commit)
        assert [path for path, _ in whole.under("a")] == ["a/b/c"]
        assert "a" not in whole
        assert whole.get("zzz") is None


def test_submodules_and_files_beside_them_are_told(scene: Scene) -> None:
    scene.git("update-index", "--add", "--cacheinfo", f"160000,{scene.first},A-module")
    scene.git("commit", "-q", "-m", "Module")
    with ObjectReader(scene.open()) as reader:
        tree = reader.tree("HEAD")
    assert tree["A-module"].is_submodule
    assert list(tree) == ["A-module", "README.md"]


def test_a_tree_is_as_git_lists_it_and_starts_no_process_of_its_own(scene: Scene) -> None:
    for path in ("a/b/c", "a.b", "a-b", "a0", "a/b.c", "a/b/é", "z/a/a", "z/a.a"):
        scene.write(path, path)
    commit = scene.commit()
    with ObjectReader(scene.open()) as reader:
        tree = reader.tree(commit)
        listed = [f"{entry.mode} blob {entry.oid}\t{path}" for path, entry in tree.items()]
    assert listed == scene.git("-c", "core.quotePath=false", "ls-tree", "-r", commit).splitlines()
    assert not any("ls-tree" in call for call in scene.calls.commands)


def test_a_missing_folder_or_commit_is_an_error(scene: Scene) -> None:
    with ObjectReader(scene.open()) as reader:
        for commit, folder in ((scene.first, "none"), ("1" * 40, "")):
            with pytest.raises(NylError) as caught:
                reader.tree(commit, folder)
            assert caught.value.diagnostic.code is Code.GIT_FAILED


def test_an_empty_tree_has_no_files(scene: Scene) -> None:
    scene.git("rm", "-q", "README.md")
    with ObjectReader(scene.open()) as reader:
        tree = reader.tree(scene.commit())
    assert len(tree) == 0
    assert list(tree.items()) == []


def test_revisions_resolve_without_another_process(scene: Scene) -> None:
    with ObjectReader(scene.open()) as reader:
        assert reader.resolve("HEAD") == scene.first
        assert reader.resolve("refs/heads/main") == scene.first
        assert reader.resolve("nothing") is None
        assert reader.resolve("-x") is None
        assert reader.resolve("HEAD\nHEAD") is None
        assert reader.exists(scene.first)
        assert not reader.exists("0" * 39 + "1")
    assert len([each for each in scene.calls.commands if "cat-file" in each]) == 1


def test_sha256_trees_are_read(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sha256")
    with ObjectReader(scene.open()) as reader:
        entry = reader.tree(scene.first)["README.md"]
        assert entry == TreeEntry("100644", entry.oid)
        assert reader.read(entry.oid) == b"hello\n"


def test_a_partial_clone_gets_what_is_missed_in_one_go(scene: Scene) -> None:
    for number in range(20):
        scene.write(f"files/{number}", f"content {number}\n")
    commit = scene.commit()
    clone = scene.open(scene.partial_clone())
    with ObjectReader(clone) as reader:
        tree = reader.tree(commit, "files")
        scene.calls.commands.clear()
        contents = reader.read_many(entry.oid for entry in tree.values())
    assert contents[tree["files/7"].oid] == b"content 7\n"
    assert sum("fetch" in command for command in scene.calls.commands) == 1
    packs = list((clone.common_dir / "objects" / "pack").glob("*.promisor"))
    assert len(packs) == 2, "the clone's own, and one for all the files"
