"""Renders charts with helm: in parallel, each once as long as nothing that decides its output changes."""

import hashlib
import json
import re
import threading
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.dataclass import dataclass
from nyl.core.diagnostics import Location, NylError
from nyl.kubernetes.expansion.chart_content import CHART_FILE, ChartContent
from nyl.kubernetes.expansion.helm import Helm
from nyl.kubernetes.expansion.unstable import (
    at_another_time,
    differing,
    renderings_to_compare,
    values_at_another_time,
)

_NAMESPACE = "helm-output"
_VERSION = 1
_SHORT_VERSION = re.compile(r"v?\d+\.\d+")
_ESCAPED = re.compile("[\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]")


@dataclass(frozen=True)
class ChartCall:
    """A chart, and everything that its output depends on beside helm itself."""

    content: ChartContent
    reference: str
    """How errors call the chart."""
    release: str
    namespace: str
    values: Mapping[str, Any]
    kube_version: str | None
    api_versions: tuple[str, ...]
    title: str
    location: Location


class ChartRenderer:
    """What helm makes of charts. `scratch` is a private folder; safe to use from several threads."""

    def __init__(self, helm: Helm, cache: Cache, scratch: Path) -> None:
        """`cache` keeps what was rendered; one without a file renders everything anew."""
        self._helm = helm
        self._cache = cache
        self._scratch = scratch
        self._lock = threading.Lock()
        self._written: dict[str, Path] = {}
        self._numbers = 0

    def rendered(self, call: ChartCall) -> bytes:
        """What `helm template` prints.

        Raises NYL-HELM-UNAVAILABLE, NYL-CHART-FAILED with helm's own words, and NYL-CHART-UNSTABLE for a chart whose
        output is another one each time, naming its templates.
        """
        key = self._key(call)
        known = self._cache.get_many(_NAMESPACE, [key]).get(key)
        if known is not None:
            return zlib.decompress(known)
        output = self._template(call, call.content, call.values)
        for _ in range(renderings_to_compare(call.content, call.values)):
            self._compare(call, output)
        self._cache.put_many(_NAMESPACE, {key: zlib.compress(output, 1)})
        return output

    def _compare(self, call: ChartCall, output: bytes) -> None:
        values = values_at_another_time(call.values)
        changed = differing(output, self._template(call, at_another_time(call.content), values))
        if changed:
            raise NylError(
                Code.CHART_UNSTABLE,
                f"{call.location}: {call.title}: the chart {call.reference} renders differently each time, "
                f"in {', '.join(changed)}: it uses random values, generated certificates or the time.",
                "set the values that make the chart use something given, such as an existing Secret or a password",
                location=call.location,
            )

    def _template(self, call: ChartCall, content: ChartContent, values: Mapping[str, Any]) -> bytes:
        folder = self._folder(content, call)
        answer = self._helm.offline(_arguments(call, folder, self._values_file(values)))
        if answer.failure:
            raise _failed(call, content, answer.failure.replace(str(folder), call.reference))
        return answer.stdout

    def _folder(self, content: ChartContent, call: ChartCall) -> Path:
        with self._lock:
            if content.digest not in self._written:
                folder = self._scratch / "charts" / content.digest
                try:
                    content.write(folder)
                except (OSError, ValueError) as error:
                    message = f"{call.location}: the chart {call.reference} cannot be written for helm: {error}."
                    fix = "free space in the folder for temporary files, or correct the names of the chart's files"
                    raise NylError(Code.CHART_FAILED, message, fix, location=call.location) from None
                self._written[content.digest] = folder
            return self._written[content.digest]

    def _values_file(self, values: Mapping[str, Any]) -> Path:
        text = values_text(values)
        path = self._scratch / f"values-{hashlib.sha256(text.encode()).hexdigest()}.json"
        with self._lock:
            if not path.exists():
                path.write_text(text, "utf-8")
        return path

    def _key(self, call: ChartCall) -> str:
        facts = [
            _VERSION,
            self._helm.identity,
            call.content.digest,
            call.release,
            call.namespace,
            call.kube_version,
            sorted(call.api_versions),
            values_text(call.values),
        ]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def values_text(values: Mapping[str, Any]) -> str:
    """Values as JSON that Helm's reader of YAML reads as JSON: what YAML takes for a line end is escaped."""
    text = json.dumps(values, ensure_ascii=False, sort_keys=True)
    return _ESCAPED.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def _arguments(call: ChartCall, folder: Path, values: Path) -> list[str]:
    arguments = ["template", call.release, str(folder), "--namespace", call.namespace, "--include-crds"]
    arguments += ["--values", str(values)]
    if call.kube_version is not None:
        # Helm 3 and 4 show charts the version 1.31 in different forms, and 1.31.0 in one.
        is_short = _SHORT_VERSION.fullmatch(call.kube_version)
        arguments += ["--kube-version", f"{call.kube_version}.0" if is_short else call.kube_version]
    for each in call.api_versions:
        arguments += ["--api-versions", each]
    return arguments


def _failed(call: ChartCall, content: ChartContent, why: str) -> NylError:
    missing = _missing_dependencies(content)
    fix = "correct the values or the chart; `helm template` with the same values shows the same"
    if missing:
        why += f"\nits dependencies {', '.join(missing)} are not in its folder charts/"
        fix = (
            "run `helm dependency build` on the chart and commit its folder charts/ (`git add -f` where it is ignored)"
        )
    message = f"{call.location}: {call.title}: helm cannot render the chart {call.reference}: {why}"
    return NylError(Code.CHART_FAILED, message, fix, location=call.location)


def _missing_dependencies(content: ChartContent) -> list[str]:
    from nyl.core.yamlio import load_document

    try:
        declared = load_document(content.files.get(CHART_FILE, b""), CHART_FILE)["dependencies"]
        names = [str(each["name"]) for each in declared]
    except (NylError, KeyError, TypeError):
        return []
    there = {path.split("/")[1] for path in content.files if path.startswith("charts/")}
    return [name for name in names if not any(each == name or each.startswith(f"{name}-") for each in there)]
