"""The objects that helm printed, each with the template that it came from."""

import re
from dataclasses import replace

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.yaml_reading import read_manifests

_SOURCE = re.compile(r"^---\n# Source: (.*)$", re.MULTILINE)


def helm_manifests(output: bytes, template: Manifest, title: str) -> list[Manifest]:
    """The objects of a chart's output, in its order.

    Each has the provenance and place of `template`, the document of the bundle that stands for them. Raises
    NYL-YAML-INVALID that names the template of the chart.
    """
    text = output.decode("utf-8", errors="replace")
    try:
        parsed = read_manifests(text, title)
    except NylError as error:
        raise _named(error, text, template, title) from None
    return [replace(template, value=each.value, helm_source=each.helm_source) for each in parsed]


def remote_manifests(data: bytes, template: Manifest, title: str) -> list[Manifest]:
    """The objects of the file of a RemoteManifest. Raises NYL-YAML-INVALID with the line in that file."""
    try:
        parsed = read_manifests(data.decode("utf-8"), title)
    except NylError as error:
        found = error.diagnostic
        place = template.location
        message = f"{place}: the file of {title} is no Kubernetes YAML: {found.message}"
        raise NylError(found.code, message, "correct the file there", location=place) from None
    except UnicodeDecodeError:
        place = template.location
        message = f"{place}: the file of {title} is not UTF-8."
        raise NylError(Code.YAML_INVALID, message, "save the file as UTF-8", location=place) from None
    return [replace(template, value=each.value, helm_source=each.helm_source) for each in parsed]


def _source_at(text: str, line: int) -> str | None:
    """The template that wrote a line of helm's output."""
    above = _SOURCE.findall("\n".join(text.split("\n")[:line]))
    return above[-1].strip() if above else None


def _named(error: NylError, text: str, template: Manifest, title: str) -> NylError:
    found = error.diagnostic
    line = found.location.line if found.location else 0
    source = _source_at(text, line)
    place = template.location
    what = f"{title} printed what is no Kubernetes YAML" + (f", in {source}" if source else "")
    return NylError(found.code, f"{place}: {what}: {found.message}", "correct the chart or its values", location=place)
