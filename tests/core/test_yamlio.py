import time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from nyl.core import yamlio
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError

_TRICKY = """
y n yes no on off ~ null 1e3 .inf 0644 0o7 1_000 22:22 2020-01-01 = << 12345678901234567890 1.10 True NULL -1 +1 0x1F
.5 1. - ? : # @ ` % & * ! | > [ ] { } , ' " 1e400 .nan 0b11 1:2 x: a:b
"""
_SPACED = ["", " ", " a", "a ", "a\n", "\n", "a\nb", "a \nb", " a\nb\n", "a\n\n", "ü", "😀"]
_LOSSY = "1.10 007 0644 1e400 1e3 0x1F 0o17 +1 -0 .5 1. .inf"
_BROKEN = ["a: 1\nb: [x\n", "a: b: c\n", "\ta: 1\n", "a: 'x\n", "- a\nb: 1\n", "a: *none\n", "%"]


def _load(text: str | bytes) -> Any:
    return yamlio.load_document(text.encode() if isinstance(text, str) else text, "f.yaml")


def _refusal(text: str | bytes) -> NylError:
    with pytest.raises(NylError) as caught:
        yamlio.load_documents(text.encode() if isinstance(text, str) else text, "f.yaml")
    assert caught.value.diagnostic.code is Code.YAML_INVALID
    return caught.value


def _line(error: NylError) -> int:
    location = error.diagnostic.location
    assert location is not None
    return location.line


@pytest.mark.parametrize("text", ["on", "no", "yes", "y", "2020-01-01", "22:22", "1_000", "=", "<<", "0b11", "1:2:3"])
def test_words_of_older_yaml_stay_strings(text: str) -> None:
    assert _load(f"a: {text}") == {"a": text}
    assert _load(f"{text}: a") == {text: "a"}


@pytest.mark.parametrize(
    ("text", "value"),
    [("~", None), ("", None), ("Null", None), ("TRUE", True), ("false", False), ("-17", -17), ("0", 0), ("1.5", 1.5)],
)
def test_the_core_schema_is_read(text: str, value: object) -> None:
    assert _load(f"a: {text}") == {"a": value}


def test_large_whole_numbers_are_exact() -> None:
    assert _load("a: 12345678901234567890123") == {"a": 12345678901234567890123}


@pytest.mark.parametrize(
    ("text", "also"),
    [("1.50", ", or write 1.5 to mean the number"), ("0644", ", or write 644 to mean the number"), ("1e400", "")],
)
def test_numbers_that_are_refused_say_how_to_write_them(text: str, also: str) -> None:
    with pytest.raises(NylError) as caught:
        yamlio.load_document(f"a: {text}".encode(), "x.yaml")
    assert caught.value.diagnostic.fix == f"write it in quotes to mean a string{also}"


@pytest.mark.parametrize(
    "text", ["1.10", "007", "0644", "1e400", "1e3", "0x1F", "0o17", "+1", "-0", ".5", "1.", ".inf"]
)
def test_numbers_that_would_lose_their_text_ask_for_quotes(text: str) -> None:
    error = _refusal(f"x: 1\na: {text}\n")
    assert _line(error) == 2
    assert text in error.diagnostic.message
    assert "quotes" in error.diagnostic.fix
    assert _load(f"a: '{text}'") == {"a": text}


@pytest.mark.parametrize("key", ["1", "true", "~", "1.10", "[a]", "{a: b}", "? "])
def test_keys_must_be_strings(key: str) -> None:
    assert "key" in _refusal(f"a: 1\n{key}: x\n").diagnostic.message


def test_duplicate_keys_name_both_lines() -> None:
    error = _refusal("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n")
    assert "line 3" in error.diagnostic.message
    assert "line 5" in error.diagnostic.message
    assert _line(error) == 5


def test_a_quoted_key_duplicates_a_plain_one() -> None:
    _refusal("a: 1\n'a': 2\n")


@pytest.mark.parametrize(
    "text", ["a: 1\nb: [x\n", "a: b: c\n", "\ta: 1\n", "a: 'x\n", "- a\nb: 1\n", "a: *none\n", "%"]
)
def test_broken_yaml_is_refused_with_its_place(text: str) -> None:
    assert _line(_refusal(text)) > 0


