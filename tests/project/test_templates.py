"""What templates can do, what they cannot, and that problems name the line they come from."""

from pathlib import Path
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.project.templates import Templates, TemplateText
from tests.project.builders import ENVIRONMENT, UNIT, problems_of, project_of, spec_of, the_problem

VALUES: dict[str, Any] = {"size": "small", "ports": [80, 443], "flags": {"on": True}}


def render(text: str) -> str:
    templates = Templates({"values": VALUES, "environment": {"metadata": {"name": "dev"}}})
    return templates.render(TemplateText(text, "units.yaml", 10, "unit web", "web"))


def refusal(text: str) -> str:
    with pytest.raises(NylError) as caught:
        render(text)
    assert caught.value.diagnostic.code is Code.TEMPLATE_INVALID
    return caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("a: {{ values.size }}\n", "a: small\n"),
        ("{% for port in values.ports %}- {{ port }}\n{% endfor %}", "- 80\n- 443\n"),
        ("{{ environment.metadata.name }}-{{ values.size | upper }}", "dev-SMALL"),
        ("{{ values.missing | default('x') }}", "x"),
        ("{# not shown #}{%- if values.flags.on %} yes{% endif %}", " yes"),
        ("{% set n = 2 %}{{ n * 3 }}{{ 'ab' * 2 }}", "6abab"),
        ("{% macro f(x) %}<{{ x }}>{% endmacro %}{{ f(1) }}", "<1>"),
        ("{{ values.ports | tojson }}", "[80, 443]"),
        ("{% raw %}{{ kept }}{% endraw %}", "{{ kept }}"),
        ("{{ '}}' }}{{ values['size'] }}", "}}small"),
        ("no tag at all", "no tag at all"),
        ("{{ 3\n}}", "3"),
        ("{{ values.ports | join('-') }}{{ ', '.join(['a', 'b']) }}", "80-443a, b"),
        ("{{ [{'n': 'a'}, {'n': 'b'}] | map(attribute='n') | join('/') }}", "a/b"),
        ("{{ [{'n': 'a'}, {'n': 'b'}] | join('/', attribute='n') }}", "a/b"),
        ("{{ values.ports | sum }}{{ [{'n': 1}, {'n': 2}] | sum(attribute='n') }}", "5233"),
        (
            "{{ '%05.1f %s' % (1.25, 'x') }}{{ '{:>4}|{}'.format('a', 'b') }}{{ '%s-%s' | format(1, 2) }}",
            "001.2 x   a|b1-2",
        ),
        ("{{ 'a\nb' | indent(2) }}{{ 'a b' | wordwrap(1) }}", "a\n  ba\nb"),
        ("{% if 80 in values.ports and values.size == 'small' and 1 < 2 %}yes{% endif %}", "yes"),
        ("{{ {'a': [1]} | tojson(indent=1) }}", '{\n "a": [\n  1\n ]\n}'),
    ],
)
def test_templates_render_as_jinja_does(text: str, rendered: str) -> None:
    assert render(text) == rendered


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{% for p in values.ports %}{% if p > 80 %}{{ p }}{% else %}-{% endif %}{% endfor %}!", "-443!"),
        ("{% if values.flags.on %}{{ 'a' }}{% endif %}{{ values.size | default('}') }}", "asmall"),
        ("{{ values.size }}{% set n = values.size %}{% if true %}{{ n }}{% endif %}", "smallsmall"),
        ("{% for p in values.ports -%}  {{ p }}{% endfor %}", "80443"),
        ("{{ '{%' }}{% if true %}{{ \"'\" }}{% endif %}{{ '\"' }}", "{%'\""),
        ("}} %} {{ 1 }}", "}} %} 1"),
    ],
)
def test_texts_render_in_pieces_as_they_do_whole(text: str, rendered: str) -> None:
    assert render(text) == rendered


def test_pieces_of_a_text_share_its_limit_of_steps() -> None:
    loops = [f"{{% for {name} in range(90000) %}}{{% endfor %}}" for name in "abc"]
    assert render("".join(loops[:2])) == ""
    assert "loop iterations" in refusal("".join(loops))


@pytest.mark.parametrize(
    ("text", "rendered", "line"),
    [
        ("a\n{{ values.size }}\nb", 3, 3),
        ("{% for p in values.ports %}\n- {{ p }}\n{% endfor %}b", 2, 2),
        ("{% for p in values.ports %}\n- {{ p }}\n{% endfor %}b", 4, 2),
        ("{% for p in values.ports %}- {{ p }}\n{% endfor %}b\nc", 3, 2),
        ("{% for p in values.ports %}- {{ p }}\n{% endfor %}b\nc", 4, 3),
        ("x\n{% if not values.flags.on %}\n{% endif %}y\nz", 3, 4),
        ("{% set n = 1 %}\na\n{% if false %}\n{% endif %}\nb", 4, 5),
    ],
)
def test_lines_of_rendered_text_lead_to_lines_of_the_template(text: str, rendered: int, line: int) -> None:
    assert (
        Templates({"values": VALUES, "environment": {}}).line_of(
            TemplateText(text, "units.yaml", 1, "unit web"), rendered
        )
        == line
    )


