from itertools import combinations

from nyl.core.exits import Exit, worst

ORDER = (Exit.UNCERTAIN, Exit.FAILED, Exit.ERROR, Exit.WAITING, Exit.OK)


def test_uncertain_is_worse_than_failed_than_error_than_waiting() -> None:
    assert [int(each) for each in ORDER] == [4, 3, 1, 2, 0]
    assert all(worst((milder, worse)) is worse for worse, milder in combinations(ORDER, 2))


def test_nothing_at_all_is_well() -> None:
    assert worst(()) is Exit.OK
