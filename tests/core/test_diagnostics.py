"""Places in files, and errors that are told where they belong."""

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Location, NylError


@pytest.mark.parametrize("place", [Location("a.yaml", 3), Location("a.yaml"), Location("a:b", 7), Location("a:b")])
def test_a_place_can_be_read_back_from_its_text(place: Location) -> None:
    assert Location.parse(str(place)) == place


@pytest.mark.parametrize(
    ("location", "field", "message"),
    [
        (Location("a.yaml", 3), "", "a.yaml:3: 'x y' is not a valid ref name."),
        (Location("a.yaml", 3), "revision", "a.yaml:3: revision: 'x y' is not a valid ref name."),
        (None, "", "'x y' is not a valid ref name."),
    ],
)
def test_an_error_is_placed_where_its_value_is_written(location: Location | None, field: str, message: str) -> None:
    found = NylError(Code.URL_REFUSED, "'x y' is not a valid ref name.", "name a branch").at(location, field).diagnostic
    assert (found.code, found.message, found.fix) == (Code.URL_REFUSED, message, "name a branch")
    assert found.location == location
