import pytest

from nyl.core.pointers import get, join, replace, split

_VALUE = {"a": [{"b/c": 1}, {"d~e": {"": 2}}], "0": "zero"}


@pytest.mark.parametrize(
    ("pointer", "value"), [("", _VALUE), ("/a/0/b~1c", 1), ("/a/1/d~0e/", 2), ("/0", "zero"), ("/a/1", _VALUE["a"][1])]
)
def test_pointers_lead_to_values(pointer: str, value: object) -> None:
    assert get(_VALUE, pointer) == value


@pytest.mark.parametrize("pointer", ["/b", "/a/2", "/a/00", "/a/-", "/a/-1", "/a/x", "/0/z", "/a/²"])
def test_nothing_there_is_a_key_error(pointer: str) -> None:
    with pytest.raises(KeyError):
        get(_VALUE, pointer)
    with pytest.raises(KeyError):
        replace(_VALUE, pointer, 1)


@pytest.mark.parametrize("pointer", ["a", "/a~2", "/~"])
def test_what_is_no_pointer_is_a_value_error(pointer: str) -> None:
    with pytest.raises(ValueError):
        get(_VALUE, pointer)


def test_joined_keys_split_again() -> None:
    keys = ("a/b", "~1", 3, "", "ü")
    assert split(join("/x", *keys)) == ("x", *map(str, keys))


def test_replacing_leaves_the_original_alone() -> None:
    changed = replace(_VALUE, "/a/0/b~1c", 9)
    assert changed["a"][0] == {"b/c": 9}
    assert _VALUE["a"][0] == {"b/c": 1}
    assert changed["a"][1] is _VALUE["a"][1]
    assert replace(_VALUE, "", 1) == 1
