"""Ignore files as Docker's builders read them.

`tests/units/images/test_staging.py` holds the same against a builder.
"""

import pytest

from nyl.units.ignoring import IgnoreFileInvalid, ignore_rules

TREE = """
!bang #hash .hidden Dockerfile a.txt a^b b.md d+(1) dir/a dir/b.md dir/sub/a dir/sub/deep/x.md foo.d/one
node_modules/x pkg/node_modules/keep/z pkg/node_modules/y sub/temp temp tempA x[1] xb ü/é
"""
FILES = tuple(TREE.split())


def ignored(text: str) -> str:
    """The files that an ignore file leaves out."""
    rules = ignore_rules(text.encode())
    return " ".join(each for each in FILES if rules.ignores(each))


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("", ""),
        ("# a comment\n\n   \n", ""),
        ("#hash", ""),
        ("\\#hash", "#hash"),
        (" #hash", "#hash"),
        ("\\!bang", "!bang"),
        ("*.md", "b.md"),
        ("**/*.md", "b.md dir/b.md dir/sub/deep/x.md"),
        ("dir/**/*.md", "dir/b.md dir/sub/deep/x.md"),
        ("dir/*", "dir/a dir/b.md dir/sub/a dir/sub/deep/x.md"),
        ("dir/sub", "dir/sub/a dir/sub/deep/x.md"),
        ("/dir/sub/", "dir/sub/a dir/sub/deep/x.md"),
        ("./dir/../dir//sub", "dir/sub/a dir/sub/deep/x.md"),
        ("../dir", ""),
        ("a", ""),
        ("  temp  \r", "temp"),
        ("temp?", "tempA"),
        ("*/temp", "sub/temp"),
        ("node_modules", "node_modules/x"),
        ("**/**/**/node_modules", "node_modules/x pkg/node_modules/keep/z pkg/node_modules/y"),
        ("dir**", "dir/a dir/b.md dir/sub/a dir/sub/deep/x.md"),
        ("**a", "dir/a dir/sub/a"),
        ("**/node_modules", "node_modules/x pkg/node_modules/keep/z pkg/node_modules/y"),
        ("**/node_modules\n!pkg/node_modules/keep", "node_modules/x pkg/node_modules/y"),
        ("dir\n!dir/sub/a", "dir/a dir/b.md dir/sub/deep/x.md"),
        ("dir\n! dir/sub\ndir/sub/deep", "dir/a dir/b.md dir/sub/deep/x.md"),
        ("!dir\ndir/a", "dir/a"),
        ("x[1]", ""),
        ("x\\[1\\]", "x[1]"),
        ("x[a-c]", "xb"),
        ("x[^b]", ""),
        ("d+(1)", "d+(1)"),
        ("a^b", "a^b"),
        ("foo.d", "foo.d/one"),
        ("foo?d", "foo.d/one"),
        ("ü/?", "ü/é"),
        (".", ""),
        ("..", ""),
        ("\ufeffb.md", "b.md"),
        (".*", ".hidden"),
    ],
)
def test_patterns(text: str, left_out: str) -> None:
    assert ignored(text) == left_out


@pytest.mark.parametrize("text", ["*", "**", "***", "*\n.", "/*"])
def test_everything_can_be_left_out(text: str) -> None:
    assert ignored(text) == " ".join(FILES)


def test_exceptions_to_everything_bring_files_back_at_any_depth() -> None:
    rules = ignore_rules(b"*\n!**/*.md\n!/dir/a\n")
    assert {each for each in FILES if not rules.ignores(each)} == {
        "b.md",
        "dir/a",
        "dir/b.md",
        "dir/sub/deep/x.md",
    }


def test_names_that_are_no_text_are_matched_by_their_bytes() -> None:
    assert ignore_rules(b"caf\xe9*").ignores("caf\udce9.txt")


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("x[", "has a [ without its ]"),
        ("x[a", "has a [ without its ]"),
        ("x[]", "has a class of characters that no builder understands"),
        ("x[z-a]", "has the range z-a, which is empty"),
        ("a\\", "ends with a backslash"),
        ("x[\\", "has a [ without its ]"),
        ("!", "is an exception without a pattern"),
        ("!  ", "is an exception without a pattern"),
    ],
)
def test_a_malformed_pattern_is_named_by_its_line(line: str, problem: str) -> None:
    with pytest.raises(IgnoreFileInvalid, match=r"^line 2 ") as caught:
        ignore_rules(f"ok\n{line}\n".encode())
    assert str(caught.value) == f"line 2 {problem}"
