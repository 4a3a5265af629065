import pytest

from nyl.git.obstacles import obstacle
from nyl.git.updates import PushResult, RefStatus

REF = "refs/heads/nyl/dev/desired"
REFUSED = {REF: RefStatus.REFUSED}


@pytest.mark.parametrize(
    ("reason", "text", "fix"),
    [
        ("failed to update ref", f"cannot lock ref '{REF}': 'refs/heads/nyl' exists; cannot create", "refs/heads/nyl "),
        ("'refs/heads/nyl/dev/desired/x' exists; cannot create", "", "refs/heads/nyl/dev/desired/x "),
        ("directory file conflict", "", "a ref above or below it"),
        ("", "fatal: the receiving end does not support --atomic push", "receive.advertiseAtomic"),
    ],
)
def test_what_stands_in_the_way_of_a_push_is_named(reason: str, text: str, fix: str) -> None:
    met = obstacle(PushResult(REFUSED, {REF: reason}, text))
    assert met is not None
    assert fix in met.fix
    assert "delete" not in met.fix


def test_a_rule_of_the_host_is_no_such_obstacle() -> None:
    assert obstacle(PushResult(REFUSED, {REF: "protected branch hook declined"}, "only the robot may do this")) is None
