"""The lines that Git gives a pre-push hook."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.git.pushes import PushedRef, parse_push

A, B, NULL = "a" * 40, "b" * 40, "0" * 40
LONG = "c" * 64


@pytest.mark.parametrize(
    ("line", "pushed"),
    [
        (f"refs/heads/x {A} refs/heads/x {B}", PushedRef("refs/heads/x", A, B)),
        (f"refs/heads/x {A} refs/heads/x {NULL}", PushedRef("refs/heads/x", A, None)),
        (f"(delete) {NULL} refs/heads/x {B}", PushedRef("refs/heads/x", None, B)),
        (f"HEAD~1 {A} refs/tags/v1 {NULL}", PushedRef("refs/tags/v1", A, None)),
        (f"HEAD@{{2 days ago}} {A} refs/heads/x {B}", PushedRef("refs/heads/x", A, B)),
        (f"refs/heads/x {LONG} refs/heads/x {'0' * 64}", PushedRef("refs/heads/x", LONG, None)),
    ],
)
def test_a_line_tells_of_a_ref(line: str, pushed: PushedRef) -> None:
    assert parse_push(f"{line}\n".encode()) == (pushed,)


def test_there_may_be_none_or_several() -> None:
    line = f"x {A} refs/heads/x {B}\n"
    assert parse_push(b"") == ()
    assert len(parse_push((line * 2).encode())) == 2


@pytest.mark.parametrize(
    "line",
    [
        "refs/heads/x",
        f"refs/heads/x {A} refs/heads/x",
        f"refs/heads/x {A} main {B}",
        f"refs/heads/x {A[:7]} refs/heads/x {B}",
        f"refs/heads/x {A.upper()} refs/heads/x {B}",
        "\x00\xff",
    ],
)
def test_anything_else_is_refused_rather_than_left_unchecked(line: str) -> None:
    with pytest.raises(NylError) as caught:
        parse_push(f"x {A} refs/heads/x {B}\n{line}\n".encode("latin-1"))
    assert caught.value.diagnostic.code is Code.PUSH_INPUT
    assert "--no-verify" in caught.value.diagnostic.fix
