"""Files that hold one document, as YAML 1.2 or JSON."""

from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.inputs.documents import read_document, value_at


@pytest.mark.parametrize(
    ("file", "data", "value"),
    [
        ("a.yaml", b"a: 1\n", {"a": 1}),
        ("a.yml", b"\xef\xbb\xbf--- \r\na: yes\r\n", {"a": "yes"}),
        ("images", b'{"a": 1}', {"a": 1}),
        ("a.yaml", b"just text", "just text"),
        ("a.yaml", b"", None),
        ("a.json", b'{"a": 1e5, "b": 1.50}', {"a": 100000.0, "b": 1.5}),
        ("a.json", b'\xef\xbb\xbf{"a": "\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ("a.json", b'{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
        ("a.json", b"\t[true, null]\r\n", [True, None]),
    ],
)
def test_one_document(file: str, data: bytes, value: Any) -> None:
    found = read_document(data, file)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("file", "data", "why"),
    [
        ("a.yaml", b"a: 1\n---\nb: 1\n", "2 YAML documents"),
        ("a.yaml", b"a: 1\na: 2\n", "a.yaml:2"),
        ("a.yaml", b"a: .nan\n", ".nan"),
        ("a.yaml", b"a: .inf\n", ".inf"),
        ("a.yaml", "a: 1".encode("utf-16"), "UTF-16"),
        ("a.json", b"", "a.json:1"),
        ("a.json", b'{"a": 1,\n "b": }', "a.json:2"),
        ("a.json", b'{"a": 1} {}', "a.json:1"),
        ("a.json", b'{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ("a.json", b"[NaN]", "NaN"),
        ("a.json", b"[-Infinity]", "-Infinity"),
        ("a.json", b"[1e999]", "too large"),
        ("a.json", b"[" + b"1" * 5000 + b"]", "too long"),
        ("a.json", b'["\\ud800"]', "surrogate"),
        ("a.json", b"[" * 100_000, "200 levels"),
        ("a.json", b"[" * 300 + b"]" * 300, "200 levels"),
        ("a.json", b"\xff", "not valid UTF-8"),
        ("a.json", b"# no comment\n{}", "a.json:1"),
        ("a.yaml", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n", "Git LFS"),
    ],
)
def test_what_is_not_one_document(file: str, data: bytes, why: str) -> None:
    with pytest.raises(NylError) as caught:
        read_document(data, file)
    assert caught.value.diagnostic.code is Code.YAML_INVALID
    assert why in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("pointer", "value"), [("", {"a": [{"b/c": None}]}), ("/a/0/b~1c", None), ("/a/0", {"b/c": None})]
)
def test_a_pointer_leads_to_a_value(pointer: str, value: Any) -> None:
    assert value_at({"a": [{"b/c": None}]}, pointer, "a.yaml") == value


@pytest.mark.parametrize("pointer", ["/b", "/a/1", "/a/-", "/a/0/b"])
def test_a_pointer_that_leads_to_nothing(pointer: str) -> None:
    with pytest.raises(NylError) as caught:
        value_at({"a": [{"b/c": None}]}, pointer, "a.yaml")
    assert caught.value.diagnostic.code is Code.INPUT_UNRESOLVED
    assert f"The pointer {pointer} leads to nothing in a.yaml." in caught.value.diagnostic.message
