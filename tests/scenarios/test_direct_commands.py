"""`nyl render`, `nyl diff` and `nyl apply`: what they print, and what they hand to kubectl."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.kubernetes_project import CLUSTER
from tests.support.tree_worlds import SETTINGS, WEB, TreeWorld

RECORDER = """\
#!/bin/sh
cat > "$HOME/kubectl.stdin"
printf '%s\\n' "$@" > "$HOME/kubectl.argv"
echo "${MARK:-}" > "$HOME/kubectl.mark"
printf '%s' "${SHOWS:-}"
printf '%s' "${SAYS:-}" >&2
exit "${ENDS:-0}"
"""
"""A kubectl that records how it was called, and ends as it is told to."""


@pytest.fixture
def world(tmp_path: Path) -> TreeWorld:
    world = TreeWorld(tmp_path)
    world.with_image().bind("{platform/web: {image: {value: bound}}}")
    world.write("cluster.yaml", CLUSTER.replace("spec:\n", "spec:\n  live: {context: production}\n"))
    world.commit()
    kubectl = tmp_path / "bin/kubectl"
    kubectl.parent.mkdir()
    kubectl.write_text(RECORDER)
    kubectl.chmod(0o755)
    return world


def called(world: TreeWorld, *arguments: str, exits: int = 0, **environ: str) -> Any:
    """Calls nyl with the recording kubectl first on PATH."""
    path = f"{world.tmp / 'bin'}:{world.environ['PATH']}"
    return world.nyl(*arguments, exits=exits, environ={"PATH": path, **environ})


def recorded(world: TreeWorld, what: str) -> str:
    """What the recording kubectl was given: its `argv`, `stdin` or `mark`."""
    return (Path(world.environ["HOME"]) / f"kubectl.{what}").read_text()


# render


def test_render_prints_the_files_of_the_tree(world: TreeWorld) -> None:
    world.nyl("render-tree", "--output-dir", world.out)
    files = [world.out / "prod" / path for path in ("platform/web/namespace/web.yaml", SETTINGS)]
    printed = world.nyl("render", "--target", "prod", WEB).stdout
    assert printed == "---\n".join(each.read_text() for each in files)


def test_render_without_a_target_takes_none_though_there_is_one(world: TreeWorld) -> None:
    assert "region: none\n" in world.nyl("render", WEB).stdout
    assert "region: bound\n" in world.nyl("render", "--target", "prod", WEB).stdout


def test_a_flag_wins_over_the_file_of_inputs_and_that_over_the_binding(world: TreeWorld) -> None:
    world.write("local.yaml", "image: from-file\n").write("local.json", '{"image": "from-json"}')
    target = ("render", "--target", "prod", WEB)
    assert "region: from-file\n" in world.nyl(*target, "--inputs", "local.yaml").stdout
    assert "region: from-json\n" in world.nyl(*target, "--inputs", "local.json").stdout
    both = world.nyl(*target, "--inputs", "local.yaml", "--input", 'image="registry.example.com/api@sha256:4f0c"')
    assert "region: registry.example.com/api@sha256:4f0c\n" in both.stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--input", "image=unquoted"), "NYL-INPUT-BINDING"),
        (("--input", "image"), "NYL-INPUT-BINDING"),
        (("--input", "image=3"), "NYL-INPUT-INVALID"),
        (("--input", 'imag="x"'), "NYL-INPUT-BINDING"),
        (("--inputs", "missing.yaml"), "NYL-FILE-INACCESSIBLE"),
        (("--inputs", "list.yaml"), "NYL-INPUT-BINDING"),
        (("--inputs", "broken.yaml"), "NYL-YAML-INVALID"),
        (("--target", "prud"), "NYL-TARGET-UNKNOWN"),
        (("--target", "prod", "--application-group", "x"), "NYL-INPUT-BINDING"),
        (("--only-kind", "Deploymnt"), "NYL-OBJECT-MISSING"),
    ],
)
def test_what_means_nothing_is_refused(world: TreeWorld, arguments: tuple[str, ...], code: str) -> None:
    world.write("list.yaml", "- image\n").write("broken.yaml", "a: [\n")
    refused = world.report("render", WEB, *arguments, exits=1)
    assert refused.codes == {code}


@pytest.mark.parametrize("file", ["missing.yaml", "cluster.yaml", "."])
def test_a_file_without_a_release_is_refused(world: TreeWorld, file: str) -> None:
    assert world.report("render", file, exits=1).codes == {"NYL-RELEASE-MISSING"}


@pytest.mark.parametrize(
    "arguments",
    [("--application-group", "platform"), ("--target", "prod", "--application-group", "platform", "--defaults-only")],
)
def test_options_that_do_not_go_together_are_refused(world: TreeWorld, arguments: tuple[str, ...]) -> None:
    assert "--application-group" in world.nyl("render", WEB, *arguments, exits=1).stderr


@pytest.mark.parametrize("command", [("render-tree", "--output-dir", "x"), ("diff-tree",), ("publish-tree",)])
@pytest.mark.parametrize("override", [("--input", "image=1"), ("--inputs", "x.yaml"), ("--defaults-only",)])
def test_commands_on_trees_take_no_overrides(
    world: TreeWorld, command: tuple[str, ...], override: tuple[str, ...]
) -> None:
    assert "No such option" in world.nyl(*command, *override, exits=1).stderr


@pytest.mark.parametrize("kind", ["ConfigMap", "configmap", "Namespace"])
def test_only_some_kinds_are_printed(world: TreeWorld, kind: str) -> None:
    shown = json.loads(world.report("render", "--target", "prod", WEB, "--only-kind", kind).stdout)
    assert [each.split()[0].lower() for each in shown["details"]["objects"]] == [kind.lower()]


def test_a_kind_may_name_its_group(world: TreeWorld) -> None:
    job = "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: once}\n"
    world.write(WEB, (world.root / WEB).read_text() + job)
    found = world.report("render", WEB, "--only-kind", "job.batch").json["details"]["objects"]
    assert found == ["Job.batch web/once"]


def test_the_file_may_be_named_from_any_folder(world: TreeWorld) -> None:
    here = world.root / "applications/platform"
    assert "region: bound\n" in world.nyl("render", "--target", "prod", "web.yaml", cwd=here).stdout


def test_a_release_of_another_checkout_needs_a_group_or_defaults(world: TreeWorld) -> None:
    other = world.tmp / "other"
    world.git("init", "-q", other, cwd=world.tmp)
    (other / "web.yaml").write_text((world.root / WEB).read_text())
    refused = world.report("render", "--target", "prod", other / "web.yaml", exits=1)
    assert refused.codes == {"NYL-INPUT-BINDING"}
    assert "platform" in refused.diagnostics[0]["message"]
    chosen = world.nyl("render", "--target", "prod", "--application-group", "platform", other / "web.yaml")
    assert "region: bound\n" in chosen.stdout
    assert "region: none\n" in world.nyl("render", "--target", "prod", "--defaults-only", other / "web.yaml").stdout


def test_manifests_are_utf8_whatever_the_locale(world: TreeWorld) -> None:
    world.data("grün")
    printed = world.nyl("render", WEB, environ={"PYTHONIOENCODING": "latin-1"}).stdout
    assert "region: 'grün'\n" in printed


# diff and apply


@pytest.mark.parametrize("verb", ["diff", "apply"])
def test_kubectl_gets_what_render_prints_and_the_context_of_the_cluster(world: TreeWorld, verb: str) -> None:
    called(world, verb, "--target", "prod", WEB, MARK="mine")
    assert recorded(world, "stdin") == world.nyl("render", "--target", "prod", WEB).stdout
    assert recorded(world, "argv").split() == [verb, "--context", "production", "--server-side", "-f", "-"]
    assert recorded(world, "mark") == "mine\n"


@pytest.mark.parametrize("verb", ["diff", "apply"])
def test_without_a_target_kubectl_takes_its_current_context(world: TreeWorld, verb: str) -> None:
    called(world, verb, WEB)
    assert recorded(world, "argv").split() == [verb, "--server-side", "-f", "-"]


@pytest.mark.parametrize(
    ("options", "ends", "exits"),
    [((), "0", 0), ((), "1", 0), (("--detailed-exitcode",), "0", 0), (("--detailed-exitcode",), "1", 2)],
)
def test_diff_tells_differences_by_its_exit_when_asked(
    world: TreeWorld, options: tuple[str, ...], ends: str, exits: int
) -> None:
    shown = "+a: 1\n" if ends == "1" else ""
    assert called(world, "diff", WEB, *options, exits=exits, ENDS=ends, SHOWS=shown).stdout == shown


@pytest.mark.parametrize(("verb", "ends"), [("diff", "2"), ("diff", "1"), ("apply", "1")])
def test_a_kubectl_that_fails_is_told_with_what_it_said(world: TreeWorld, verb: str, ends: str) -> None:
    shows = "" if verb == "diff" else "configmap/settings serverside-applied\n"
    failed = called(world, verb, WEB, exits=1, ENDS=ends, SAYS="error: no route to host", SHOWS=shows)
    assert "NYL-KUBECTL-FAILED" in failed.stderr
    assert "no route to host" in failed.stderr
    assert failed.stdout == shows


def test_what_kubectl_warns_of_is_told(world: TreeWorld) -> None:
    told = called(world, "apply", WEB, SAYS="Warning: deprecated", SHOWS="configmap/settings serverside-applied\n")
    assert "NYL-KUBECTL-WARNED" in told.stderr
    assert told.stdout == "configmap/settings serverside-applied\n"


def test_a_missing_kubectl_is_told(world: TreeWorld) -> None:
    (world.tmp / "bin/kubectl").unlink()
    (world.tmp / "bin/git").symlink_to("/usr/bin/git")
    refused = world.nyl("apply", WEB, exits=1, environ={"PATH": str(world.tmp / "bin")})
    assert "NYL-KUBECTL-UNAVAILABLE" in refused.stderr
