from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.yaml_reading import read_manifests

_HEAD = "apiVersion: v1\nkind: ConfigMap\n"


def _words(text: str) -> list[str]:
    return text.split()


def _value(text: str) -> Any:
    return read_manifests(f"{_HEAD}x: {text}\n", "f.yaml")[0].value["x"]


def _refusal(text: str, first_line: int = 1) -> NylError:
    with pytest.raises(NylError) as caught:
        read_manifests(text, "f.yaml", first_line)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((word, True) for word in _words("y Y yes Yes YES true True TRUE on On ON")),
        *((word, False) for word in _words("n N no No NO false False FALSE off Off OFF")),
        *((word, None) for word in ("", "~", "null", "Null", "NULL")),
        *((word, word) for word in _words("tRUE oN yEs nULL = << 22:22 1:2:3 1e400 2020-01-01 2020-01-01T00:00:00Z")),
        *((word, word) for word in _words("1.2.3 + . _1 0x 0b2 0o8 1e .e1 -.e1 ٣")),
        *(("0644", 420), ("0o7", 7), ("0O17", 15), ("0b11", 3), ("0B11", 3), ("0x1F", 31), ("0X1f", 31)),
        *(("1_000", 1000), ("1__0", 10), ("+1", 1), ("-0", 0), ("-0x10", -16), ("0", 0), ("-17", -17)),
        *(("12345678901234567890", 12345678901234567890), ("-1234567890123456789012", -1234567890123456789012)),
        *(("1.10", 1.1), ("1e3", 1000.0), (".5", 0.5), ("-.5", -0.5), ("1.", 1.0), ("08", 8.0), ("1_0.5", 10.5)),
    ],
)
def test_plain_scalars_are_what_kubectl_takes_them_for(text: str, value: object) -> None:
    found = _value(text)
    assert found == value
    assert isinstance(found, type(value))


@pytest.mark.parametrize("text", ["'yes'", '"0644"', "!!str yes", "! on"])
def test_quoted_scalars_are_strings(text: str) -> None:
    assert isinstance(_value(text), str)


@pytest.mark.parametrize(
    ("text", "value"),
    [('!!int "5"', 5), ("!!float 1", 1.0), ('!!bool "yes"', True), ('!!null ""', None), ("!!binary aGk=", "hi")],
)
def test_types_that_are_named_hold(text: str, value: object) -> None:
    assert _value(text) == value


@pytest.mark.parametrize(
    "text", ["!!int x", "!!bool 1", "!!int yes", "!!binary '?'", "!!binary /w==", "!x y", "!!set {}"]
)
def test_other_tags_are_refused(text: str) -> None:
    assert _refusal(f"{_HEAD}x: {text}\n").diagnostic.code is Code.YAML_INVALID


@pytest.mark.parametrize("text", [".inf", "-.Inf", "+.INF", ".nan", "9" * 5_000, "0x" + "f" * 5_000])
def test_numbers_that_json_does_not_hold_are_refused(text: str) -> None:
    assert _refusal(f"{_HEAD}a: 1\nx: {text}\n").diagnostic.location.line == 4  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("on", "true"),
        ("n", "false"),
        ("1", "1"),
        ("0644", "420"),
        ("'on'", "on"),
        ("1.10", "1.1"),
        ("1.0", "1"),
        ("1234567.5", "1.2345675e+06"),
        ("1e-7", "1e-07"),
        ("123456.7", "123456.7"),
        ("0.0001", "0.0001"),
        ("-1.5", "-1.5"),
        ("16777217.0", "1.6777216e+07"),
        ("2020-01-01", "2020-01-01"),
        ("1e5", "100000"),
    ],
)
def test_keys_become_strings_as_for_kubectl(key: str, text: str) -> None:
    assert _value(f"{{{key}: v}}") == {text: "v"}


@pytest.mark.parametrize("key", ["~", "? [a]", "? {a: b}", "1e300"])
def test_keys_that_kubectl_refuses_are_refused(key: str) -> None:
    assert "key" in _refusal(f"{_HEAD}x: {{{key} : v}}\n").diagnostic.message


def test_a_key_that_stands_twice_is_refused_with_both_lines() -> None:
    error = _refusal(f"{_HEAD}data:\n  a: 1\n  b: 2\n  a: 3\n", first_line=11)
    assert error.diagnostic.code is Code.YAML_INVALID
    assert "line 14 and again on line 16" in error.diagnostic.message
    assert str(error.diagnostic.location) == "f.yaml:16"


def test_two_spellings_of_one_key_stand_twice() -> None:
    assert "'true'" in _refusal(f"{_HEAD}data: {{on: 1, yes: 2}}\n").diagnostic.message


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{<<: *m, p: 9}", {"p": 9, "q": 2}),
        ("{p: 9, <<: *m}", {"p": 1, "q": 2}),
        ("{<<: [*m, {q: 5, r: 6}]}", {"p": 1, "q": 2, "r": 6}),
        ("{'<<': 1}", {"<<": 1}),
        ("{<<: *m, <<: {c: 3}}", {"p": 1, "q": 2, "c": 3}),
    ],
)
def test_merge_keys_merge_as_kubectl_merges_them(text: str, value: object) -> None:
    found = read_manifests(f"{_HEAD}m: &m {{p: 1, q: 2}}\nx: {text}\n", "f.yaml")[0].value
    assert found["x"] == value
    assert found["m"] == {"p": 1, "q": 2}