def test_an_undefined_name_names_its_line() -> None:
    message = refusal("a: 1\nb: {{ values.nope }}\n")
    assert "units.yaml:11" in message
    assert "b: {{ values.nope }}" in message


def test_an_undefined_field_is_told_in_words_of_the_project_with_the_nearest_there_is() -> None:
    assert "'sise' is undefined (did you mean size?)" in refusal("a: {{ values.sise }}")
    assert "'sise' is undefined (did you mean size?)" in refusal("a: {{ values['sise'] }}")
    assert "'zzz' is undefined." in refusal("a: {{ values.zzz }}")


def test_an_undefined_name_inside_a_block_names_its_line() -> None:
    assert "units.yaml:12" in refusal("{% for p in values.ports %}\n\n{{ p }}{{ nope }}{% endfor %}")


def test_a_syntax_error_names_its_line() -> None:
    assert "units.yaml:11" in refusal("a: 1\n{% if %}\n")


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ values.__init__.__globals__ }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ values.ports.append(1) }}",
        "{{ values.update({'a': 1}) }}",
        "{{ self.__init__ }}",
        "{{ cycler.__init__.__globals__.os }}",
        "{{ ''|attr('__class__') }}",
        "{{ lipsum.__globals__ }}",
        "{{ request }}{{ config }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
        "{% extends 'x' %}",
    ],
)
def test_the_sandbox_has_no_way_out(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize(
    "text", ["{{ lipsum() }}", "{{ values.ports | random }}", "{{ values.size.upper }}", "{{ range }}"]
)
def test_what_differs_from_run_to_run_is_not_available(text: str) -> None:
    refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
        "{% for a in range(99999999) %}{% endfor %}",
        "{{ 'a' * 10**9 }}",
        "{{ [0] * 10**9 }}",
        "{{ 10 ** (10 ** 8) }}",
        "{{ 'a'.ljust(10**9) }}",
        "{{ 'a' | center(1000000000) }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '%1000000000d' | format(1) }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{% set x = 'aaaaaaaa' %}" + "{% set x = x ~ x %}" * 40 + "{{ x }}",
        "{% set x = 'aaaaaaaa' %}" + "{% set x = x + x %}" * 40 + "{{ x }}",
        "{% set x = 'aaaaaaaa' %}" + "{% set x = x.replace('a', x) %}" * 10 + "{{ x }}",
        "{% set x = 'aaaaaaaa' %}" + "{% set x = x | replace('a', x) %}" * 10 + "{{ x }}",
        "{{ (['x'] * 100000) | join('y' * 100000) | length }}",
        "{{ (range(9) | map('string')) | join('y' * 900000) | length }}",
        "{{ ''.join(['x' * 99999] * 99999) | length }}",
        "{{ (('%(a)s' * 150000) % {'a': 'x' * 500000}) | length }}",
        "{{ (('%*d' * 2000) % ((900000, 1) * 2000)) | length }}",
        "{{ ('%s' * 9) | format(*(['x' * 900000] * 9)) | length }}",
        "{{ ('{0}' * 150000).format('x' * 500000) | length }}",
        "{{ ('{0:{1}}' * 9).format('x', 900000) | length }}",
        "{{ ('{a}' * 9).format_map({'a': 'x' * 900000}) | length }}",
        "{{ ('a\n' * 400000) | indent('y' * 500000) | length }}",
        "{{ ('a ' * 400000) | wordwrap(1, wrapstring='y' * 500000) | length }}",
        "{{ ('\t' * 900000).expandtabs(9000) | length }}",
        "{{ ('a' * 900000).translate({97: 'x' * 900000}) | length }}",
        "{{ ([1] * 200000) | tojson(indent=100000) | length }}",
        "{{ (([1],) * 300000) | sum(start=[]) | length }}",
        "{% set a = [1] * 1000 %}{% set b = [a] * 1000 %}{% set c = [b] * 1000 %}{{ c }}",
        "{% set a = [1] * 1000 %}{% set b = [a] * 1000 %}{% set c = [b] * 1000 %}{{ c | string | length }}",
        "{% set a = [1] * 1000 %}{% set b = [a] * 1000 %}{% set c = [b] * 1000 %}{{ (c ~ '') | length }}",
        "{{ range(100000) | list | reject('in', range(100000) | list) | list | length }}",
        "{% set a = range(100000) | list %}{% for i in range(100000) %}{{ 'q' in a }}{% endfor %}",
        "{% set a = 'x' * 900000 %}{% for i in range(90000) %}{{ a | upper | length }}{% endfor %}",
        "{% set a = 'x' * 900000 %}{% set b %}{% for i in range(90000) %}{{ a }}{% endfor %}{% endset %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{% macro f(n) %}{{ f(n - 1) if n }}{{ f(n - 1) if n }}{% endmacro %}{{ f(30) }}",
    ],
)
def test_runaway_templates_are_stopped(text: str) -> None:
    refusal(text)


