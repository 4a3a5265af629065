"""Random sequences of edits, runs, holds, teardowns, crashes and recoveries against the reference model.

This is a bounded slice. `scripts/soak model` goes on for as long as it is told to.
"""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.scenarios.model_machine import EnvironmentMachine
from tests.support.effects import EffectsWorld, Template
from tests.support.forks import Forks

SLICE = settings(
    max_examples=2,
    stateful_step_count=12,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)


def test_an_environment_is_what_the_model_says_it_is(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    forks = Forks(tmp_path_factory.mktemp("calls"))
    template = Template.of(EffectsWorld.build(tmp_path / "case", forks), tmp_path / "kept")
    machine = type("Machine", (EnvironmentMachine,), {"fresh": staticmethod(template.copy)})
    try:
        run_state_machine_as_test(machine, settings=SLICE)
    finally:
        forks.close()
