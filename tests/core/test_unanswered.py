"""What is said of requests without an answer: a system's own words, and nothing of the libraries'."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest
import requests

from nyl.core.unanswered import why_unanswered


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        yield server


def why(url: str, **options: object) -> str:
    with requests.Session() as session:
        session.trust_env = False
        with pytest.raises(requests.RequestException) as caught:
            session.get(url, timeout=0.2, **options)  # type: ignore[arg-type]
    return why_unanswered(caught.value)


def test_the_reason_is_told_without_the_words_of_libraries(listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    assert why(f"http://127.0.0.1:{port}/") == "no answer came in time"
    assert why("http://127.0.0.1:1/") == "no connection could be made (Connection refused)"
    proxied = why("https://registry.invalid/", proxies={"https": "http://127.0.0.1:1"})
    assert proxied == "no connection could be made through the proxy (Connection refused)"
    assert why("http://:0/") == "the request failed (InvalidURL)"


def test_an_answer_that_breaks_off_is_told() -> None:
    assert why_unanswered(requests.exceptions.ChunkedEncodingError("x")) == "the connection was dropped"
    assert why_unanswered(requests.ConnectionError("x")) == "the connection could not be made, or was dropped"


def test_nothing_of_http_is_loaded_before_a_request_failed() -> None:
    script = "import sys, nyl.core.unanswered; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    assert not {"requests", "ssl"} & set(loaded)
