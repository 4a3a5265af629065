"""Fingerprints are programs that print what a unit depends on."""

from datetime import timedelta

import pytest

from nyl.core.canonical import digest_bytes
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.units.fingerprints import fingerprint
from tests.units.building import Bench, unit


def taken(bench: Bench, script: str, seconds: float = 30) -> str:
    what = unit({"values": {"a": 1}})
    return fingerprint(["/bin/sh", "-c", script], what, bench.context, limit=timedelta(seconds=seconds))


def test_a_fingerprint_is_the_digest_of_stdout_alone(bench: Bench) -> None:
    assert taken(bench, r"printf '1.0\000'; echo noise >&2") == digest_bytes(b"1.0\0")
    assert bench.lines == []


def test_a_fingerprint_sees_the_values_of_its_unit(bench: Bench) -> None:
    assert taken(bench, 'cat "$NYL_INPUTS"') == digest_bytes(b'{"a": 1}\n')


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo broken >&2; exit 3", "ended with exit code 3. It said: broken"),
        ("sleep 60", "took longer than 1s"),
        ("kill -9 $$", "was killed"),
    ],
)
def test_a_fingerprint_that_does_not_end_well_is_refused(bench: Bench, script: str, reason: str) -> None:
    with pytest.raises(NylError) as caught:
        taken(bench, script, seconds=1)

    assert caught.value.diagnostic.code is Code.FINGERPRINT_FAILED
    assert caught.value.diagnostic.unit == "seed"
    assert reason in caught.value.diagnostic.message


def test_a_fingerprint_of_a_cancelled_run_is_no_fault_of_its_program(bench: Bench) -> None:
    bench.cancellation.cancel()

    with pytest.raises(NylError) as caught:
        taken(bench, "true")

    assert caught.value.diagnostic.code is Code.RUN_CANCELLED
