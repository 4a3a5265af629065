"""What enters an execution key beside the spec as plain data and back: inputs, and what references read."""

from collections.abc import Mapping

from nyl.state.documents import InputFile, InputRecord, Provenance, SourceRecord
from nyl.state.fields import Fields
from nyl.state.lifecycle_codec import Plain, sparse


def encode_provenance(provenance: Mapping[str, Provenance]) -> Plain:
    """The fields of what references read, by pointer."""
    return {
        pointer: {
            **({"environment": each.environment} if each.environment else {}),
            "unit": each.unit,
            "uid": each.uid,
            "executionKey": each.execution_key,
            **sparse({"observedCommit": each.observed_commit, "run": each.run}),
            **each.extra,
        }
        for pointer, each in provenance.items()
    }


def decode_provenance(fields: Fields) -> Provenance:
    """The Provenance that some fields say. Raises Malformed."""
    return Provenance(
        unit=fields.text("unit"),
        uid=fields.text("uid"),
        execution_key=fields.digest("executionKey"),
        environment=fields.optional_text("environment"),
        observed_commit=fields.optional_text("observedCommit"),
        run=fields.optional_text("run"),
        extra=fields.rest(),
    )


def encode_inputs(inputs: InputRecord) -> Plain:
    """The fields of an InputRecord."""
    files = [
        {
            "path": each.path,
            "digest": each.digest,
            **sparse({"executable": each.executable, "source": each.source}),
            **each.extra,
        }
        for each in inputs.files
    ]
    sources = {
        pointer: {
            **sparse({"repository": each.repository}),
            "commit": each.commit,
            "path": each.path,
            **each.extra,
        }
        for pointer, each in inputs.sources.items()
    }
    listed = {
        "files": files,
        "sources": sources,
        "fingerprint": inputs.fingerprint,
        "variables": list(inputs.variables),
    }
    return {**sparse(listed), **inputs.extra}


def decode_inputs(fields: Fields) -> InputRecord:
    """The InputRecord that some fields say. Raises Malformed."""
    return InputRecord(
        files=fields.items("files", _decode_file),
        sources=fields.each("sources", _decode_source),
        fingerprint=fields.optional_text("fingerprint"),
        variables=fields.texts("variables"),
        extra=fields.rest(),
    )


def _decode_file(fields: Fields) -> InputFile:
    return InputFile(
        path=fields.text("path"),
        digest=fields.digest("digest"),
        executable=fields.truth("executable"),
        source=fields.optional_text("source") or "",
        extra=fields.rest(),
    )


def _decode_source(fields: Fields) -> SourceRecord:
    return SourceRecord(
        commit=fields.text("commit"),
        path=fields.text("path"),
        repository=fields.optional_text("repository"),
        extra=fields.rest(),
    )
