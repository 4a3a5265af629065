"""Runs page, Approvals and Multi-environment runs: what --approve can look like."""

import pytest

from nyl.core.diagnostics import NylError
from nyl.engine.approval_arguments import Approvals, approvals_by_environment
from tests.engine.builders import codes

DIGEST = "sha256:" + "0f" * 32
OTHER = "sha256:" + "1e" * 32


@pytest.mark.parametrize(
    ("arguments", "digests"),
    [
        ([], {}),
        (["db"], {"db": None}),
        ([f"db={DIGEST}"], {"db": DIGEST}),
        (["dev/db"], {"db": None}),
        ([f"dev/db={DIGEST}", "web"], {"db": DIGEST, "web": None}),
        (["db", f"db={DIGEST}"], {"db": DIGEST}),
        ([f"db={DIGEST}", "db", f"db={DIGEST}"], {"db": DIGEST}),
    ],
)
def test_units_are_approved_with_or_without_a_digest(arguments: list[str], digests: dict[str, str | None]) -> None:
    assert approvals_by_environment(arguments, ["dev"]) == {"dev": Approvals(digests)}


def test_each_environment_has_its_own_approvals() -> None:
    found = approvals_by_environment([f"dev/db={DIGEST}"], ["dev", "prod"], everything=True)
    assert found == {"dev": Approvals({"db": DIGEST}, everything=True), "prod": Approvals({}, everything=True)}


@pytest.mark.parametrize(
    "digest", ["", "0f0f", "sha256:", f"{DIGEST}0", DIGEST.upper(), f"sha512:{'0f' * 32}", f"{DIGEST}\n"]
)
def test_what_is_no_digest_is_refused(digest: str) -> None:
    with pytest.raises(NylError) as refused:
        approvals_by_environment([f"db={digest}"], ["dev"])
    assert codes(refused.value) == ["NYL-APPROVAL-INVALID"]
    assert "nyl plan" in refused.value.diagnostic.fix


def test_one_unit_is_not_approved_for_two_changes() -> None:
    with pytest.raises(NylError, match="two different changes"):
        approvals_by_environment([f"db={DIGEST}", f"dev/db={OTHER}"], ["dev"])


@pytest.mark.parametrize(("text", "told"), [("db", "2 are selected"), ("stage/db", "names stage")])
def test_units_name_one_of_the_selected_environments(text: str, told: str) -> None:
    with pytest.raises(NylError, match=told) as refused:
        approvals_by_environment([text], ["dev", "prod"])
    assert codes(refused.value) == ["NYL-USAGE"]
