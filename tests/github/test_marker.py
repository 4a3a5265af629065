import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.github.marker import BODY_LIMIT, has_marker, marked_body, marker, same_text


def test_the_marker_is_a_hidden_first_line() -> None:
    assert marked_body("plan", "# Plan\r\n\r\nfine\n\n") == "<!-- nyl:comment v1 key=plan -->\n# Plan\n\nfine"


@pytest.mark.parametrize("key", ["plan-dev", "a --> b", "<!--", "line\nbreak", "ünï", "a/b c", "%2D"])
def test_no_key_ends_the_marker_or_is_taken_for_another(key: str) -> None:
    line = marker(key)
    assert line.count("-->") == 1
    assert line.endswith(" -->")
    assert "\n" not in line
    assert has_marker(marked_body(key, "text"), key)
    assert not has_marker(marked_body(key, "text"), key + "x")


@pytest.mark.parametrize(
    "body",
    [
        None,
        "",
        "> <!-- nyl:comment v1 key=plan -->\n> quoted",
        "hello\n<!-- nyl:comment v1 key=plan -->",
        " <!-- nyl:comment v1 key=plan -->",
        "<!-- nyl:comment v2 key=plan -->",
        "<!-- nyl:comment v1 key=plan --> and more",
    ],
)
def test_only_a_first_line_that_is_the_marker_counts(body: str | None) -> None:
    assert not has_marker(body, "plan")


def test_line_ends_and_trailing_blanks_make_no_other_text() -> None:
    body = marked_body("plan", "one\ntwo")
    assert has_marker(body.replace("\n", "\r\n"), "plan")
    assert same_text(body.replace("\n", "\r\n") + "\n", body)
    assert not same_text(body + "!", body)


@pytest.mark.parametrize(("key", "text"), [("", "x"), ("  ", "x"), ("k" * 201, "x"), ("plan", ""), ("plan", " \n")])
def test_empty_and_endless_keys_and_bodies_are_refused(key: str, text: str) -> None:
    with pytest.raises(NylError) as raised:
        marked_body(key, text)
    assert raised.value.diagnostic.code is Code.COMMENT_INVALID


def test_the_limit_counts_bytes_with_the_marker() -> None:
    room = BODY_LIMIT - len(marker("plan")) - 1
    assert len(marked_body("plan", "x" * room).encode()) == BODY_LIMIT
    for text in ("x" * (room + 1), "ü" * (room // 2 + 1)):
        with pytest.raises(NylError, match="65536"):
            marked_body("plan", text)
