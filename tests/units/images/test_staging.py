"""What a builder finds: the files that enter the key, with modes of their own."""

import stat
from pathlib import Path

import pytest

from nyl.units.ignoring import ignore_rules
from nyl.units.outcomes import Failed
from tests.support.image_registry import ImageRegistry
from tests.units.images.bench import ImageBench, job

IGNORE = """
# what buildah and Docker agree on
*.md
!README.md
**/node_modules
!pkg/node_modules/keep
/dir/sub/
temp?
x\\[1\\]
.hidden
foo.d
.
"""
TREE = """
a README.md b.md dir/a dir/b.md dir/sub/a dir/sub/deep/x dir/subway node_modules/x pkg/node_modules/y
pkg/node_modules/keep/z temp tempA sub/tempA x[1] x1 .hidden .shown foo.d/one fooxd
"""


def staged(image: ImageBench, number: str = "0", **fields: object) -> dict[str, str]:
    """The files that the builder finds, with their modes or what they link to."""
    with job(image, **fields) as made:
        root = made.staged.context.parent / number
        return {
            str(each.relative_to(root)): str(each.readlink()) if each.is_symlink() else _mode(each)
            for each in sorted(root.rglob("*"))
        }


def _mode(path: Path) -> str:
    return f"{stat.S_IMODE(path.stat().st_mode):o}"


def test_a_builder_leaves_out_what_the_rules_leave_out(image: ImageBench, registry: ImageRegistry) -> None:
    for each in TREE.split():
        image.write(each, "x", place="here")
    image.write("ignore", IGNORE)
    folder, built = image.folder, image.folder / "id"
    with job(image) as made:
        options = ["--quiet", "--ignorefile", f"{folder}/context/ignore", "--file", f"{folder}/context/Dockerfile"]
        argv = ["buildah", "build", *options, "--iidfile", str(built), f"{folder}/here"]
        assert made.context.run(argv).exit_code == 0, image.text
        push = ["buildah", "push", "--quiet", "--tls-verify=false", built.read_text(), f"docker://{made.reference}"]
        assert made.context.run(push).exit_code == 0, image.text
        made.context.run(["buildah", "rmi", built.read_text()], capture_stdout=True)
        rules = ignore_rules(IGNORE.encode())
        assert set(registry.files(image.name, made.tag)) == {each for each in TREE.split() if not rules.ignores(each)}


def test_modes_are_those_that_git_knows(image: ImageBench) -> None:
    image.write("run.sh", "").write("deep/a", "")
    (image.folder / "context/run.sh").chmod(0o700)
    (image.folder / "context/deep/a").chmod(0o600)
    (image.folder / "context/deep").chmod(0o700)
    (image.folder / "context/link").symlink_to("deep/a")
    assert staged(image) == {
        "Dockerfile": "644",
        "deep": "755",
        "deep/a": "644",
        "link": "deep/a",
        "run.sh": "755",
    }


def test_links_to_folders_and_to_nothing_stay_links(image: ImageBench) -> None:
    image.write("deep/a", "")
    (image.folder / "context/folder").symlink_to("deep")
    (image.folder / "context/nothing").symlink_to("/etc/nowhere")
    found = staged(image)
    assert (found["folder"], found["nothing"]) == ("deep", "/etc/nowhere")
    assert "folder/a" not in found


@pytest.mark.parametrize(
    ("files", "left"),
    [
        ([".dockerignore"], set()),
        (["Dockerfile.dockerignore", ".dockerignore"], {".dockerignore"}),
        (["Dockerfile.containerignore", "Dockerfile.dockerignore"], {"Dockerfile.dockerignore"}),
        ([".containerignore", ".dockerignore"], {".dockerignore"}),
    ],
)
def test_one_ignore_file_decides_for_both_builders(image: ImageBench, files: list[str], left: set[str]) -> None:
    for number, each in enumerate(files):
        image.write(each, f"a\n{each}\nDockerfile\n" if number == 0 else "nothing\n")
    image.write("a").write("b")
    assert set(staged(image)) == {"b", *left}


def test_named_contexts_have_ignore_files_of_their_own(image: ImageBench) -> None:
    image.write(".dockerignore", "b\n").write("a", place="lib").write("b", place="lib")
    image.write(".dockerignore", "a\n.*\n", place="lib").write("Dockerfile", place="lib")
    assert set(staged(image, "1", contexts={"lib": {"path": "."}})) == {"b", "Dockerfile"}


def test_the_dockerfile_lies_alone_and_ignored_files_stay_away(image: ImageBench) -> None:
    image.write("docker/Main", "FROM scratch\n").write(".dockerignore", "*\n")
    with job(image, dockerfile="docker/../docker/Main") as made:
        assert list(made.staged.context.iterdir()) == []
        assert made.staged.dockerfile.read_text() == "FROM scratch\n"
        assert {
            each.name: each.read_text() for each in made.staged.dockerfile.parent.iterdir() if "." in each.name
        } == {
            "Dockerfile.containerignore": "",
            "Dockerfile.dockerignore": "",
        }


@pytest.mark.parametrize("name", ["nowhere", "folder", "link", "Docker*"])
def test_a_dockerfile_that_is_no_file_is_named(image: ImageBench, name: str) -> None:
    image.write("folder/a")
    (image.folder / "context/link").symlink_to("Dockerfile")
    failed = image.execute(dockerfile=name)
    assert isinstance(failed, Failed)
    assert f"the Dockerfile {name} is no file of the context" in failed.message


def test_a_context_that_is_not_there_is_named(image: ImageBench) -> None:
    assert "the folder nowhere is not there" in image.failed(context={"path": "nowhere"}).message