@pytest.mark.parametrize("text", ["5", "~", "[1]"])
def test_only_mappings_are_merged(text: str) -> None:
    assert "<<" in _refusal(f"{_HEAD}x: {{<<: {text}}}\n").diagnostic.message


def test_documents_know_their_lines_and_empty_ones_are_left_out() -> None:
    text = f"# nothing\n---\n{_HEAD}---\n# nothing\n---\n\n{_HEAD}"
    assert [(each.line, each.index) for each in read_manifests(text, "f.yaml")] == [(3, 0), (9, 2)]
    assert [each.line for each in read_manifests(text, "f.yaml", first_line=100)] == [102, 108]


def test_the_source_that_helm_notes_above_a_document_is_kept() -> None:
    text = (
        f"# Source: c/templates/a.yaml\n{_HEAD}---\n# Source: c/templates/b.yaml\n# more\n\n{_HEAD}---\n{_HEAD}"
        f"x: |\n  # Source: text\n# Source: late\n---\n{_HEAD}--- # x\n# more\n# Source: c/d.yaml \r\n{_HEAD}"
    )
    sources = [each.helm_source for each in read_manifests(text, "f.yaml")]
    assert sources == ["c/templates/a.yaml", "c/templates/b.yaml", None, None, "c/d.yaml"]


def test_lists_become_their_objects() -> None:
    text = """# Source: c/list.yaml
apiVersion: v1
kind: List
metadata:
items:
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}
- apiVersion: v1
  kind: ConfigMapList
  items:
  - {metadata: {name: b}}
  - {apiVersion: v1, kind: Secret, metadata: {name: c}}
---
{apiVersion: v1, kind: List}
"""
    found = read_manifests(text, "f.yaml")
    assert [(each.value["kind"], each.value["metadata"]["name"]) for each in found] == [
        ("ConfigMap", "a"),
        ("ConfigMap", "b"),
        ("Secret", "c"),
    ]
    assert {(each.line, each.helm_source, each.index) for each in found} == {(2, "c/list.yaml", 0)}
    assert found[1].value["apiVersion"] == "v1"


def test_a_kind_that_ends_like_a_list_is_an_object_of_its_own() -> None:
    (found,) = read_manifests("{apiVersion: example.com/v1, kind: AllowList, metadata: {name: a}}", "f.yaml")
    assert found.value["kind"] == "AllowList"


@pytest.mark.parametrize(
    "text",
    [
        "text",
        "- 1",
        "{}",
        "{apiVersion: v1}",
        "{kind: ConfigMap}",
        "{apiVersion: 1, kind: ConfigMap}",
        "{apiVersion: v1, kind: ''}",
        "{apiVersion: a/b/c, kind: X}",
        "{apiVersion: /v1, kind: X}",
        "{apiVersion: v1, kind: X, metadata: }",
        "{apiVersion: v1, kind: X, metadata: []}",
        "{apiVersion: v1, kind: X, metadata: {name: 5}}",
        "{apiVersion: v1, kind: X, metadata: {name: a, namespace: yes}}",
        "{apiVersion: v1, kind: List, items: {}}",
        "{apiVersion: v1, kind: List, items: [1]}",
    ],
)
def test_documents_that_are_no_objects_are_refused_with_their_place(text: str) -> None:
    error = _refusal(f"{_HEAD}---\n{text}\n", first_line=5)
    assert error.diagnostic.code is Code.MANIFEST_INVALID
    assert str(error.diagnostic.location) == "f.yaml:8"


@pytest.mark.parametrize("text", ["a: [}", "a: \ud800", "a: \0", "a: \x01", "[" * 500, "{{ x }}"])
def test_what_is_no_yaml_is_refused_with_its_place(text: str) -> None:
    error = _refusal(f"\n{text}", first_line=10)
    assert error.diagnostic.code is Code.YAML_INVALID
    assert str(error.diagnostic.location) == "f.yaml:11"


def test_only_what_aliases_repeat_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nyl.kubernetes.yaml_reading.ALIAS_LIMIT", 10)
    assert len(_value(f"[{','.join('1' * 1_000)}]")) == 1_000
    assert "nodes" in _refusal(f"{_HEAD}x: [&a [1, 1, 1, 1], {','.join(['*a'] * 100)}]\n").diagnostic.message


def test_a_text_of_many_documents_is_read_whole() -> None:
    text = f"# Source: c/t.yaml\n{_HEAD}metadata: {{name: a}}\n---\n" * 2_000
    found = read_manifests(text, "f.yaml")
    assert len(found) == 2_000
    assert {each.helm_source for each in found} == {"c/t.yaml"}


def test_an_alias_bomb_is_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "nodes" in _refusal("\n".join(lines)).diagnostic.message
