"""Inputs that a direct command is given, and the group whose bindings it applies.

Follows the section Direct commands of the page Release Inputs.
"""

import json
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError, Problems
from nyl.core.suggestions import did_you_mean
from nyl.kubernetes.inputs.documents import read_document, read_json
from nyl.kubernetes.inputs.reading import InputSource
from nyl.kubernetes.inputs.resolution import EffectiveInput
from nyl.kubernetes.inputs.typing import mismatch, shown
from nyl.kubernetes.resources import DeploymentTarget, ReleaseDocument


def read_overrides(flags: Sequence[str], data: bytes | None = None, file: str = "") -> dict[str, Any]:
    """The overrides of a command line: the object of the `--inputs` file, and each `--input name=json` over it.

    Raises NYL-INPUT-BINDING and NYL-YAML-INVALID, all problems of flags together.
    """
    found: dict[str, Any] = {}
    if data is not None:
        value = read_document(data, file)
        if not isinstance(value, Mapping):
            message = f"--inputs {file} must hold an object from input names to values, not {shown(value)}."
            raise NylError(Code.INPUT_BINDING, message, "write `name: value` for each input")
        found.update(value)
    problems = Problems()
    for flag in flags:
        try:
            name, value = _flag(flag)
            found[name] = value
        except NylError as error:
            problems.add(error)
    problems.raise_any()
    return found


def check_overrides(release: ReleaseDocument, overrides: Mapping[str, Any]) -> None:
    """Raises NYL-INPUT-BINDING for overrides that name no declared input, and NYL-INPUT-INVALID, all together."""
    problems = Problems()
    for name, value in overrides.items():
        declaration = release.inputs.get(name)
        if declaration is None:
            message = (
                f"An override names the input {name}, which {release.name} does not declare at {release.location}."
            )
            fix = did_you_mean(name, release.inputs, f"declared are {', '.join(release.inputs) or 'none'}")
            problems.add(NylError(Code.INPUT_BINDING, message, fix, location=release.location))
            continue
        reason = mismatch(declaration, value)
        if reason is not None:
            message = f"The override of the input {name} {reason}."
            fix = f"correct it, or its declaration at {release.location}; --input takes JSON, so strings are quoted"
            problems.add(NylError(Code.INPUT_INVALID, message, fix, location=release.location))
    problems.raise_any()


def unbound_inputs(release: ReleaseDocument, overrides: Mapping[str, Any]) -> dict[str, EffectiveInput]:
    """The inputs of a Release without any binding: overrides, which were checked, and defaults.

    Raises NYL-INPUT-MISSING, all together.
    """
    problems = Problems()
    found = {}
    for name, declaration in release.inputs.items():
        if name in overrides:
            found[name] = EffectiveInput(overrides[name], InputSource.OVERRIDE)
        elif declaration.has_default:
            found[name] = EffectiveInput(declaration.default, InputSource.DEFAULT)
        else:
            told = f" ({declaration.description})" if declaration.description else ""
            message = f"{release.location}: the input {name}{told} of {release.name} has no default and no value."
            bound = "take the bindings of a target, with `--target` and without `--defaults-only`"
            fix = f"give it one with `--input {name}=<json>`, or {bound}"
            problems.add(NylError(Code.INPUT_MISSING, message, fix, location=release.location))
    problems.raise_any()
    return found


def binding_group(
    target: DeploymentTarget, groups: Collection[str], containing: Collection[str], file: str, chosen: str | None = None
) -> str:
    """The group of a target whose bindings a Release file gets.

    `groups` are all that the target selects, `containing` those whose local source contains the file, and `chosen` what
    --application-group names. Raises NYL-INPUT-BINDING when it is not one of the target's, and when the file lies in
    none or several: a target never falls back to defaults silently.
    """
    names = ", ".join(sorted(groups)) or "none"
    if chosen is not None:
        if chosen in groups:
            return chosen
        message = f"DeploymentTarget {target.name} selects no ApplicationGroup {chosen}."
        fix = did_you_mean(chosen, groups, f"its groups are: {names}")
        raise NylError(Code.INPUT_BINDING, message, fix, location=target.location)
    if len(containing) == 1:
        return next(iter(containing))
    why = f"lies in the sources of several: {', '.join(sorted(containing))}" if containing else "lies in none of them"
    raise NylError(
        Code.INPUT_BINDING,
        f"The groups of DeploymentTarget {target.name} are {names}, and {file} {why}, so its bindings are not known.",
        "name the group with --application-group <name>, or render defaults and overrides with --defaults-only",
        location=target.location,
    )


def _flag(flag: str) -> tuple[str, Any]:
    name, equals, text = flag.partition("=")
    if not equals or not name:
        raise NylError(
            Code.INPUT_BINDING, f"--input {flag} is not of the form <name>=<json>.", "write `--input name=1`"
        )
    try:
        return name, read_json(text.encode(errors="surrogateescape"), f"--input {name}")
    except NylError as error:
        reason = error.diagnostic.message.partition(" is not valid JSON: ")[2]
        quoted = shlex.quote(f"{name}={json.dumps(text)}")
        message = f"The value of --input {name} is not valid JSON: {reason}"
        raise NylError(Code.INPUT_BINDING, message, f"strings are quoted: --input {quoted}") from None
