"""Publications whose time is over while they work push nothing from then on; the next try publishes."""

import threading
from pathlib import Path
from typing import Any

import pytest

from nyl.core.cancellation import CancellationToken
from nyl.units.outcomes import Failed
from tests.git.building import PatientClock
from tests.support.declarations import shell
from tests.support.kubernetes_charts import below, chart_files
from tests.support.kubernetes_tools import helm, tool_path
from tests.support.publishing import Publisher
from tests.support.tree_worlds import WEB
from tests.units.building import eventually

CHART = "---\napiVersion: k8s.nyl/v1\nkind: HelmChart\nmetadata: {name: cache}\nspec: {chart: {name: ./charts/cache}}\n"
PATIENT = 60


class CancellingClock(PatientClock):
    """A clock whose pauses cancel a run."""

    def __init__(self, token: CancellationToken) -> None:
        super().__init__()
        self._token = token

    def sleep(self, seconds: float) -> None:
        self._token.cancel()


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(shell(text))
    path.chmod(0o755)
    return path


def publishes_nothing(publisher: Publisher, why: str, *given: Any, **context: Any) -> None:
    ended = publisher.execute(*given, **context)
    assert isinstance(ended, Failed), ended
    assert ended.retryable
    assert ended.message == f"{why} before it published anything"
    assert publisher.world.head() == ""


def publishes(publisher: Publisher) -> None:
    publisher.seconds = PATIENT
    assert publisher.publish()["commit"] == publisher.world.head()


def test_a_slow_helm_ends_with_the_time_of_the_unit(publisher: Publisher) -> None:
    world = publisher.world
    for path, text in below("charts/cache", chart_files("cache")).items():
        world.write(path, text)
    world.write(WEB, (world.project / WEB).read_text() + CHART).commit()
    usual = world.environ["PATH"] = tool_path(helm())
    completion = publisher.complete()
    (world.project / ".nyl" / "cache.sqlite").unlink()
    slow = program(world.tmp / "slow/helm", f'[ "$1" != template ] || sleep 600\nexec "{helm()}" "$@"')
    world.environ["PATH"] = f"{slow.parent}:{usual}"
    publisher.seconds = 2
    publishes_nothing(publisher, "it passed its timeout of 2s", completion)
    world.environ["PATH"] = usual
    publishes(publisher)


def test_a_remote_that_answers_too_late_gets_no_push(publisher: Publisher) -> None:
    completion, world = publisher.complete(), publisher.world
    slow = program(world.tmp / "upload-pack", 'sleep 1.5\nexec git-upload-pack "$@"')
    world.git("config", "remote.origin.uploadpack", slow)
    publisher.seconds = 1
    publishes_nothing(publisher, "it passed its timeout of 1s", completion)
    world.git("config", "--unset", "remote.origin.uploadpack")
    publishes(publisher)


@pytest.fixture
def unanswered(publisher: Publisher) -> Path:
    """What is there from the first push on, which the remote does not answer. It answers the next one."""
    pushed = publisher.world.tmp / "pushed"
    script = f'[ ! -e "{pushed}" ] || exec git-receive-pack "$@"\ntouch "{pushed}"\nsleep 3\nexit 1'
    breaking = program(publisher.world.tmp / "receive-pack", script)
    publisher.world.git("config", "remote.origin.receivepack", breaking)
    return pushed


def test_a_push_without_an_answer_is_not_tried_again_when_the_time_is_over(
    publisher: Publisher, unanswered: Path
) -> None:
    completion = publisher.complete()
    publisher.seconds = 3
    publishes_nothing(publisher, "it passed its timeout of 3s", completion)
    assert unanswered.exists()
    publishes(publisher)


def test_a_push_without_an_answer_is_not_tried_again_when_the_run_is_cancelled(
    publisher: Publisher, unanswered: Path
) -> None:
    token = CancellationToken()
    canceller = threading.Thread(target=lambda: eventually(unanswered.exists, PATIENT) and token.cancel())
    canceller.start()
    publishes_nothing(publisher, "it was cancelled", cancellation=token)
    canceller.join()
    publishes(publisher)


def test_a_push_without_an_answer_is_not_tried_again_when_the_run_is_cancelled_in_the_pause(
    publisher: Publisher, unanswered: Path
) -> None:
    token = CancellationToken()
    publisher.clock = CancellingClock(token)
    publishes_nothing(publisher, "it was cancelled", cancellation=token)
    assert unanswered.exists()
    publishes(publisher)
