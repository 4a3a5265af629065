from nyl.core import faults


def test_points_do_nothing_until_a_hook_is_installed() -> None:
    seen: list[str] = []
    faults.point("before")
    faults.install(seen.append)
    try:
        faults.point("within")
    finally:
        faults.install(None)
    faults.point("after")
    assert seen == ["within"]
