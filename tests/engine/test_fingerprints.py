"""Runs page, Execution keys: fingerprints, which run during resolution."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.engine.fingerprints import Fingerprints, KeyInputs
from nyl.engine.preflight import CheckedUnit
from nyl.engine.slots import SlotPool, workplace
from tests.engine.builders import check, output, unit
from tests.engine.projects import read_inputs, refusal, unit_sources, workspace
from tests.support.declarations import shell
from tests.support.world import World


@dataclass
class Bench:
    """A commit with the program `print.sh`, and slots to run it in; each call of it leaves a line in `calls`."""

    world: World
    pool: SlotPool

    @property
    def calls(self) -> list[str]:
        return self.world.log.read_text().split() if self.world.log.exists() else []

    def program(self, body: str) -> "Bench":
        self.world.write("print.sh", shell(f"echo call >> '{self.world.log}'\n{body}"))
        self.world.commit()
        return self

    def inputs(self, *units: CheckedUnit, evaluate: bool = True) -> KeyInputs:
        where, commit = workspace(self.world), self.world.git("rev-parse", "HEAD")
        contents, inputs = read_inputs(where, unit_sources(where, commit), *units)
        by_name = {each.unit.name: each for each in contents}
        read = dict(zip(by_name, inputs, strict=True))
        fingerprints = Fingerprints(
            "dev",
            self.pool,
            lambda name: workplace(by_name[name], read[name]),
            self.world.environ | {"SIZE": "large", "TOKEN": "secret"},
            CancellationToken(),
        )
        return KeyInputs(by_name, read, fingerprints if evaluate else None)


@pytest.fixture
def bench(world: World, tmp_path: Path) -> Iterator[Bench]:
    pool = SlotPool(lambda: tmp_path / "slots", 2, world.environ)
    yield Bench(world, pool)
    pool.close()


def printing(name: str = "app", **spec: Any) -> CheckedUnit:
    return check(unit(name, fingerprint=["./print.sh"], **spec))[name]


def test_the_digest_of_what_it_prints_enters_the_inputs(bench: Bench) -> None:
    app = printing()
    record = bench.program("printf 1.2; echo noise >&2").inputs(app)(app, app.rendered.spec)
    assert record is not None
    assert record.fingerprint == digest_bytes(b"1.2")


def test_it_finds_the_resolved_values_and_passed_variables_and_no_secrets(bench: Bench) -> None:
    app = printing(values={"size": "large"})
    asking = replace(app.rendered, passthrough=("SIZE",), secrets={"TOKEN": "token"})
    app = replace(app, rendered=asking)
    bench.program('grep -q \'"large"\' "$NYL_INPUTS"; printf \'%s\' "$SIZE:$TOKEN:$NYL_UNIT:$NYL_ENVIRONMENT"')
    record = bench.inputs(app)(app, app.rendered.spec)
    assert record is not None
    assert record.fingerprint == digest_bytes(b"large::app:dev")


def test_it_runs_once_for_each_resolved_spec(bench: Bench) -> None:
    app = printing()
    inputs = bench.program("echo x").inputs(app)
    for values in ({"a": 1}, {"a": 1}, {"a": 2}):
        inputs(app, {**app.rendered.spec, "values": values})
    assert len(bench.calls) == 2


@pytest.mark.parametrize(("body", "said"), [("echo broken >&2; exit 3", "exit code 3"), ("kill -9 $$", "was killed")])
def test_a_failure_names_program_and_unit(bench: Bench, body: str, said: str) -> None:
    app = printing()
    inputs = bench.program(body).inputs(app)
    message = refusal(lambda: inputs(app, app.rendered.spec), Code.FINGERPRINT_FAILED)
    assert said in message
    assert "./print.sh of unit app" in message


def test_a_program_that_is_not_there_is_a_failure_too(bench: Bench) -> None:
    app = printing()
    bench.world.commit()
    refusal(lambda: bench.inputs(app)(app, app.rendered.spec), Code.FINGERPRINT_FAILED)


def test_where_fingerprints_are_not_evaluated_there_are_no_inputs(bench: Bench) -> None:
    app, plain = printing(), check(unit("plain"))["plain"]
    inputs = bench.program("echo x").inputs(app, plain, evaluate=False)
    assert inputs(app, app.rendered.spec) is None
    assert inputs(plain, plain.rendered.spec) is not None
    assert bench.calls == []


def test_those_that_depend_on_no_reference_run_ahead_and_once(bench: Bench) -> None:
    units = check(
        unit("a", fingerprint=["./print.sh"], outputs={"x": "string"}),
        unit("b", fingerprint=["./print.sh"]),
        unit("c", fingerprint=["./print.sh"], values={"x": output("x", "a")}),
        unit("d"),
    )
    inputs = bench.program("echo x").inputs(*units.values())
    inputs.evaluate_ahead(units.values(), 2)
    assert len(bench.calls) == 2
    for name in ("a", "b"):
        assert inputs(units[name], units[name].rendered.spec)
    assert len(bench.calls) == 2


def test_a_failure_ahead_is_met_again_by_its_own_unit(bench: Bench) -> None:
    units = check(unit("a", fingerprint=["./print.sh"]), unit("b", fingerprint=["./print.sh"]))
    inputs = bench.program("exit 1").inputs(*units.values())
    inputs.evaluate_ahead(units.values(), 2)
    refusal(lambda: inputs(units["a"], units["a"].rendered.spec), Code.FINGERPRINT_FAILED)