def test_a_character_that_yaml_forbids_is_named_with_its_line() -> None:
    error = _refusal("a: 1\nb: é\nc: \x07\n")
    assert "U+0007" in error.diagnostic.message
    assert _line(error) == 3


def test_byte_order_mark_and_crlf_change_nothing() -> None:
    text = "a: 1\nb: |\n  x\n  y\n"
    plain = _load(text)
    assert _load(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == plain


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ("a: 1".encode("utf-16"), "UTF-16"),
        ("a: 1".encode("utf-16-be"), "NUL"),
        ("a: 1".encode("utf-32"), "UTF-32"),
        ("a: ü".encode("latin-1"), "UTF-8"),
    ],
)
def test_other_encodings_are_refused_by_name(data: bytes, named: str) -> None:
    assert named in _refusal(data).diagnostic.message


def test_an_alias_bomb_is_refused_in_no_time() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    started = time.monotonic()
    assert "nodes" in _refusal("\n".join(lines)).diagnostic.message
    assert time.monotonic() - started < 5


def test_a_limit_on_nodes_can_be_given() -> None:
    with pytest.raises(NylError, match="more than 5 nodes"):
        yamlio.load_documents(b"[1, 2, 3, 4, 5, 6]", "f.yaml", 5)


@pytest.mark.parametrize("depth", [201, 900, 100_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    _refusal("[" * depth + "]" * depth)
    assert _load("[" * 150 + "]" * 150)


def test_an_alias_of_itself_is_refused() -> None:
    _refusal("a: &a [*a]")


def test_aliases_are_resolved_and_merge_keys_are_plain_keys() -> None:
    assert _load("a: &x {b: 1}\nc: *x\nd: {<<: *x}") == {"a": {"b": 1}, "c": {"b": 1}, "d": {"<<": {"b": 1}}}


@pytest.mark.parametrize("text", ["a: !!python/object:os.system x", "a: !x 1", "a: !!int '1'", "!!set {a}"])
def test_tags_are_refused(text: str) -> None:
    assert "tag" in _refusal(text).diagnostic.message


def test_a_string_tag_keeps_the_text() -> None:
    assert _load("a: !!str 1.10") == {"a": "1.10"}


def test_documents_know_their_lines() -> None:
    documents = yamlio.load_documents(b"# x\na: 1\n---\n\nb: 2\n---\n", "f.yaml")
    assert [(each.value, each.index) for each in documents] == [({"a": 1}, 0), ({"b": 2}, 1), (None, 2)]
    assert [each.line for each in documents][:2] == [2, 5]


def test_an_empty_file_has_no_documents() -> None:
    assert yamlio.load_documents(b"# nothing\n", "f.yaml") == []
    assert _load(b"") is None


def test_one_document_is_asked_for() -> None:
    with pytest.raises(NylError, match="2 YAML documents"):
        _load("a: 1\n---\nb: 1\n")


_PLACES = b"a: 1\n---\nspec:\n  list:\n  - x\n  - y: 1\n    z/w:\n      deep: 1\n"


@pytest.mark.parametrize(
    ("pointer", "line"),
    [("", 3), ("/spec", 3), ("/spec/list", 4), ("/spec/list/1", 6), ("/spec/list/1/z~1w/deep", 8), ("/spec/none/x", 3)],
)
def test_lines_of_values_are_found(pointer: str, line: int) -> None:
    assert yamlio.line_of(_PLACES, 1, pointer) == line


def test_a_file_that_cannot_be_read_has_no_lines() -> None:
    assert yamlio.line_of(b"a: [", 0, "/a") == 0


@pytest.mark.parametrize(
    "text", [*_TRICKY, "", " ", "loading...", " a", "a ", "a\n", "\n", "a\nb", "a \nb", " a\nb\n", "a\n\n", "ü", "😀"]
)
def test_strings_read_back_as_the_same_string_in_both_yaml_versions(text: str) -> None:
    for value in ({"k": text}, [text], {text: 1}):
        written = yamlio.dump(value)
        assert yaml.safe_load(written) == value
        assert yamlio.load_document(written.encode(), "f") == value


_PLAIN_DATA = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)


@given(_PLAIN_DATA)
def test_any_plain_data_reads_back(value: Any) -> None:
    written = yamlio.dump(value)
    assert yamlio.load_document(written.encode(), "f") == value
    assert yaml.safe_load(written) == value


@pytest.mark.parametrize("text", ["Prune=confirm", "a: b", "=", "a=", "key=value #"])
def test_only_what_needs_quotes_is_quoted(text: str) -> None:
    needed = text not in ("Prune=confirm", "a=")
    assert yamlio.dump([text]) == (f"- '{text}'\n" if needed else f"- {text}\n")


def test_output_is_stable_ordered_and_readable() -> None:
    value = {"b": 1, "a": {"list": ["x", {}], "text": "one\ntwo\n"}, "long": "word " * 100 + "end", "version": "1.10"}
    assert yamlio.dump(value) == (
        f"b: 1\na:\n  list:\n  - x\n  - {{}}\n  text: |\n    one\n    two\nlong: {'word ' * 100}end\nversion: '1.10'\n"
    )


@pytest.mark.parametrize("last", ["end", "end ", "end\n\n", " \n"])
def test_long_text_of_many_lines_is_written_at_once(last: str) -> None:
    text = "a long line of words\n\n\n  and another\n" * 300 + last
    assert yaml.safe_load(yamlio.dump({"text": text})) == {"text": text}


def test_keys_that_need_more_than_a_line_read_back() -> None:
    value = {"k" * 200: {"a": [1, {"b": "x\ny\n"}]}, "two\nlines": ["x", ["y"]], "é" * 70: "z"}
    assert yaml.safe_load(yamlio.dump(value)) == value


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {"a": ["\udfff"]}])
def test_what_yaml_cannot_hold_is_an_error(value: object) -> None:
    with pytest.raises(ValueError):
        yamlio.dump(value)


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": b"x"}, {"a": {1}}])
def test_what_is_no_plain_data_is_an_error(value: object) -> None:
    with pytest.raises(TypeError):
        yamlio.dump(value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\nb\n", "|\n  a\n  b\n"),
        ("a\nb\n\n", "|+\n  a\n  b\n\n"),
        ("ends with a space \n  \nend ", "|-\n  ends with a space \n    \n  end \n"),
        ("all:\n\tmake\t\n", "|\n  all:\n  \tmake\t\n"),
        ("😀\n\U0010ffff\n", "|\n  😀\n  \U0010ffff\n"),
        (" indented\nb\n", "|2\n   indented\n  b\n"),
        ("\n\nb\n", "|2\n\n\n  b\n"),
        ("\ue000 \n\ue001\ue800\uec00\n", "|\n  \ue000 \n  \ue001\ue800\uec00\n"),
        ("# no comment\n---\n...\n", "|\n  # no comment\n  ---\n  ...\n"),
    ],
)
def test_text_of_many_lines_is_a_literal_block(text: str, written: str) -> None:
    assert yamlio.dump({"a": text}) == f"a: {written}"


@pytest.mark.parametrize("text", ["a\r\nb", "a\n\x85b", "\tindented\nb", " \nb", "\n\n", "a\n\x07", "a\n\u2028"])
def test_what_a_block_cannot_hold_is_escaped_on_one_line(text: str) -> None:
    written = yamlio.dump({"a": text})
    assert written.count("\n") == 1
    assert yaml.safe_load(written) == {"a": text}


_PRIVATE = st.text(st.sampled_from("\n\n \t a#-:\ue000\ue001\ue002\ue800\uebff\uec00\uefff😀"))


@given(_PRIVATE, _PRIVATE)
def test_private_characters_stay_what_they_are(key: str, text: str) -> None:
    value = {key: [text, {"k": text}]}
    written = yamlio.dump(value)
    assert yamlio.load_document(written.encode(), "f") == value
    assert yaml.safe_load(written) == value
