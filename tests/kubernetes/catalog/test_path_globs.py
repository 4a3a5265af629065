import pytest

from nyl.kubernetes.catalog.path_globs import glob_matches, parsed_glob


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("spec.info", ["spec", "info"]),
        ("spec.*", ["spec", "info"]),
        ("spec.**", ["spec", "info", "0", "name"]),
        ("spec.info.**", ["spec", "info"]),
        ("**", ["a", "b"]),
        ("**.name", ["a", "b", "name"]),
        ("a.**.z", ["a", "z"]),
        ("a.**.b.**.z", ["a", "b", "x", "b", "y", "z"]),
        ('metadata.annotations."example.com/*"', ["metadata", "annotations", "example.com/a.b"]),
        ('metadata.annotations."example.com/owner"', ["metadata", "annotations", "example.com/owner"]),
        ("spec.ignore*", ["spec", "ignoreDifferences"]),
        ("a.[b]", ["a", "[b]"]),
    ],
)
def test_a_pattern_matches_whole_paths(pattern: str, path: list[str]) -> None:
    assert glob_matches(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("spec", ["spec", "info"]),
        ("spec.*", ["spec", "info", "name"]),
        ("spec.*", ["spec"]),
        ("metadata.annotations.example.com/owner", ["metadata", "annotations", "example.com/owner"]),
        ('"**"', ["a", "b"]),
        ("a.?", ["a", "b"]),
        ("Spec", ["spec"]),
    ],
)
def test_and_nothing_else(pattern: str, path: list[str]) -> None:
    assert not glob_matches(pattern, path)


@pytest.mark.parametrize("pattern", ["", ".", "a.", ".a", "a..b", '"a', 'a."b', '""', 'a"b"'])
def test_what_is_no_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="no pattern"):
        parsed_glob(pattern)


def test_many_wildcards_take_no_time() -> None:
    assert not glob_matches(".".join(["**", "a"] * 40), ["a"] * 39)
