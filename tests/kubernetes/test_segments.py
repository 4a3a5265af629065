import re
from urllib.parse import unquote

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nyl.kubernetes.segments import LIMIT, encode_segment

_SAFE = re.compile(r"(?!\.)[A-Za-z0-9.%_-]+(?<!\.)")
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}
_NAMES = st.text(min_size=1, max_size=400).filter(lambda name: not re.search("[\ud800-\udfff]", name))


@pytest.mark.parametrize(
    ("name", "segment"),
    [
        ("web", "web"),
        ("A-z.0-9", "A-z.0-9"),
        ("system:aggregate-to-admin", "system%3Aaggregate-to-admin"),
        ("a_b", "a%5Fb"),
        ("100%", "100%25"),
        ("a/b\\c", "a%2Fb%5Cc"),
        ("ü", "%C3%BC"),
        ("a b", "a%20b"),
        (".git", "%2Egit"),
        ("..", "%2E%2E"),
        (".", "%2E"),
        ("end.", "end%2E"),
        ("~", "%7E"),
    ],
)
def test_what_is_not_safe_is_percent_encoded(name: str, segment: str) -> None:
    assert encode_segment(name) == segment


@pytest.mark.parametrize("name", ["con", "CON", "Aux", "nul.txt", "com0", "COM9.x.y", "lpt1", "prn"])
def test_device_names_have_their_first_character_encoded(name: str) -> None:
    assert encode_segment(name) == f"%{ord(name[0]):02X}{name[1:]}"


@pytest.mark.parametrize("name", ["console", "com", "com10", "xcon", "a.con", "con-1"])
def test_names_that_only_resemble_devices_are_unchanged(name: str) -> None:
    assert encode_segment(name) == name


def test_a_device_name_before_the_suffix_is_encoded() -> None:
    assert encode_segment("con", ".yaml") == "%63on.yaml"


@pytest.mark.parametrize(("length", "suffix"), [(255, ""), (250, ".yaml")])
def test_the_longest_name_that_fits_is_unchanged(length: int, suffix: str) -> None:
    assert encode_segment("a" * length, suffix) == "a" * length + suffix


def test_a_longer_name_keeps_its_first_characters_and_a_digest() -> None:
    segment = encode_segment("a" * 251, ".yaml")
    assert len(segment) == LIMIT
    assert re.fullmatch("a{233}_[0-9a-f]{16}\\.yaml", segment)
    assert segment != encode_segment("a" * 252, ".yaml")


@pytest.mark.parametrize("length", range(228, 236))
def test_no_escape_is_cut(length: int) -> None:
    stem = encode_segment("a" * length + ":" * 30, ".yaml").rpartition("_")[0]
    assert re.fullmatch("a+(%3A)*", stem)


def test_an_empty_name_is_no_segment() -> None:
    with pytest.raises(ValueError, match="empty"):
        encode_segment("")


@given(_NAMES, st.sampled_from(["", ".yaml"]))
@example("con.", "")
def test_every_segment_is_safe_and_names_can_be_read_back(name: str, suffix: str) -> None:
    segment = encode_segment(name, suffix)
    assert _SAFE.fullmatch(segment)
    assert len(segment) <= LIMIT
    assert segment.split(".")[0].lower() not in _DEVICES
    if "_" not in segment:
        assert unquote(segment.removesuffix(suffix)) == name


@given(_NAMES, _NAMES)
def test_different_names_have_different_segments(first: str, second: str) -> None:
    assert (encode_segment(first) == encode_segment(second)) is (first == second)
