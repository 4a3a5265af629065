"""A runner of GitHub Actions, as far as the Action and the workflows need one.

It runs the steps of a composite action or of a workflow's job in their order: `run:` scripts in the shell and with the
files that the runner gives them, local actions by their steps, and other actions by stand-ins that say what they put
out. Nothing of nyl is replaced.
"""

import json
import os
import subprocess
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.support.actions_events import Event
from tests.support.actions_expressions import Contexts, Status
from tests.support.actions_steps import STAND_INS, Inputs, StandIn, StepRun, StepsRun
from tests.support.runner_files import RunnerFiles

SECONDS = 120.0
ACTION = Path(__file__).parents[2]
"""The folder of this project's own action.yml."""

Watch = Callable[["subprocess.Popen[bytes]"], None]
"""Is given the shell of a step that has started."""

_SHELLS = {
    None: ("bash", "-e"),
    "bash": ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail"),
    "sh": ("sh", "-e"),
}


@dataclass
class _Scope:
    """What the steps of one action or job see."""

    values: dict[str, Any]
    env: dict[str, str]
    run: StepsRun = field(default_factory=StepsRun)
    cancelled: bool = False

    def contexts(self) -> Contexts:
        steps = {
            each.id: {"outputs": each.outputs, "outcome": each.outcome, "conclusion": each.conclusion}
            for each in self.run.steps
            if each.id
        }
        values = {**self.values, "steps": steps, "env": self.env}
        return Contexts(values, Status(self.run.failed, self.cancelled))


