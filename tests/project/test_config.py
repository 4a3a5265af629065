"""nyl.toml: what it may hold, and that what is wrong with it is told with its line."""

from datetime import timedelta

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.project.config import (
    Hooks,
    ProjectConfig,
    ProjectSection,
    SecretsProviderKind,
    VendorConfig,
    VendorMode,
    load_config,
)


def problems_of(text: str | bytes) -> list[Diagnostic]:
    with pytest.raises(NylError) as caught:
        load_config(text.encode() if isinstance(text, str) else text)
    assert all(each.code is Code.CONFIG_INVALID and each.fix for each in caught.value.diagnostics)
    return list(caught.value.diagnostics)


@pytest.mark.parametrize("data", [None, b"", b"# nothing\n", b"\xef\xbb\xbf"])
def test_a_missing_or_empty_file_gives_the_defaults(data: bytes | None) -> None:
    found = load_config(data)
    assert found == ProjectConfig()
    assert (found.orchestration.concurrency, found.cache_dir) == (4, ".nyl")
    assert found.orchestration.lease_grace == timedelta(minutes=10)
    assert found.orchestration.resolution_timeout == timedelta(minutes=30)


def test_settings_are_read() -> None:
    found = load_config(
        b'\xef\xbb\xbf[orchestration]\r\nconcurrency = 8\r\nlease_grace = "1h30m"\r\n'
        b'[secrets]\nprovider = "command"\ncommand = ["pass", "show"]\n[cache]\ndir = "./tmp/nyl/"\n'
        b"[units.Command]\ntimeout = '5m'\n[hooks]\nplan = ['dev']\nblock_on_leaving = true\n"
        b'[approval]\nlookup = ["./who.sh", "-v"]\n'
    )
    assert found.hooks == Hooks(("dev",), block_on_leaving=True)
    assert (found.orchestration.concurrency, found.orchestration.lease_grace) == (8, timedelta(minutes=90))
    assert (found.secrets.provider, found.secrets.command) == (SecretsProviderKind.COMMAND, ("pass", "show"))
    assert found.approval.lookup == ("./who.sh", "-v")
    assert (found.cache_dir, found.unit_defaults) == ("tmp/nyl", {"Command": {"timeout": "5m"}})


def test_all_problems_are_told_at_once_with_lines_and_nearest_names() -> None:
    found = problems_of('[orchestration]\nconcurency = 4\nlease_grace = "soon"\n\n[secret]\nprovider = "env"\n')
    assert [each.location and each.location.line for each in found] == [2, 3, 5]
    assert found[0].fix == "did you mean concurrency?"
    assert found[2].fix == "did you mean secrets?"


@pytest.mark.parametrize(
    "text",
    [
        "[orchestration]\nconcurrency = 0",
        "[orchestration]\nconcurrency = true",
        "[orchestration]\nconcurrency = 4.0",
        "[orchestration]\nlease_grace = 10",
        '[orchestration]\nlease_grace = "0s"',
        "[secrets]\nprovider = 'vault'",
        "[secrets]\nprovider = 'file'",
        "[secrets]\nprovider = 'command'",
        "[secrets]\ncommand = 'pass show'",
        "[cache]\ndir = '.'",
        "[hooks]\nplan = 'dev'",
        "[hooks]\nblock_on_leaving = 'yes'",
        "# a\norchestration = 1",
        "[units]\nCommand = 1",
    ],
)
def test_bad_values_are_refused_at_their_line(text: str) -> None:
    (found,) = problems_of(text)
    assert found.location is not None
    assert found.location.line == 2


def test_the_settings_of_trees_have_defaults() -> None:
    found = load_config(b"[project]\n[vendor]\n")
    assert found == ProjectConfig()
    assert found.project == ProjectSection(("components",), ("charts",), {})
    assert found.vendor == VendorConfig(VendorMode.DISABLED, "vendor")


def test_the_settings_of_trees_are_read() -> None:
    found = load_config(
        b"[project]\ncomponents_search_paths = ['./parts/', '/']\nhelm_chart_search_paths = ['/charts']\n"
        b"aliases = {'example.com/v1/Website' = 'v1/Website', 'v1/Thing' = 'v1/Thing'}\n"
        b"previous_paths = ['../old', '/']\n"
        b"[vendor]\nmode = 'required'\npath = 'third/party/'\n"
    )
    assert found.project == ProjectSection(
        ("parts", "/"), ("/charts",), {"example.com/v1/Website": "v1/Website", "v1/Thing": "v1/Thing"}, ("../old", "/")
    )
    assert found.vendor == VendorConfig(VendorMode.REQUIRED, "third/party")


@pytest.mark.parametrize(
    "text",
    [
        "[project]\nprevious_paths = 'old'",
        "[project]\ncomponents_search_paths = []",
        "[project]\nhelm_chart_search_paths = 'charts'",
        "[project]\naliases = {Website = 'v1/Website'}",
        "[project]\naliases = {'v1/Website' = 1}",
        "[project]\naliases = 'v1/Website'",
        "[vendor]\nmode = 'always'",
        "[vendor]\npath = '../vendor'",
        "[vendor]\npath = '/vendor'",
        "[vendor]\npath = '.git/vendor'",
        "[vendor]\npath = '.'",
    ],
)
def test_bad_settings_of_trees_are_refused_at_their_line(text: str) -> None:
    (found,) = problems_of(text)
    assert found.location is not None
    assert found.location.line == 2


def test_text_that_is_not_toml_is_refused_at_its_line() -> None:
    (found,) = problems_of("[cache]\ndir =\n")
    assert str(found.location) == "nyl.toml:2"


def test_bytes_that_are_not_utf8_are_refused_at_their_line() -> None:
    (found,) = problems_of(b"\n# \xe9\n")
    assert str(found.location) == "nyl.toml:2"
