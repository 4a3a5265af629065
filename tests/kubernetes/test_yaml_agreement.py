"""What is written means the same to every reader, kubectl among them."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from nyl.core.diagnostics import Location
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.serialization import manifest_bytes
from nyl.kubernetes.yaml_reading import read_manifests
from tests.support.kubernetes_tools import kubectl


def _split(text: str) -> list[str]:
    return text.split()


_HEAD = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
_WORDS = _split("""
y n yes no on off Y N ~ null true false 1e3 1e+06 .inf -.inf .nan 0644 0o7 0b11 0x1F 1_000 22:22 1:30:00 2020-01-01
2020-01-01T10:00:00Z = << 12345678901234567890 1.10 1. .5 -.5 +1 -0 08 1e400 - ? : # @ ` % & * ! | > [ ] { } , ' " a:
:a a:b -a ?a &a *a !a %a @a `a --- ... {{x}} {% %} nan inf Infinity _ _1 1_ 0 00 0_8 ٣ ½ \\ \\n é 😀 \ue000
""")
_TEXTS = [
    *_WORDS,
    "",
    " ",
    "a b",
    "a #b",
    "a: b",
    "a ",
    " a",
    "\t",
    "a\nb",
    "a\nb\n",
    "a \n\n",
    "\ta\nb",
    "\n",
    "a\r\nb",
]
_NUMBERS = _split("""
1.10 1.0 0.50 .5 -.5 1. 1e3 1e+06 1.5e-7 0644 0o7 0b11 0x1F 1_000 1_0.50 +1 -0 -0.0 08 09.5 12345678901234567890 +.5
-1E4 1e22
""")
_STRINGS = st.text(st.characters(exclude_categories=["Cs"])) | st.text(st.sampled_from("\n \t a:#-'\"|>\ue000😀\u2028"))


def _ruamel(data: bytes) -> Any:
    return YAML(typ="safe", pure=True).load(data)


def _kubectl_rules(data: bytes) -> Any:
    return read_manifests(data.decode(), "f.yaml")[0].value


_READERS: list[Callable[[bytes], Any]] = [yaml.safe_load, _ruamel, _kubectl_rules]


def _bytes(**fields: Any) -> bytes:
    return manifest_bytes(Manifest({**_HEAD, **fields}, ("a.yaml",), Location("a.yaml", 1), "c/a.yaml"))


@pytest.mark.parametrize("reader", _READERS)
@pytest.mark.parametrize("text", _TEXTS)
def test_every_string_reads_back_as_the_same_string(text: str, reader: Callable[[bytes], Any]) -> None:
    fields = {"x": text, "list": [text, [text, {"k": text}]], "m": {text: {f"{text}k": text}}}
    assert reader(_bytes(**fields)) == {**_HEAD, **fields}


@given(_STRINGS, _STRINGS)
def test_any_string_reads_back_as_the_same_string(key: str, text: str) -> None:
    fields = {"x": {key: [text, {"k": text, "l": [[text]]}]}, "y": text}
    written = _bytes(**fields)
    for reader in _READERS:
        assert reader(written) == {**_HEAD, **fields}


@pytest.mark.parametrize("text", _NUMBERS)
def test_every_number_is_the_same_number_to_all(text: str) -> None:
    value = read_manifests(f"apiVersion: v1\nkind: X\nx: {text}\n", "f.yaml")[0].value["x"]
    written = _bytes(x=value)
    found = [reader(written)["x"] for reader in _READERS]
    assert found == [value] * len(_READERS)
    assert {type(each) for each in found} <= {int, float} | {type(value)}


def test_long_strings_are_not_folded() -> None:
    words = "word " * 500 + "end"
    lines = [words, f"it's {words}", f"{words}: x", f"\x07{words}"]
    assert len(_bytes(x=lines).splitlines()) == 7 + len(lines)


def _read_by_kubectl(text: str, folder: Path) -> Any:
    """What kubectl prints of a file that it reads without a cluster."""
    file = folder / "manifest.yaml"
    file.write_text(text)
    command = [kubectl(), "annotate", "--local", "-f", file, "read=yes", "-o", "json"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    del found["metadata"]["annotations"]
    return found


def test_kubectl_reads_every_string_as_it_was(tmp_path: Path) -> None:
    fields = {"x": _TEXTS, "m": {f"{text}k": text for text in _TEXTS}}
    assert _read_by_kubectl(_bytes(**fields).decode(), tmp_path) == {**_HEAD, **fields}


def test_what_is_read_is_what_kubectl_reads(tmp_path: Path) -> None:
    # kubectl turns numbers beyond 64 bits into floats, of which nyl keeps every digit.
    words = [text for text in _WORDS if text[0] not in "-?:#@`%&*!|>[]{},.'\"" and not text.endswith(":")]
    scalars = "".join(f"- {text}\n" for text in [*words, *_NUMBERS] if text != "12345678901234567890")
    keys = (
        "{0644: a, on: b, 1.10: c, 1234567.5: d, 1e3: e, 1e-7: f, 123456.7: g, -1.5: h, 16777217.0: i, n: j, 0x1F: k}"
    )
    merges = "a: &m {p: 1, q: 2}\nb: {p: 9, <<: *m}\nc: {<<: *m, p: 9}\nd: {<<: [*m, {q: 5, r: 6}]}\ne: {'<<': 1}\n"
    tags = 'f: [!!int "5", !!str 5, !!bool "yes", !!float 1, !!binary aGk=, !!timestamp 2020-01-01, !!null ""]\n'
    text = f"apiVersion: v1\nkind: X\nmetadata: {{name: a}}\nx:\n{scalars}y: {keys}\n{merges}{tags}"
    ours = read_manifests(text, "f.yaml")[0].value
    assert _read_by_kubectl(text, tmp_path) == ours
