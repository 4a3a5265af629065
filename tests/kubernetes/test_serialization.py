from typing import Any

import pytest
import yaml

from nyl.core.diagnostics import Location
from nyl.kubernetes.manifests import Manifest
from nyl.kubernetes.serialization import manifest_bytes
from nyl.kubernetes.yaml_reading import read_manifests

_HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"


def _written(text: str) -> str:
    parsed = read_manifests(text, "f.yaml")[0]
    return manifest_bytes(Manifest(parsed.value, (), Location("f.yaml", 1))).decode()


def test_comments_stand_first_and_keys_are_ordered() -> None:
    value: dict[str, Any] = {"spec": {"b": 1, "a": 2}, "metadata": {"name": "a"}, "kind": "X", "apiVersion": "v1"}
    manifest = Manifest(value, ("apps/a.yaml", "HelmChart web (chart ./web)"), Location("apps/a.yaml"), "c/t/a.yaml")
    assert manifest_bytes(manifest).decode() == (
        "# Source: c/t/a.yaml\n# Nyl-Provenance: apps/a.yaml\n# Nyl-Provenance: HelmChart web (chart ./web)\n"
        "apiVersion: v1\nkind: X\nmetadata:\n  name: a\nspec:\n  b: 1\n  a: 2\n"
    )


def test_a_comment_never_leaves_its_line() -> None:
    manifest = Manifest({"kind": "X"}, ("a\nb: c\u2028\x85d",), Location("f"), "x\r\ny: z")
    assert yaml.safe_load(manifest_bytes(manifest)) == {"kind": "X"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1.10", "1.10"),
        ("1.0", "1.0"),
        ("0.50", "0.50"),
        (".5", ".5"),
        ("1.", "1."),
        ("1.5e+3", "1.5e+3"),
        ("1e3", "1.0e+3"),
        ("1e+06", "1.0e+06"),
        ("-.5", "-0.5"),
        ("1_0.50", "10.50"),
        ("+1.0", "1.0"),
        ("0644", "420"),
        ("1_000", "1000"),
        ("yes", "true"),
        ("12345678901234567890123", "12345678901234567890123"),
    ],
)
def test_numbers_keep_their_text_where_every_reader_takes_it_for_the_number(text: str, written: str) -> None:
    assert f"\nx: {written}\n" in _written(f"{_HEAD}x: {text}\n")
