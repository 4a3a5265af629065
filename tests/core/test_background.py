import threading

import pytest

from nyl.core.background import Background


def test_work_goes_on_while_the_caller_does_something_else() -> None:
    asked = threading.Event()
    work = Background(lambda: asked.wait(10))
    asked.set()
    assert work.result() is True


def test_what_the_work_raises_is_raised_where_its_result_is_taken() -> None:
    work = Background(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        work.result()


def test_a_result_that_does_not_come_in_time_is_no_longer_waited_for() -> None:
    gate = threading.Event()
    waiting = Background(gate.wait)
    with pytest.raises(TimeoutError):
        waiting.result(within=0.01)
    gate.set()
    assert waiting.result(within=30) is True
