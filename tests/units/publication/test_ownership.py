"""How messages name the units that own published trees."""

import pytest

from nyl.kubernetes.index import IndexOwner, OwnerPlace
from nyl.units.publication.ownership import described_owner

REF = "refs/heads/nyl/dev/desired"
URL = "https://git.example.com/shop.git"


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (None, "a unit of dev"),
        (OwnerPlace(URL, REF), f"a unit of dev (state in {REF} of {URL})"),
        (OwnerPlace(URL, REF, "shop"), f"a unit of dev (state in shop on {REF} of {URL})"),
    ],
)
def test_an_owner_is_named_with_the_place_of_its_state_where_that_is_known(place: OwnerPlace | None, told: str) -> None:
    assert described_owner(IndexOwner("dev", "01a1", place)) == told