def test_errors_of_expressions_are_problems_not_tracebacks() -> None:
    assert "division by zero" in refusal("{{ 1 / 0 }}")
    assert "int" in refusal("{{ values.ports + 1 }}")


def test_text_that_is_not_yaml_after_rendering_shows_template_and_rendered_line(tmp_path: Path) -> None:
    environment = ENVIRONMENT.replace("size: small", "size: 'a: b: ['")
    unit = UNIT.replace("'{{ values.size }}'", "{{ values.size }}")
    problem = the_problem(tmp_path, {"e.yaml": environment, "u.yaml": unit}, Code.TEMPLATE_INVALID, "u.yaml", 6)
    assert "command: ['./web.sh', a: b: []" in problem.message


def test_the_template_line_is_told_behind_loops(tmp_path: Path) -> None:
    unit = (
        UNIT + "  values:\n    {% for n in range(9) %}\n    k{{ n }}: 1\n    {% endfor %}\n  bad: {{ values.size }}\n"
    )
    the_problem(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 11)


def test_inserted_text_cannot_leave_the_spec(tmp_path: Path) -> None:
    environment = ENVIRONMENT.replace("size: small", 'size: "x\\nmetadata: {name: other}"')
    unit = UNIT + "  values: {{ values.size }}\n"
    (problem,) = problems_of(tmp_path, {"e.yaml": environment, "u.yaml": unit.replace("'{{ values.size }}'", "x")})
    assert (problem.code, problem.unit) == (Code.TEMPLATE_INVALID, "web")
    assert "metadata" in problem.message


def test_inserted_text_cannot_start_another_document(tmp_path: Path) -> None:
    environment = ENVIRONMENT.replace("size: small", 'size: "x]\\n---\\nspec: {}"')
    unit = UNIT.replace("['./web.sh', '{{ values.size }}']", "[{{ values.size }}")
    (problem,) = problems_of(tmp_path, {"e.yaml": environment, "u.yaml": unit})
    assert problem.code is Code.TEMPLATE_INVALID


def test_a_tag_in_the_envelope_is_refused(tmp_path: Path) -> None:
    unit = UNIT.replace("name: web", "name: 'web-{{ values.size }}'")
    assert "literal" in the_problem(tmp_path, {"u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 4).message


def test_a_block_tag_before_the_spec_belongs_to_the_envelope(tmp_path: Path) -> None:
    unit = UNIT.replace("spec:", "{% if values.size %}\nspec:") + "{% endif %}\n"
    the_problem(tmp_path, {"u.yaml": unit}, Code.RESOURCE_INVALID, "u.yaml", 5)


def test_block_tags_on_column_0_belong_to_the_spec_they_stand_in(tmp_path: Path) -> None:
    unit = UNIT.replace("  command", "{% if values.size == 'small' %}\n  command") + "{% endif %}\n"
    assert spec_of(tmp_path, unit) == {"command": ["./web.sh", "small"]}


def test_a_unit_that_renders_to_nothing_is_left_out(tmp_path: Path) -> None:
    unit = UNIT.replace("  command", "{% if values.size == 'big' %}\n  command") + "{% endif %}\n"
    project = project_of(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit})
    rendering = project.render(project.environments["dev"])
    assert (dict(rendering.units), rendering.empty) == ({}, {"web"})


def test_a_disabled_unit_is_told_apart(tmp_path: Path) -> None:
    unit = UNIT + "  enabled: {{ values.size == 'big' }}\n"
    project = project_of(tmp_path, {"e.yaml": ENVIRONMENT, "u.yaml": unit})
    rendering = project.render(project.environments["dev"])
    assert (dict(rendering.units), rendering.disabled) == ({}, {"web"})


def test_only_the_named_units_are_rendered(tmp_path: Path) -> None:
    files = {
        "e.yaml": ENVIRONMENT,
        "u.yaml": UNIT,
        "v.yaml": UNIT.replace("name: web", "name: api").replace("size", "x"),
    }
    project = project_of(tmp_path, files)
    assert set(project.render(project.environments["dev"], ["web"]).units) == {"web"}


def test_units_render_once_for_each_environment(tmp_path: Path) -> None:
    big = ENVIRONMENT.replace("dev", "prod").replace("small", "big")
    project = project_of(tmp_path, {"e.yaml": ENVIRONMENT, "p.yaml": big, "u.yaml": UNIT})
    commands = [project.render(each).units["web"].spec["command"][1] for each in project.environments.values()]
    assert commands == ["small", "big"]


def test_templates_see_no_urls(tmp_path: Path) -> None:
    environment = ENVIRONMENT + "  state: {repository: {repoURL: /srv/secret.git}, path: x}\n"
    spec = spec_of(tmp_path, UNIT.replace("values.size", "environment.spec | tojson"), environment)
    assert "secret" not in str(spec)
    assert '"path": "x"' in spec["command"][1]
