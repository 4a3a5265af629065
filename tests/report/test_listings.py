from collections.abc import Mapping
from dataclasses import dataclass, field

from nyl.core.clock import Instant
from nyl.core.exits import Exit
from nyl.report.listings import listing_text, plain_data


@dataclass(frozen=True)
class Thing:
    name: str
    last_run: str | None = None
    sensitive: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)
    at: Instant = field(default_factory=lambda: Instant(0))


def test_fields_are_columns() -> None:
    assert listing_text([Thing("a", "01a1", True, {"tier": "web", "stage": "dev"}), Thing("b")], "none") == (
        "NAME  LAST RUN  SENSITIVE  LABELS               AT\n"
        "a     01a1      yes        tier=web, stage=dev  1970-01-01T00:00:00Z\n"
        "b               no                              1970-01-01T00:00:00Z\n"
    )


def test_a_field_of_any_value_is_shown_as_json() -> None:
    @dataclass(frozen=True)
    class Held:
        value: object = field(metadata={"json": True})

    values = ["2", 2, True, {}, {"a": "b"}]
    assert [line.strip() for line in listing_text([Held(each) for each in values], "none").splitlines()[1:]] == [
        '"2"',
        "2",
        "true",
        "{}",
        '{"a": "b"}',
    ]


def test_an_empty_list_says_so() -> None:
    assert listing_text([], "no runs") == "no runs\n"


def test_json_has_camel_case_fields_and_plain_values() -> None:
    assert plain_data([Thing("a", "1")])[0] == {
        "name": "a",
        "lastRun": "1",
        "sensitive": False,
        "labels": {},
        "at": "1970-01-01T00:00:00.000000000Z",
    }
    assert plain_data({"exit": Exit.OK, "names": frozenset({"b", "a"})}) == {"exit": 0, "names": ["a", "b"]}
