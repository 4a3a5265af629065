"""Names with their articles."""

import pytest

from nyl.core.articles import with_article


@pytest.mark.parametrize(
    ("name", "told"),
    [("Command", "a Command"), ("OciImage", "an OciImage"), ("", "a ")],
)
def test_a_vowel_takes_an(name: str, told: str) -> None:
    assert with_article(name) == told
