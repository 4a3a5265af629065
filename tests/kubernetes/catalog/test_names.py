import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.catalog.names import ApplicationNames
from tests.support.catalog import group, release

_NAMES = ApplicationNames(
    {"values": {"suffix": "eu"}, "target": {"metadata": {"name": "staging"}}, "cluster": {"metadata": {"name": "c"}}}
)


def _named(template: str | None, name: str = "web") -> str:
    return _NAMES.of(group(application_name_template=template), release(name))


def test_an_application_is_named_like_its_release() -> None:
    assert _named(None) == "web"


@pytest.mark.parametrize(
    ("template", "name"),
    [
        ("{{ target.metadata.name }}-{{ release.name }}", "staging-web"),
        ("{{ group.name }}.{{ release.metadata.labels.team }}", "platform.a"),
        ("{{ release.namespace }}-{{ values.suffix }}-{{ cluster.metadata.name }}", "web-eu-c"),
        (" fixed ", "fixed"),
    ],
)
def test_a_template_names_them_for_the_target(template: str, name: str) -> None:
    assert _named(template) == name


@pytest.mark.parametrize("template", ["{{ release.nmae }}", "{{ inputs.x }}", "{{", "{{ 1 / 0 }}"])
def test_a_template_that_fails_names_its_group(template: str) -> None:
    with pytest.raises(NylError) as caught:
        _named(template)
    assert caught.value.diagnostic.code is Code.TEMPLATE_INVALID
    assert str(caught.value.diagnostic.location) == "platform.yaml:2"


@pytest.mark.parametrize("name", ["Web", "a_b", "-a", "a.", "a" * 254, "a/b", "a..b", "web\n"])
def test_names_that_kubernetes_refuses_are_refused(name: str) -> None:
    with pytest.raises(NylError) as caught:
        _named(None, name)
    assert caught.value.diagnostic.code is Code.RESOURCE_INVALID
    assert caught.value.diagnostic.location is not None


def test_a_template_that_renders_to_nothing_gives_no_name() -> None:
    with pytest.raises(NylError):
        _named("{{ '' }}")
