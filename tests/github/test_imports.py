import json
from pathlib import Path

from tests.github.events import pull_request, variables
from tests.support.world import World


def test_a_plan_of_a_pull_request_imports_no_client_of_github(tmp_path: Path) -> None:
    world = World(tmp_path).environment(allowUnprotectedSource=True).unit("database").initialise()
    request = pull_request(head={"sha": world.git("rev-parse", "HEAD")})
    request["base"]["ref"] = "main"
    (tmp_path / "event.json").write_text(json.dumps({"pull_request": request}))
    environ = variables("pull_request", GITHUB_EVENT_PATH=str(tmp_path / "event.json"), GITHUB_TOKEN="ghs_0123456789")
    told = world.plan(environ=environ | {"PYTHONPROFILEIMPORTTIME": "1"})
    imported = {line.rpartition("|")[2].strip() for line in told.stderr.splitlines()}
    assert "nyl.github.checkout" in imported
    assert not imported & {"github", "requests", "urllib3", "nyl.github.client"}


def test_a_unit_gets_no_token_of_the_run(tmp_path: Path) -> None:
    world = World(tmp_path).environment(allowUnprotectedSource=True)
    world.unit("database", script='env > "$TMPDIR/seen"; ! grep -q -e TOKEN -e ghs_ "$TMPDIR/seen"').initialise()
    world.environ |= variables("push", GITHUB_EVENT_PATH="", GITHUB_TOKEN="ghs_0123456789", GH_TOKEN="ghs_9876543210")
    assert world.reconcile().verdicts() == {"database": "executed"}
