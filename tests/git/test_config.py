"""People as commits name them."""

import pytest

from nyl.git.config import Identity, parse_config


@pytest.mark.parametrize(
    ("text", "name", "email"),
    [
        ("Alice Example <alice@example.com>", "Alice Example", "alice@example.com"),
        ("  Ann  <a@b>  ", "Ann", "a@b"),
        ("Bürö, Inc. (ops) <ops@example.com>", "Bürö, Inc. (ops)", "ops@example.com"),
        ("ö <a@b>", "ö", "a@b"),
    ],
)
def test_a_person_is_a_name_and_an_address(text: str, name: str, email: str) -> None:
    assert Identity.parse(text) == Identity(name, email)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Alice",
        "alice@example.com",
        "<a@b>",
        "Alice <>",
        "Alice <a b>",
        "Alice <a@b> x",
        "A\nB <a@b>",
        "A\0 <a@b>",
        "A <a> <b>",
    ],
)
def test_anything_else_names_nobody(text: str) -> None:
    with pytest.raises(ValueError, match="Name <email>"):
        Identity.parse(text)


def test_a_configured_name_of_other_bytes_can_be_recorded() -> None:
    listing = b"global\0user.name\nJ\xf6rg\0global\0user.email\nj@example.com\0"
    assert parse_config(listing).identity() == Identity("J\ufffdrg", "j@example.com")
