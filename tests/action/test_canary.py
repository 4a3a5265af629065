"""Secrets of a project that goes through every operation of a job: afterwards none of them is anywhere."""

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from tests.action.conftest import Runners
from tests.support.actions_events import push
from tests.support.actions_steps import StepsRun
from tests.support.github_bodies import Pull
from tests.support.github_server import TOKEN, GitHubServer, serve_github
from tests.support.world import World

WORD = "cnry/W0rd+4fd1?&=ü"
LINES = ("cnryMultiLineFirst0123456789+/ab", "cnryMultiLineSecond0123456789+/a", 'cnry"third<line>&')
PEM = "\n".join(("-----BEGIN PRIVATE KEY-----", *LINES, "-----END PRIVATE KEY-----", ""))
SENSITIVE = "cnry-sensitive-output-77"
SECRETS = {"NYL_SECRET_WORD": WORD, "NYL_SECRET_PEM": PEM, "GITHUB_TOKEN": TOKEN}
SHOWN = 12
"""Characters of an encoding that tell a secret, away from ends that depend on what stands beside it."""

TELL = """\
import base64, html, json, os, sys, urllib.parse as url
for value in map(os.environ.get, ("WORD", "PEM", "GITHUB_TOKEN")):
    raw = value.encode()
    print(value, value.replace("\\n", "\\\\n"), json.dumps({"told": [value]}), html.escape(value), raw.hex())
    print(url.quote(value, safe=""), url.quote(value), url.quote_plus(value), base64.encodebytes(raw).decode())
    print(*(base64.b64encode(before + raw + b"@").decode() for before in (b"", b"a:", b"user:")))
    print(base64.urlsafe_b64encode(raw).decode())
    print(f"::add-mask::x\\n##[group]{value}\\n::error::{value}\\n- \\x1b[31m{value}\\x1b[0m", file=sys.stderr)
"""
TELLING = ["python3", "tell.py"]
ENDS = {
    "good": f"""printf '{{"password": "%s%s"}}' {SENSITIVE[:8]} {SENSITIVE[8:]} > "$NYL_OUTPUTS" """,
    "leaky": """printf '{"told": "%s"}' "$WORD" > "$NYL_OUTPUTS" """,
    "failing": 'printf %s "$PEM" >&2; exit 3',
    "uncertain": "kill -9 $$",
}
OUTPUTS = {"good": {"password": {"type": "string", "sensitive": True}}, "leaky": {"told": {"type": "string"}}}


@pytest.fixture
def server() -> Iterator[GitHubServer]:
    with serve_github() as served:
        yield served


def test_no_secret_is_anywhere_after_the_operations_of_a_project(
    world: World, runner: Runners, server: GitHubServer
) -> None:
    job = runner(push(secretive(world)), api=server.address, machine=SECRETS)
    seen: list[str] = []

    def run(command: str, **inputs: str) -> StepsRun:
        job.event = push(world.git("rev-parse", "HEAD"))
        server.pulls = [Pull(head_sha=job.event.sha, merge_sha=job.event.sha)]
        done = job.run_action(token=TOKEN, command=command, environment="dev", comment="always", **inputs)
        seen.extend((done.text, done.step("run").summary, json.dumps(dict(done.outputs))))
        return done

    digests = json.loads(run("plan").outputs["digests"])
    approve = "\n".join(f"{unit}={digest}" for unit, digest in digests.items())
    assert len(digests) == len(ENDS), seen[0]
    assert run("reconcile", approve=approve, args=f"--unit-log-dir={world.tmp / 'logs'}").outputs["exit-code"] == "4"
    run("verify")
    world.remove("units/good.yaml").commit("Remove")
    run("reconcile", approve="good", allow_teardown="true")

    assert "| good  " not in run("status").text
    assert len(server.comments) == 4
    everything = [*(each.encode() for each in (*seen, *server.bodies)), *written(world.tmp)]
    assert sum(b"***" in each for each in everything) > len(seen) / 2
    assert not [canary for canary in canaries() if any(canary in each for each in everything)]


def secretive(world: World) -> str:
    """Initialises a project whose every step prints all secrets that it has, and gives its commit."""
    env = {"passthrough": ["GITHUB_TOKEN"], "secrets": {"WORD": "word", "PEM": "pem"}}
    steps = dict.fromkeys(("plan", "verify", "inspect", "teardown"), TELLING)
    world.environment("dev").write("tell.py", TELL)
    for name, ends in ENDS.items():
        approval = {"mode": "manual", "bind": "plan"}
        script = f"{' '.join(TELLING)}\n{ends}"
        world.unit(name, script=script, outputs=OUTPUTS.get(name, {}), env=env, approval=approval, **steps)
    return world.initialise().git("rev-parse", "HEAD")


def canaries() -> Iterator[bytes]:
    """What must be nowhere: each secret, each of its lines, and enough of each of their encodings."""
    for text in (WORD, PEM, *LINES, TOKEN, SENSITIVE):
        raw = text.encode()
        yield from (raw, json.dumps(text)[1:-1].encode(), json.dumps(text, ensure_ascii=False)[1:-1].encode())
        yield from (each.encode() for each in (quote(text), quote(text, safe=""), quote_plus(text), raw.hex()))
        encoded = [base64.b64encode(bytes(before) + raw)[4 : 4 + SHOWN] for before in range(3)]
        yield from (*encoded, *(each.translate(bytes.maketrans(b"+/", b"-_")) for each in encoded))


def written(folder: Path) -> Iterator[bytes]:
    """Every file below a folder, and every object of each repository there, whether or not anything refers to it."""
    yield from (each.read_bytes() for each in folder.rglob("*") if each.is_file())
    for head in folder.rglob("HEAD"):
        if (head.parent / "objects").is_dir():
            listing = ["git", "--git-dir", str(head.parent), "cat-file", "--batch", "--batch-all-objects"]
            yield subprocess.run(listing, check=True, capture_output=True).stdout
