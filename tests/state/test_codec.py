"""State documents as files."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.core.schemas import Validator
from nyl.state import codec
from nyl.state.codec import Codec, Origin, decode, encode, encode_short, parse
from nyl.state.coordination_documents import Break, Checkpoint, Lease, LeaseState, Run, RunState
from nyl.state.documents import (
    EnvironmentRecord,
    InputRecord,
    Observation,
    ObservationType,
    ObservedUnit,
    Repair,
    SourceRecord,
    StateRecord,
    TeardownWait,
    Work,
)
from nyl.state.lifecycles import (
    Deletion,
    DeletionIntent,
    DeletionReason,
    Hold,
    LifecycleState,
    PendingChange,
    TeardownRequested,
)
from nyl.state.record_codec import Signal
from nyl.state.schema_catalog import document_schema
from tests.state.worlds import KEY, SOURCE, START, desired, identity, observed, receipt, uncertain

ORIGIN = Origin("c0ffee", "observed/units/database.yaml")
LEASE = Lease("dev", "01a1", "reconcile", "me@here", "ab12", LeaseState.HELD, START, START, ("database",))
RUN = Run("dev", "01a1", "reconcile", "me@here", RunState.RUNNING, SOURCE, START, START, {"database": KEY})
HELD = replace(desired("database"), lifecycle=LifecycleState.HELD, hold=Hold("bob", START, "incident"))
ASKED = TeardownRequested("bob", START, "old")
REPLACED = Deletion(DeletionReason.REPLACE, DeletionIntent.TEARDOWN, requested=ASKED)
PENDING = PendingChange(SOURCE, KEY)
HEARD = {"01a0": SOURCE, "01a1": SOURCE}
SOURCES = InputRecord(
    sources={"/source": SourceRecord(SOURCE, "modules/x", "https://example.com/x.git")}, fingerprint=KEY
)

DOCUMENTS: list[tuple[Codec[Any], Any]] = [
    (codec.STATE_RECORD, StateRecord("dev", START, "Alice <a@b.c>", {"desiredRef": "refs/heads/x"}, ({"at": "now"},))),
    (codec.ENVIRONMENT_RECORD, EnvironmentRecord("dev", SOURCE, ("a", "b"), {"spec": {"values": {"on": "no"}}})),
    (codec.DESIRED_UNIT, desired("database")),
    (codec.DESIRED_UNIT, replace(desired("database"), readiness=("its group orphans workloads",))),
    (codec.DESIRED_UNIT, HELD),
    (
        codec.DESIRED_UNIT,
        replace(HELD, deletion=Deletion(DeletionReason.REPLACE, DeletionIntent.TEARDOWN, requested=ASKED)),
    ),
    (codec.DESIRED_UNIT, replace(HELD, deletion=replace(REPLACED, requested=replace(ASKED, confirm_removed=True)))),
    (
        codec.DESIRED_UNIT,
        replace(HELD, hold=Hold("bob", START, "", LifecycleState.RETAINED, PendingChange(SOURCE, KEY))),
    ),
    (codec.DESIRED_UNIT, replace(desired("database"), inputs=SOURCES)),
    (codec.OBSERVED_UNIT, observed("database", host="db", port=5432, big=2**70, nested={"a": [None, True, 0.5]})),
    (codec.OBSERVED_UNIT, uncertain("database").observed),
    (
        codec.OBSERVED_UNIT,
        replace(observed("database"), repair=Repair("bob", START, ("state", "rm", "a b", ""), "lost")),
    ),
    (codec.OBSERVED_UNIT, ObservedUnit(identity("database"), repair=Repair("bob", START, ("state", "pull")))),
    (codec.CHECKPOINT, Checkpoint(observed("database"), effects=False)),
    (codec.LEASE, LEASE),
    (
        codec.LEASE,
        replace(
            LEASE,
            state=LeaseState.BROKEN,
            broken=Break("01a0", "a", START, "gone"),
            taken_over=(Break("019f", "b", START, "killed"),),
        ),
    ),
    (codec.LEASE, replace(LEASE, state=LeaseState.LANDED, consumed={"01a0": SOURCE}, retired=("01a0",), heard=HEARD)),
    (codec.RUN, RUN),
    (codec.RUN, replace(RUN, read_observed=SOURCE, after=("019f", "01a0"))),
    (codec.RUN, replace(RUN, location={"desiredRef": "refs/heads/x", "observedRef": "refs/heads/y", "path": "z"})),
    (codec.RUN, replace(RUN, approvals={"db": {"by": ["alice"], "digest": None}})),
    (codec.OBSERVED_UNIT, replace(observed("database"), teardown=TeardownWait("01a1", START, "waits", {"phase": 1}))),
    (codec.CHECKPOINT, Checkpoint(observed("database"), work=Work.TEARDOWN, removed=True, incomplete="a bucket")),
    (codec.CHECKPOINT, Checkpoint(observed("database"), work=Work.TEARDOWN, removed=True, confirmed="observed")),
    (
        codec.OBSERVATION,
        Observation(identity("a"), ObservationType.DRIFT, "drifted", "01a1", START, KEY, "x"),
    ),
    (codec.DESIRED_UNIT, replace(HELD, unit=replace(HELD.unit, uid=None), execution_key="")),
    (codec.SIGNAL, Signal("dev", "database", Hold("bob", START, "incident"))),
]


def test_lease_and_run_records_are_yaml_that_needs_no_yaml_library_to_write() -> None:
    named = replace(LEASE, runner="zoë 😀@here")
    data = encode_short(codec.LEASE, named)
    assert json.loads(data)["runner"] == "zoë 😀@here"
    assert decode(codec.LEASE, parse(data, ORIGIN), ORIGIN) == named
    assert decode(codec.RUN, parse(encode_short(codec.RUN, RUN), ORIGIN), ORIGIN) == RUN


@pytest.mark.parametrize(("kind", "document"), DOCUMENTS)
def test_a_document_reads_back_as_it_was(kind: Codec[Any], document: Any) -> None:
    data = encode(kind, document)
    assert decode(kind, parse(data, ORIGIN), ORIGIN) == document
    assert encode(kind, document) == data


@pytest.mark.parametrize(("kind", "document"), DOCUMENTS)
def test_a_document_fits_its_schema(kind: Codec[Any], document: Any) -> None:
    assert not Validator(document_schema(kind.kind)).problems(parse(encode(kind, document), ORIGIN))


@pytest.mark.parametrize("kind", codec.KINDS)
def test_every_kind_has_a_schema_that_is_one(kind: str) -> None:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(document_schema(kind))


def test_a_lifecycle_block_is_as_the_pages_show_it() -> None:
    assert b"lifecycle:\n  state: held\n  hold:\n    by: bob\n    at:" in encode(codec.DESIRED_UNIT, HELD)
    deletion = Deletion(DeletionReason.DECOMMISSION, DeletionIntent.TEARDOWN, requested=ASKED)
    leaving = replace(desired("database"), lifecycle=LifecycleState.DELETING, deletion=deletion)
    assert parse(encode(codec.DESIRED_UNIT, leaving), ORIGIN)["lifecycle"] == {
        "state": "deleting",
        "deletion": {
            "reason": "decommission",
            "intent": "teardown",
            "teardown": "pending",
            "requested": {"by": "bob", "at": START.iso(), "reason": "old"},
        },
    }


def test_the_words_of_a_lifecycle_block_are_those_of_the_page() -> None:
    words = {each: {word.value for word in each} for each in (LifecycleState, DeletionReason, DeletionIntent)}
    assert words == {
        LifecycleState: {"active", "deleting", "held", "retained"},
        DeletionReason: {"omission", "teardown", "replace", "kind-change", "decommission"},
        DeletionIntent: {"retain", "teardown"},
    }


def add_everywhere(value: Any, path: str = "") -> Any:
    """The same data with an unknown field in every mapping whose fields nyl knows."""
    if isinstance(value, dict):
        grown = {key: add_everywhere(each, f"{path}/{key}") for key, each in value.items()}
        free = path.startswith(
            ("/spec", "/resolvedSpec", "/receipt/outputs", "/receipt/artifacts", "/receipt/versions")
        )
        return grown if free or path in ("/provenance", "/inputs/sources") else {**grown, "later": {"field": 1}}
    return [add_everywhere(each, f"{path}/*") for each in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("kind", "document"),
    [
        (codec.DESIRED_UNIT, HELD),
        (
            codec.DESIRED_UNIT,
            replace(HELD, deletion=Deletion(DeletionReason.REPLACE, DeletionIntent.TEARDOWN, requested=ASKED)),
        ),
        (
            codec.DESIRED_UNIT,
            replace(HELD, hold=Hold("bob", START, "", LifecycleState.RETAINED, PendingChange(SOURCE, KEY))),
        ),
        (codec.OBSERVED_UNIT, observed("database")),
        (codec.OBSERVED_UNIT, uncertain("a").observed),
    ],
)
def test_no_field_of_a_later_version_is_dropped(kind: Codec[Any], document: Any) -> None:
    grown = add_everywhere(parse(encode(kind, document), ORIGIN))
    again = parse(encode(kind, decode(kind, grown, ORIGIN)), ORIGIN)
    assert again == grown


def code_of(data: bytes) -> tuple[Code, str]:
    with pytest.raises(NylError) as caught:
        decode(codec.OBSERVED_UNIT, parse(data, ORIGIN), ORIGIN)
    told = caught.value.diagnostic
    assert ORIGIN.path in told.message
    assert ORIGIN.commit in told.message
    return told.code, told.message


WHOLE = encode(codec.OBSERVED_UNIT, observed("database"))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "truncated"),
        (WHOLE[: len(WHOLE) // 2], "cannot be trusted"),
        (WHOLE.replace(b"kind: ObservedUnit", b"kind: DesiredUnit"), "kind"),
        (
            WHOLE.replace(b"behaviorVersion: 1", b"behaviorVersion: one"),
            "/receipt/behaviorVersion must be a whole number",
        ),
        (WHOLE.replace(b"executionKey: sha256:", b"executionKey: sha256:0"), "/receipt/executionKey must be sha256:"),
        (WHOLE.replace(b"startedAt: ", b"startedAt: x"), "cannot be trusted"),
        (WHOLE.replace(b"gitops.nyl/v1", b"other/v1"), "apiVersion"),
        (b"\xff\xfe" + "a: 1".encode("utf-16-le"), "UTF-16"),
        (WHOLE + b"unit: {}\n", "unit"),
    ],
)
def test_a_damaged_document_is_corrupt(data: bytes, told: str) -> None:
    code, message = code_of(data)
    assert code is Code.STATE_CORRUPT
    assert told in message


def test_a_document_of_a_later_version_says_so() -> None:
    code, message = code_of(WHOLE.replace(b"gitops.nyl/v1", b"gitops.nyl/v2"))
    assert code is Code.STATE_VERSION
    assert "gitops.nyl/v2" in message


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(), children, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), PLAIN, max_size=4))
def test_any_outputs_read_back_exactly(outputs: Mapping[str, Any]) -> None:
    document = ObservedUnit(identity("database"), replace(receipt(), outputs=outputs))
    assert decode(codec.OBSERVED_UNIT, parse(encode(codec.OBSERVED_UNIT, document), ORIGIN), ORIGIN) == document
