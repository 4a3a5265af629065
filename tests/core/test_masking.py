"""Secrets are hidden in every form in which tools print them."""

import base64
import html
import json
import re
import textwrap
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.masking import Masker

SECRET = "p@ss w/rd+\"'<é>"
PEM = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0\n  4uJ8sT2bPq5rXvYw7ZkL\r\n-----END KEY-----\n"


@pytest.mark.parametrize(
    "form",
    [
        SECRET,
        json.dumps(SECRET)[1:-1],
        json.dumps(SECRET, ensure_ascii=False)[1:-1],
        json.dumps(json.dumps(SECRET)),
        json.dumps(SECRET)[1:-1].replace("/", "\\/"),
        quote(SECRET),
        quote(SECRET, safe=""),
        re.sub("%..", lambda found: found[0].lower(), quote(SECRET, safe="")),
        quote_plus(SECRET),
        html.escape(SECRET),
        SECRET.replace("'", "'\\''"),
        SECRET.encode().hex(),
        SECRET.encode().hex().upper(),
    ],
)
def test_every_way_of_writing_a_secret_is_hidden(form: str) -> None:
    assert "***" in Masker([SECRET]).mask(f"it is {form}!")
    assert form not in Masker([SECRET]).mask(f"it is {form}!")


@pytest.mark.parametrize("before", ["", "u", "us", "user:"])
@pytest.mark.parametrize("after", ["", "\n", ":x", "..."])
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_is_hidden_whatever_stands_around_the_secret(before: str, after: str, encode: object) -> None:
    secret = "s3cr\xff-token~?>value"
    assert callable(encode)
    encoded = encode((before + secret + after).encode()).decode()

    hidden = Masker([secret]).mask(f"Basic {encoded}")

    assert hidden.startswith("Basic ")
    assert len(hidden.replace("***", "")) <= len("Basic ") + (len(before) + len(after)) * 4 // 3 + 6


def test_each_line_of_a_secret_is_hidden_by_itself() -> None:
    masker = Masker([PEM])

    begin, *body, end = [masker.mask(line) for line in PEM.splitlines()]

    assert body == ["***", "  ***"]
    assert (begin, end) == ("-----BEGIN KEY-----", "-----END KEY-----")
    assert masker.mask("key MIIEvQIBADANBgkqhkiG9w0.") == "key ***."


@pytest.mark.parametrize("width", [64, 76])
def test_base64_that_is_wrapped_is_hidden_line_by_line(width: int) -> None:
    secret = "0123456789abcdefghijklmnopqrstuvwxyz" * 7
    wrapped = textwrap.wrap(base64.b64encode(secret.encode()).decode(), width)

    for line in wrapped:
        assert len(Masker([secret]).mask(line)) <= 3 + 3


@pytest.mark.parametrize("secret", ["", "a", "ab", "abc", "\n", " a "])
def test_very_short_values_do_not_blank_out_ordinary_text(secret: str) -> None:
    assert Masker([secret]).mask("a banana, abc and ab") == "a banana, abc and ab"


def test_the_longer_of_two_secrets_is_hidden_whole() -> None:
    assert Masker(["token", "token-extended"]).mask("token-extended token") == "*** ***"


def test_secrets_can_be_added_later() -> None:
    masker = Masker()
    assert masker.mask("hunter22") == "hunter22"

    masker.add("hunter22")
    masker.add_value({"deep": ["sesame", 12345678, 5432, True, None]})

    assert masker.mask("hunter22 sesame 12345678 5432 True deep") == "*** *** *** 5432 True deep"


def test_characters_that_mean_something_to_a_pattern_are_only_characters() -> None:
    assert Masker(["a.*b"]).mask("axxb a.*b") == "axxb ***"


@given(st.text(min_size=4), st.text(), st.text())
def test_a_masked_text_never_holds_the_secret(secret: str, before: str, after: str) -> None:
    if "*" not in secret:
        assert secret not in Masker([secret]).mask(before + secret + after)


@given(st.lists(st.sampled_from(["secret-one", "one-two-three", "x", "-", "secret", "two"])), st.integers(1, 30))
def test_a_text_split_anywhere_is_masked_as_if_it_were_whole(parts: list[str], size: int) -> None:
    masker = Masker(["secret-one", "one-two-three"])
    text = "".join(parts)
    shown, rest = "", ""
    for start in range(0, len(text), size):
        more, rest = masker.split(rest + text[start : start + size])
        shown += more

    whole = shown + masker.mask(rest)

    assert "secret-one" not in whole
    assert "one-two-three" not in whole
    assert whole.replace("***", "") == masker.mask(text).replace("***", "")


def test_what_reveals_a_secret_is_a_value_that_holds_it() -> None:
    masker = Masker(["hunter2222", "admin"])

    assert masker.reveals("db://u:hunter2222@host")
    assert masker.reveals({"a": ["hunter2222"]})
    assert masker.reveals({"hunter2222": 1})
    assert masker.reveals("admin")
    assert not masker.reveals("https://admin.example.com")
    assert not masker.reveals({"a": [1, None, True, "x"]})


@pytest.mark.parametrize("width", [40, 60, 64, 76])
@pytest.mark.parametrize("indent", ["", "    "])
def test_a_long_form_is_hidden_although_a_tool_wrapped_it_into_lines(width: int, indent: str) -> None:
    token = "github_pat_" + "".join(map(chr, range(65, 91))) * 3
    for text in (f"user {token}", base64.b64encode(f"user:{token}".encode()).decode(), token.encode().hex()):
        lines = [text[start : start + width] for start in range(0, len(text), width)]
        shown = Masker([token]).mask("\n".join(indent + line for line in ["before", *lines, "after"]))
        assert len(shown.splitlines()) == len(lines) + 2
        assert all(len(line.strip()) < 16 for line in shown.splitlines())
        assert shown.startswith(f"{indent}before\n")