class ActionsRunner:
    """Runs steps in a workspace, for one event.

    `environ` is what the machine has. `actions` says where actions that are not stand-ins lie, by the name before `@`.
    `watch` is called with the shell of a step of that id, as soon as it has started.
    """

    def __init__(
        self,
        tmp: Path,
        workspace: Path,
        environ: Mapping[str, str],
        event: Event,
        *,
        actions: Mapping[str, Path] | None = None,
        stand_ins: Mapping[str, StandIn] | None = None,
        variables: Mapping[str, str] | None = None,
        watch: Mapping[str, Watch] | None = None,
    ) -> None:
        self.temp = tmp / "runner-temp"
        self.temp.mkdir(parents=True, exist_ok=True)
        self.workspace = workspace
        self.event = event
        self.actions = {"./": ACTION, ".": ACTION, **(actions or {})}
        self.stand_ins = {**STAND_INS, **(stand_ins or {})}
        self.watch = watch or {}
        self._machine = dict(environ)
        self._job_variables = dict(variables or {})
        """What the job sets, such as GITHUB_API_URL for a server of the test."""
        self._paths: list[str] = []
        self._exported: dict[str, str] = {}

    def run_action(self, folder: Path = ACTION, *, token: str = "", **inputs: str) -> StepsRun:
        """Runs a composite action. Inputs are named as in action.yml, with `_` for `-`."""
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        return self._composite(folder, given, {}, self._values(token=token))

    def run_job(
        self,
        workflow: Path,
        job: str,
        *,
        token: str = "",
        inputs: Mapping[str, str] | None = None,
        needs: Mapping[str, Any] | None = None,
        matrix: Mapping[str, Any] | None = None,
        secrets: Mapping[str, str] | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> StepsRun:
        """Runs one job of a workflow; nothing of it where its `if:` does not hold."""
        document = _load(workflow)
        told = document["jobs"][job]
        values = self._values(token=token) | {
            "inputs": dict(inputs or {}),
            "needs": dict(needs or {}),
            "matrix": dict(matrix or {}),
            "secrets": {"GITHUB_TOKEN": token, **(secrets or {})},
            "vars": dict(variables or {}),
            "job": {"status": "success"},
        }
        scope = _Scope(values, {})
        for env in (document.get("env", {}), told.get("env", {})):
            scope.env |= _filled(env, scope.contexts())
        if not scope.contexts().holds(told.get("if")):
            return scope.run
        defaults = {**_shell_defaults(document), **_shell_defaults(told)}
        for step in told["steps"]:
            self._step({**defaults, **step} if "run" in step else step, scope)
        scope.run.outputs = _filled(told.get("outputs", {}), scope.contexts())
        return scope.run

    def _values(self, *, token: str) -> dict[str, Any]:
        server = self._job_variables.get("GITHUB_SERVER_URL", "https://github.com")
        github = {
            "event_name": self.event.name,
            "event": dict(self.event.payload),
            "sha": self.event.sha,
            "ref": self.event.ref,
            "ref_name": self.event.ref.removeprefix("refs/heads/"),
            "head_ref": self.event.head_ref,
            "base_ref": self.event.base_ref,
            "repository": self.event.repository,
            "repository_owner": self.event.repository.partition("/")[0],
            "actor": "octocat",
            "actor_id": "583231",
            "run_id": "4711",
            "run_attempt": "1",
            "server_url": server,
            "api_url": self._job_variables.get("GITHUB_API_URL", "https://api.github.com"),
            "workspace": str(self.workspace),
            "workflow": "nyl",
            "token": token,
        }
        runner = {"temp": str(self.temp), "os": "Linux", "arch": "X64", "tool_cache": str(self.temp / "tools")}
        return {"github": github, "runner": runner}

    def _composite(self, folder: Path, given: Inputs, env: Mapping[str, str], values: Mapping[str, Any]) -> StepsRun:
        document = _load(next(each for each in (folder / "action.yml", folder / "action.yaml") if each.exists()))
        declared: Mapping[str, Any] = document.get("inputs", {})
        unknown = set(given) - set(declared)
        assert not unknown, f"{folder.name}/action.yml has no input {', '.join(sorted(unknown))}"
        contexts = Contexts(values)
        inputs = {name: given.get(name, contexts.fill(str(each.get("default", "")))) for name, each in declared.items()}
        scope = _Scope(
            {**values, "inputs": inputs, "github": {**values["github"], "action_path": str(folder)}}, {**env}
        )
        for step in document["runs"]["steps"]:
            self._step(step, scope)
        outputs = {name: each["value"] for name, each in document.get("outputs", {}).items()}
        scope.run.outputs = _filled(outputs, scope.contexts())
        return scope.run

    def _step(self, step: Mapping[str, Any], scope: _Scope) -> None:
        contexts = scope.contexts()
        name = contexts.fill(str(step.get("name", "")))
        if not contexts.holds(step.get("if")):
            scope.run.steps.append(StepRun(step.get("id", ""), name, "skipped", "skipped"))
            return
        env = {**scope.env, **self._exported, **_filled(step.get("env", {}), contexts)}
        done = self._script(step, name, env, contexts) if "run" in step else self._uses(step, name, env, scope)
        if done.outcome == "failure" and step.get("continue-on-error") == "true":
            done.conclusion = "success"
        scope.run.steps.append(done)

    def _uses(self, step: Mapping[str, Any], name: str, env: Mapping[str, str], scope: _Scope) -> StepRun:
        action = str(step["uses"]).partition("@")[0]
        inputs = _filled(step.get("with", {}), scope.contexts())
        if action in self.stand_ins:
            return StepRun(step.get("id", ""), name, "success", "success", self.stand_ins[action](inputs))
        assert action in self.actions, f"no stand-in for {action}"
        inner = self._composite(self.actions[action], inputs, env, scope.values)
        outcome = "failure" if inner.failed else "success"
        lines = [line for each in inner.steps for line in each.lines]
        code = next((each.code for each in inner.steps if each.conclusion == "failure"), 0)
        summary = "".join(each.summary for each in inner.steps)
        return StepRun(step.get("id", ""), name, outcome, outcome, inner.outputs, code, lines, summary)

    def _script(self, step: Mapping[str, Any], name: str, env: Mapping[str, str], contexts: Contexts) -> StepRun:
        files = RunnerFiles.create(self.temp / "file-commands" / uuid.uuid4().hex)
        script = files.folder / "script.sh"
        script.write_text(contexts.fill(step["run"]))
        folder = self.workspace / contexts.fill(str(step.get("working-directory", ".")))
        variables = {**self._variables(contexts), **env, **files.variables()}
        variables["PATH"] = os.pathsep.join([*self._paths, self._machine["PATH"]])
        process = subprocess.Popen(
            [*_SHELLS[step.get("shell")], str(script)],
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        watch = self.watch.get(step.get("id", ""))
        if watch is not None:
            watch(process)
        output, _ = process.communicate(timeout=SECONDS)
        self._exported |= files.environment()
        self._paths = [*reversed(files.paths()), *self._paths]
        outcome = "failure" if process.returncode else "success"
        lines = output.decode(errors="replace").splitlines()
        return StepRun(
            step.get("id", ""), name, outcome, outcome, files.outputs(), process.returncode, lines, files.summary()
        )

    def _variables(self, contexts: Contexts) -> dict[str, str]:
        """The machine's variables, and those that the runner sets for every step."""
        github = contexts.values["github"]
        event = self.temp / "event.json"
        event.write_text(json.dumps(github["event"]))
        names = {name: value for name, value in github.items() if name not in ("event", "token")}
        return {
            **self._machine,
            **{f"GITHUB_{name.upper()}": str(value) for name, value in names.items()},
            **{f"RUNNER_{name.upper()}": str(value) for name, value in contexts.values["runner"].items()},
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            "GITHUB_EVENT_PATH": str(event),
            **self._job_variables,
        }


def _load(file: Path) -> dict[str, Any]:
    # Every scalar stays a text, as `on` must.
    document = yaml.load(file.read_text(encoding="utf-8"), yaml.BaseLoader)
    assert isinstance(document, dict)
    return document


def _filled(texts: Mapping[str, Any], contexts: Contexts) -> dict[str, str]:
    return {name: contexts.fill(str(value)) for name, value in texts.items()}


def _shell_defaults(document: Mapping[str, Any]) -> dict[str, str]:
    return dict(document.get("defaults", {}).get("run", {}))
