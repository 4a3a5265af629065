import hashlib
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from nyl.core.canonical import canonical_json, digest, digest_bytes

_SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
_DATA = st.recursive(
    st.none() | st.booleans() | _SAFE | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(_DATA)
def test_every_value_is_as_rfc_8785_has_it(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


def test_large_whole_numbers_keep_their_digits() -> None:
    assert (
        canonical_json({"a": 2**53, "b": [-(10**30)]})
        == b'{"a":9007199254740992,"b":[-1000000000000000000000000000000]}'
    )
    assert canonical_json({"a": 2**60, "b": 1.0}) == b'{"a":1152921504606846976,"b":1}'


def test_keys_are_ordered_by_utf16_units() -> None:
    assert canonical_json({"\ue000": 1, "😀": 2}) == '{"😀":2,"\ue000":1}'.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800", {1: 2}, {"a": object()}, [b"x"]])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(ValueError):
        canonical_json(value)


def test_digests_are_of_the_canonical_form() -> None:
    assert digest({"b": 1, "a": 2}) == "sha256:" + hashlib.sha256(b'{"a":2,"b":1}').hexdigest()
    assert digest_bytes(b"") == "sha256:" + hashlib.sha256(b"").hexdigest()
