"""Fixes for words that were mistyped."""

import pytest

from nyl.core.suggestions import did_you_mean, nearest, suggest


@pytest.mark.parametrize(
    ("word", "known", "fix"),
    [
        ("databse", ["cache", "database"], "did you mean database?"),
        ("Command", ["command"], "did you mean command?"),
        ("zzz", ["web", "cache"], "choose from: cache, web"),
        ("zzz", [], "declare one first: there is no unit yet"),
    ],
)
def test_a_fix_names_the_nearest_word_or_all_there_are(word: str, known: list[str], fix: str) -> None:
    assert suggest(word, known, "unit") == fix


def test_of_many_words_only_some_are_named() -> None:
    assert suggest("zzz", [f"unit-{number:02}" for number in range(30)], "unit").endswith("unit-11, …")


def test_nothing_is_meant_by_a_word_that_is_like_no_other() -> None:
    assert nearest("zzz", ["web"]) is None
    assert did_you_mean("zzz", ["web"], "look it up") == "look it up"
