"""What tells that a chart may render differently each time."""

import pytest

from nyl.kubernetes.expansion.chart_content import ChartContent
from nyl.kubernetes.expansion.unstable import (
    at_another_time,
    differing,
    renderings_to_compare,
    values_at_another_time,
)
from tests.support.kubernetes_charts import packed


def chart(text: str) -> ChartContent:
    return ChartContent({"templates/x.yaml": text.encode()})


@pytest.mark.parametrize(
    ("text", "renderings"),
    [
        ("a: {{ now }}", 1),
        ("a: {{ randAlphaNum 3 }}", 1),
        ("a: {{- $x := genCA 1 -}}", 1),
        ("a: {{ range keys .Values }}", 4),
        ("a: {{ .Values.now }}", 0),
        ("a: {{ $now }}", 0),
        ("a: {{ nowhere }}", 0),
        ("now: keys", 0),
        ("{{/* what the values are now */}}", 0),
        ("{{- /* keys */ -}}", 0),
        ("", 0),
    ],
)
def test_functions_that_are_not_always_the_same_ask_for_more_renderings(text: str, renderings: int) -> None:
    assert renderings_to_compare(chart(text), {}) == renderings
    assert renderings_to_compare(chart(""), {"deep": [{"text": text}]}) == renderings


def test_only_templates_and_their_values_are_looked_at() -> None:
    assert renderings_to_compare(ChartContent({"README.md": b"{{ now }}", "files/x": b"{{ now }}"}), {}) == 0
    assert renderings_to_compare(ChartContent({"charts/part/templates/x": b"{{ now }}"}), {}) == 1
    assert renderings_to_compare(ChartContent({"charts/p.tgz": packed("p", {"templates/x": "{{ now }}"})}), {}) == 1
    assert renderings_to_compare(ChartContent({"charts/p.tgz": b"damaged"}), {}) == 0


@pytest.mark.parametrize(
    ("text", "is_shifted"),
    [
        ('{{ now | date "2006" }}', True),
        ("{{ (now) }}", True),
        ('{{ "now" }}', False),
        ("{{ `now` }}", False),
        ("{{ .now }} {{ $now }}", False),
        ("now", False),
        ('{{ "a\\"now" }}', False),
    ],
)
def test_now_is_another_time_where_it_is_called(text: str, is_shifted: bool) -> None:
    shifted = at_another_time(chart(text)).files["templates/x.yaml"].decode()
    assert (shifted != text) is is_shifted
    assert values_at_another_time({"a": [text, 1, None]}) == {"a": [shifted, 1, None]}


def test_archived_parts_are_unpacked_beside_the_chart() -> None:
    part = packed("part", {"Chart.yaml": "x", "templates/x": "{{ now }}"})
    files = at_another_time(ChartContent({"charts/part-1.0.0.tgz": part, "Chart.yaml": b"y"})).files
    assert set(files) == {"Chart.yaml", "charts/part-1.0.0/Chart.yaml", "charts/part-1.0.0/templates/x"}
    assert b"2001" in files["charts/part-1.0.0/templates/x"]


def test_a_part_that_cannot_be_unpacked_stays_as_it_is() -> None:
    damaged = ChartContent({"charts/part.tgz": b"damaged"})
    assert at_another_time(damaged).files == damaged.files


def test_templates_whose_output_differs_are_named() -> None:
    first = b"---\n# Source: a/x\none: 1\n---\n# Source: a/y\ntwo: 2\n"
    second = b"---\n# Source: a/x\none: 1\n---\n# Source: a/y\ntwo: 3\n---\n# Source: a/z\nthree: 3\n"
    assert differing(first, second) == ["a/y", "a/z"]
    assert differing(first, first) == []
