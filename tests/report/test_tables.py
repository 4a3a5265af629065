from nyl.report.plaintext import lines, one_line
from nyl.report.tables import table


def test_columns_are_two_blanks_apart_without_trailing_blanks() -> None:
    assert table(("A", "BB"), [("long", ""), ("x", "y")]) == "A     BB\nlong\nx     y\n"


def test_wide_characters_take_two_cells() -> None:
    assert table(("A", "B"), [("日本", "x"), ("abcd", "y")]) == "A     B\n日本  x\nabcd  y\n"


def test_control_characters_are_shown_as_escapes() -> None:
    assert one_line("a\x1b[31m\x00\x9b\u2028\ud800é") == "a\\x1b[31m\\x00\\x9b\\u2028\\ud800é"


def test_each_line_of_a_text_is_safe() -> None:
    assert lines("one\r\ntwo\tthree\x07") == ["one", "two three\\x07"]
