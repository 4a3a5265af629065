"""Lists of names in sentences."""

from nyl.core.enumerations import enumerated


def test_long_lists_are_cut() -> None:
    assert enumerated(["a", "b"], 2) == "a, b"
    assert enumerated(["a", "b", "c", "d", "e"], 2) == "a, b and 3 more"
