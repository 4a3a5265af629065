"""What a Terraform or OpenTofu unit reads."""

import re
from collections.abc import Mapping
from typing import Any

from nyl.units.inputs import InputFiles, Inputs
from nyl.units.sources import source_field

SOURCE = "/source"
"""Pointer of the source field."""

_SPECIAL = re.compile(r"[\\*?\[]")


def literal_glob(path: str) -> str:
    """The glob that selects just this path, whatever characters it holds."""
    return _SPECIAL.sub(r"\\\g<0>", path)


def globs_of(spec: Mapping[str, Any]) -> tuple[str, ...]:
    """The globs of the module's files, relative to what the source's path is relative to."""
    declared = spec.get("files")
    if declared:
        return tuple(declared)
    path: str = spec["source"]["path"].rstrip("/")
    return (f"{literal_glob(path)}/**",)


def unit_inputs(spec: Mapping[str, Any]) -> Inputs:
    """The module's files, and the files of variables of S. The checkout holds these alone."""
    var_files = tuple(spec.get("varFiles", ()))
    return Inputs(
        sources=(source_field(SOURCE, spec["source"]),),
        files=(InputFiles(globs_of(spec), SOURCE), *((InputFiles(var_files),) if var_files else ())),
        private=True,
    )
