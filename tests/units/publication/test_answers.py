"""What completing a unit comes to, and how long that holds."""

import json
from dataclasses import replace

import pytest

from nyl.core.cache import Cache
from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.units.completion import Completion
from tests.support.kubernetes_project import RELEASE
from tests.support.publishing import DRIVER, Publisher
from tests.support.tree_worlds import WEB, TreeWorld

FROM_UNIT = "{platform/web: {image: {fromUnit: {unit: image, output: reference}}}}"
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: part}
"""
STATE = "{platform/web: {image: {fromPublication: {path: state/images.json, pointer: /web}}}}"
CARRIED = (
    "{platform/web: {image: {fromPublication: "
    "{path: state/images.json, pointer: /web, carryFileFromWorktree: build/images.json}}}}"
)


def recalled(publisher: Publisher) -> Completion | None:
    return DRIVER.recall(publisher._unit(publisher._resolved), publisher.source())


def included(world: TreeWorld) -> None:
    """A Release that has other files, and an input whose value stands in one."""
    release = (world.project / WEB).read_text().replace("spec: {inputs", "spec: {include: [parts/*.yaml], inputs", 1)
    world.write(WEB, release).write("applications/platform/parts/old.yaml", CONFIG)
    world.write("values/image.yaml", "web: some\n").bind(
        "{platform/web: {image: {fromFile: {path: values/image.yaml, pointer: /web}}}}"
    ).commit()


def rendered(publisher: Publisher) -> bool:
    """Whether something was rendered since the last look."""
    texts = [each.text for each in publisher.told if hasattr(each, "text")]
    publisher.told.clear()
    return any(each.startswith("rendering") for each in texts)


def test_every_effective_input_is_told_defaults_included(publisher: Publisher) -> None:
    assert publisher.complete().spec == {"target": "prod", "releases": {"platform/web": {"image": "none"}}}
    publisher.world.bind(FROM_UNIT).commit()
    publisher.values = {"image": "web@sha256:1"}
    assert publisher.complete().spec["releases"] == {"platform/web": {"image": "web@sha256:1"}}


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"README.md": "unrelated"},
        {"environments.yaml": "apiVersion: gitops.nyl/v1\nkind: Environment\nmetadata: {name: new}\nspec: {}\n"},
        {"applications/platform/other/note.yaml": "a: 1\n"},
    ],
)
def test_an_answer_is_kept_for_as_long_as_nothing_that_it_was_made_of_changes(
    publisher: Publisher, files: dict[str, str]
) -> None:
    included(publisher.world)
    assert recalled(publisher) is None
    answer = publisher.complete()
    assert rendered(publisher)
    for path, text in files.items():
        publisher.world.write(path, text)
    publisher.world.commit("Nothing")
    assert (recalled(publisher), publisher.complete()) == (answer, answer)
    assert not rendered(publisher)


@pytest.mark.parametrize(
    "files",
    [
        {"applications/platform/api.yaml": RELEASE.replace("web", "api")},
        {"applications/platform/parts/new.yaml": CONFIG},
        {"applications/platform/parts/old.yaml": CONFIG.replace("part", "other")},
        {"values/image.yaml": "web: other\n"},
        {"_nyl/index.json": "{}"},
        {"vendor/index.json": '{"files": {}, "version": 1}'},
        {"applications/platform/parts/_nyl/index.json": "{}"},
    ],
)
def test_what_rendering_reads_or_looks_for_makes_it_answer_anew(publisher: Publisher, files: dict[str, str]) -> None:
    included(publisher.world)
    publisher.complete()
    for path, text in files.items():
        publisher.world.write(path, text)
    publisher.world.commit()
    kept = recalled(publisher)
    try:
        fresh = publisher.complete(replace(publisher.source(), cache=Cache(None)))
    except NylError:
        fresh = None
    assert kept in (None, fresh)


@pytest.mark.parametrize("file", [WEB, "group.yaml", "cluster.yaml", "target.yaml", "nyl.toml"])
def test_a_change_of_a_file_that_the_tree_is_made_of_is_another_fingerprint(publisher: Publisher, file: str) -> None:
    answer = publisher.complete()
    publisher.world.write(file, (publisher.world.project / file).read_text() + "\n# a comment\n").commit()
    other = publisher.complete()
    assert other.spec == answer.spec
    assert other.fingerprint != answer.fingerprint


def test_other_values_are_another_question(publisher: Publisher) -> None:
    publisher.world.bind(FROM_UNIT).commit()
    publisher.values = {"image": "a"}
    answer = publisher.complete()
    publisher.values = {"image": "b"}
    assert recalled(publisher) is None
    assert publisher.complete().fingerprint != answer.fingerprint


def test_state_of_the_publication_is_part_of_the_question(publisher: Publisher) -> None:
    publisher.world.bind(STATE).commit()
    assert publisher.complete().spec["releases"] == {"platform/web": {"image": "none"}}
    publisher.world.by_hand({"prod/state/images.json": json.dumps({"web": "a"})})
    assert recalled(publisher) is None
    answer = publisher.complete()
    assert answer.spec["releases"] == {"platform/web": {"image": "a"}}
    publisher.world.by_hand({"elsewhere.txt": "x"})
    assert recalled(publisher) == answer


def test_a_carry_file_is_part_of_the_question_and_carrying_the_same_again_no_other_answer(publisher: Publisher) -> None:
    publisher.world.bind(CARRIED).write(".gitignore", ".nyl/\nbuild/\n").commit()
    publisher.world.write("build/images.json", json.dumps({"web": "a"}))
    answer = publisher.complete()
    assert answer.spec["releases"] == {"platform/web": {"image": "a"}}
    publisher.publish(completion=answer)
    publisher.world.remove("build")
    assert recalled(publisher) is None
    assert publisher.complete() == answer
    publisher.world.write("build/images.json", json.dumps({"web": "b"}))
    assert publisher.complete().fingerprint != answer.fingerprint


def test_a_damaged_answer_is_none(publisher: Publisher) -> None:
    answer = publisher.complete()
    from nyl.units.publication import answers

    for damaged in (b"no JSON", b"[]", b"{}", b'{"releases": 1, "fingerprint": "", "readiness": []}'):
        source = publisher.source()
        key = answers.Answers(publisher.spec, source)._key
        source.cache.put_many(answers._NAMESPACE, {key: damaged})
        assert publisher.complete() == answer


def test_a_value_of_another_type_is_refused(publisher: Publisher) -> None:
    publisher.world.bind(FROM_UNIT).commit()
    publisher.values = {"image": 7}
    with pytest.raises(NylError) as caught:
        publisher.complete()
    assert caught.value.diagnostic.code is Code.INPUT_INVALID
    assert "must be a string, not 7 (from output reference of unit image)" in caught.value.diagnostic.message
