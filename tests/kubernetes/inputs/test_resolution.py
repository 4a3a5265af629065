"""Inputs of a target: bindings over defaults, every one resolved and checked before anything is rendered."""

import hashlib
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import Diagnostic, NylError
from nyl.kubernetes.inputs.bindings import BindingContext
from nyl.kubernetes.inputs.reading import InputSource
from nyl.kubernetes.inputs.resolution import EffectiveInput, resolve_inputs
from nyl.kubernetes.resources import ReleaseAddress
from nyl.kubernetes.tree import StateFile
from nyl.project.resources import RepositoryLocation
from tests.kubernetes.inputs.builders import (
    COMMIT,
    DEPLOY,
    REPOSITORIES,
    WEB,
    HeldSources,
    HeldState,
    context,
    release,
    resolve,
    target,
    values,
)

ANY = {"a": {"type": "object"}}
OPTIONAL = {"a": {"type": "object", "default": {}}}
LOCK = {"repositoryRef": {"name": "platform-state"}, "revision": "main", "commit": COMMIT, "path": "s.json"}
PATH = "state/images.json"
READING = {"fromPublication": {"path": PATH, "pointer": "/web"}}
CARRYING = {"fromPublication": {"path": PATH, "pointer": "/web", "carryFileFromWorktree": "build/images.json"}}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def problems(
    bindings: dict[str, Any], declared: dict[str, Any], sources: HeldSources | None = None, *synced: str
) -> list[Diagnostic]:
    """What is wrong with the inputs of `platform/web`, and of `platform/plain`, which declares none."""
    releases = {WEB: release(declared), ReleaseAddress("platform", "plain"): release({}, "plain")}
    with pytest.raises(NylError) as caught:
        resolve_inputs(context(bindings, *synced), releases, (), sources or HeldSources())
    return list(caught.value.diagnostics)


def problem(bound: dict[str, Any], declared: dict[str, Any], sources: HeldSources | None = None, *synced: str) -> str:
    """The one problem of the inputs of `platform/web`, from its place in the target on."""
    [found] = problems({"platform/web": bound}, declared, sources, *synced)
    return found.message.removeprefix("targets/staging.yaml:4: DeploymentTarget staging: ")


def test_a_binding_goes_before_the_default_and_replaces_the_value_whole() -> None:
    declared = {"a": {"type": "object", "default": {"x": 1}}, "b": {"type": "integer", "default": 2}}
    assert values(declared, {"a": {"value": {"y": 2}}}) == {"a": {"y": 2}, "b": 2}


def test_a_release_without_inputs_has_none() -> None:
    assert resolve_inputs(context({}), {WEB: release({})}, (), HeldSources()).values(WEB) is None


def test_an_inline_literal_is_never_templated() -> None:
    assert values({"a": {"type": "string"}}, {"a": {"value": "{{ values.x }}"}}) == {"a": "{{ values.x }}"}


@pytest.mark.parametrize(("pointer", "value"), [("", {"database": {"host": "db"}}), ("/database", {"host": "db"})])
def test_a_file_is_read_whole_or_at_a_pointer(pointer: str, value: object) -> None:
    sources = HeldSources({"environments/db.yaml": b"database: {host: db}\n"})
    binding = {"fromFile": {"path": "environments/db.yaml", **({"pointer": pointer} if pointer else {})}}
    assert values(ANY, {"a": binding}, sources) == {"a": value}


def test_a_file_of_a_locked_commit_is_read() -> None:
    sources = HeldSources(locked={"s.json": b'{"db": {"size": 1}}'})
    assert values(ANY, {"a": {"fromGit": {**LOCK, "pointer": "/db"}}}, sources) == {"a": {"size": 1}}


def test_a_file_that_many_bindings_name_is_read_once() -> None:
    sources = HeldSources({"f.yaml": b"db: {}"}, {"s.json": b'{"db": {"size": 1}}'})
    declared = {name: {"type": "object"} for name in ("a", "b", "c", "d")}
    file = {"fromFile": {"path": "f.yaml", "pointer": "/db"}}
    lock = {"fromGit": {**LOCK, "pointer": "/db"}}
    values(declared, {"a": lock, "b": lock, "c": file, "d": file}, sources)
    assert len(sources.reads) == 2


def test_every_input_is_told_with_its_source() -> None:
    sources = HeldSources(
        {"db.yaml": b"db: {}"},
        {"s.json": b'{"db": {}}'},
        HeldState({PATH: b'{"web": {}}'}),
        {"build/other.json": b"{}"},
    )
    declared = {name: {"type": "object", "default": {}} for name in ("a", "b", "c", "d", "e", "f")}
    bound = {
        "a": {"value": {}},
        "b": {"fromFile": {"path": "db.yaml", "pointer": "/db"}},
        "c": {"fromGit": {**LOCK, "pointer": "/db"}},
        "d": READING,
        "e": {"fromPublication": {"path": "state/other.json", "carryFileFromWorktree": "build/other.json"}},
    }
    assert resolve(declared, bound, sources).effective[WEB] == {
        "a": EffectiveInput({}, InputSource.VALUE),
        "b": EffectiveInput({}, InputSource.FILE, "db.yaml#/db"),
        "c": EffectiveInput(
            {}, InputSource.GIT, f"s.json#/db of https://git.example.com/team/state.git at {COMMIT[:12]}"
        ),
        "d": EffectiveInput({}, InputSource.PUBLICATION, "state/images.json#/web of the publication"),
        "e": EffectiveInput({}, InputSource.CARRIED, "build/other.json"),
        "f": EffectiveInput({}, InputSource.DEFAULT),
    }


# Problems


def test_all_problems_of_a_target_are_told_together() -> None:
    declared = {
        "image": {"type": "string", "description": "Immutable image reference"},
        "tier": {"type": "string", "enum": ["small", "large"]},
        "replicas": {"type": "integer"},
        "database": {"type": "object"},
    }
    bindings = {
        "platform/gone": {"x": {"value": 1}},
        "platform/plain": {"x": {"value": 1}},
        "platform/web": {
            "imag": {"value": "x"},
            "tier": {"value": "medium"},
            "replicas": {"value": 2.0},
            "database": {"fromFile": {"path": "gone.yaml"}},
        },
    }
    found = problems(bindings, declared)
    assert sorted(each.code.value for each in found) == [
        "NYL-INPUT-BINDING",
        "NYL-INPUT-BINDING",
        "NYL-INPUT-BINDING",
        "NYL-INPUT-INVALID",
        "NYL-INPUT-INVALID",
        "NYL-INPUT-MISSING",
        "NYL-INPUT-UNRESOLVED",
    ]
    assert {str(each.location) for each in found} == {"targets/staging.yaml:4"}


@pytest.mark.parametrize("key", ["platform/wbe", "web", "platform/web/x", "other/web", "/web", "platform/"])
def test_a_key_that_names_no_release_of_the_target(key: str) -> None:
    [found] = problems({key: {}}, OPTIONAL)
    assert "names no Release that the target renders" in found.message
    assert "platform/web" in found.fix


def test_a_key_of_a_release_without_inputs() -> None:
    [found] = problems({"platform/plain": {}}, OPTIONAL)
    assert "platform/plain, which declares none at applications/plain.yaml:1." in found.message


def test_an_input_that_is_not_declared() -> None:
    [found] = problems({"platform/web": {"aa": {"value": 1}}}, OPTIONAL)
    assert "binds an input that platform/web does not declare at applications/web.yaml:1." in found.message
    assert found.fix == "did you mean a?"


def test_a_required_input_without_a_binding_is_named_with_its_description() -> None:
    [found] = problems({}, {"image": {"type": "string", "description": "Immutable image reference"}})
    assert found.code is Code.INPUT_MISSING
    assert "The input image (Immutable image reference) of platform/web" in found.message


@pytest.mark.parametrize(
    ("type_name", "value", "why"),
    [
        ("string", 1, "must be a string, not 1"),
        ("integer", 2.0, "must be an integer, not 2.0"),
        ("integer", True, "must be an integer, not true"),
        ("number", "1", 'must be a number, not "1"'),
        ("boolean", 0, "must be true or false, not 0"),
        ("object", [], "must be an object, not an array"),
        ("array", {}, "must be an array, not an object"),
        *((name, None, "not null") for name in ("string", "integer", "number", "boolean", "object", "array")),
    ],
)
def test_a_value_that_is_not_of_its_type(type_name: str, value: Any, why: str) -> None:
    assert why in problem({"a": {"value": value}}, {"a": {"type": type_name}})


@pytest.mark.parametrize(
    ("type_name", "enum", "fitting", "other"),
    [("integer", [1, 2], 1, 3), ("number", [1, 2.5], 1.0, 1.5), ("boolean", [True], True, False)],
)
def test_a_value_outside_its_enum(type_name: str, enum: list[Any], fitting: Any, other: Any) -> None:
    declared = {"a": {"type": type_name, "enum": enum}}
    assert values(declared, {"a": {"value": fitting}}) == {"a": fitting}
    assert "must be one of " in problem({"a": {"value": other}}, declared)


def test_only_the_top_level_type_of_objects_and_arrays_is_checked() -> None:
    declared = {"a": {"type": "object"}, "b": {"type": "array"}}
    found = {"a": {"x": None, "y": [{}]}, "b": [None, {"z": 1}]}
    assert values(declared, {name: {"value": value} for name, value in found.items()}) == found


def test_a_value_from_a_file_is_checked_and_the_file_named() -> None:
    sources = HeldSources({"db.yaml": b"db: [1]"})
    binding = {"fromFile": {"path": "db.yaml", "pointer": "/db"}}
    assert problem({"a": binding}, ANY, sources) == (
        "/spec/releaseInputs/platform~1web/a must be an object, not an array (from db.yaml#/db)."
    )


@pytest.mark.parametrize(
    ("binding", "sources"),
    [
        ({"fromFile": {"path": "f.yaml", "pointer": "/x"}}, HeldSources({"f.yaml": b"a: 1"})),
        ({"fromGit": {**LOCK, "pointer": "/x"}}, HeldSources(locked={"s.json": b"{}"})),
        (READING, HeldSources(state=HeldState({PATH: b"{}"}))),
        (CARRYING, HeldSources(carried={"build/images.json": b"{}"})),
    ],
)
def test_a_pointer_that_leads_to_nothing_is_a_problem_although_there_is_a_default(
    binding: dict[str, Any], sources: HeldSources
) -> None:
    assert "leads to nothing in" in problem({"a": binding}, OPTIONAL, sources)


def test_a_file_that_is_no_yaml_is_told_with_the_binding_that_names_it() -> None:
    found = problem({"a": {"fromFile": {"path": "f.yaml"}}}, ANY, HeldSources({"f.yaml": b"a: 1\na: 2\n"}))
    assert found.startswith("/spec/releaseInputs/platform~1web/a cannot be had: f.yaml:2 is not valid YAML")


def test_a_value_that_does_not_fit_names_the_place_of_its_declaration_too() -> None:
    [found] = problems({"platform/web": {"a": {"value": 1}}}, ANY)
    assert "that Release web declares at applications/web.yaml:1" in found.fix


def test_problems_stand_on_the_lines_of_their_bindings() -> None:
    lines = {"/spec/releaseInputs/platform~1web/a": 17}
    located = BindingContext(target({"platform/web": {"a": {"value": 1}}}), line_of=lines.__getitem__)
    with pytest.raises(NylError) as caught:
        resolve_inputs(located, {WEB: release(ANY)}, (), HeldSources())
    assert str(caught.value.diagnostic.location) == "targets/staging.yaml:17"


@pytest.mark.parametrize("name", ["fromUnit", "fromPromotion"])
def test_sources_of_orchestration_are_rejected_where_they_would_be_rendered(name: str) -> None:
    bindings = {"platform/web": {"a": {name: {}}}}
    assert "reserved for orchestration" in problem(bindings["platform/web"], OPTIONAL)
    assert resolve_inputs(context(bindings), {}, {"platform"}, HeldSources()).effective == {}


def test_keys_of_a_disabled_group_are_ignored() -> None:
    bindings = {"platform/web": {"a": {"fromUnit": {}}}, "platform/gone": {}, "other/web": {"a": {"value": {}}}}
    other = ReleaseAddress("other", "web")
    found = resolve_inputs(context(bindings), {other: release(ANY)}, {"platform"}, HeldSources())
    assert found.values(other) == {"a": {}}
    assert found.values(WEB) is None


# Locks


@pytest.mark.parametrize(
    ("repository", "revision", "path"),
    [
        ({"repositoryRef": {"name": "deploy"}}, "deploy", "staging/state/images.json"),
        ({"repositoryRef": {"name": "deploy"}}, "refs/heads/deploy", "staging/images.json"),
        ({"repository": {"repoURL": "git@git.example.com:team/deploy"}}, "deploy", "staging/images.json"),
    ],
)
def test_a_lock_of_a_file_of_the_targets_own_publication(repository: dict[str, Any], revision: str, path: str) -> None:
    lock = {**repository, "revision": revision, "commit": COMMIT, "path": path}
    sources = HeldSources(locked={path: b"{}"})
    assert "locks a file of the target's own publication" in problem({"a": {"fromGit": lock}}, ANY, sources)


@pytest.mark.parametrize(
    ("repository", "revision", "path"),
    [
        ("deploy", "deploy", "production/images.json"),
        ("deploy", "main", "staging/x"),
        ("platform-state", "deploy", "staging/x"),
    ],
)
def test_locks_of_other_files_are_none_of_it(repository: str, revision: str, path: str) -> None:
    lock = {"repositoryRef": {"name": repository}, "revision": revision, "commit": COMMIT, "path": path}
    assert values(ANY, {"a": {"fromGit": lock}}, HeldSources(locked={path: b"{}"})) == {"a": {}}


def test_the_projects_own_repository_may_be_the_one_that_is_published_to() -> None:
    from dataclasses import replace

    lock = {"repositoryRef": {"name": "deploy"}, "revision": "deploy", "commit": COMMIT, "path": "staging/x"}
    bound = target({"platform/web": {"a": {"fromGit": lock}}})
    own = replace(bound, publication=replace(bound.publication, repository=None))
    located = BindingContext(own, REPOSITORIES, own_url="ssh://git@git.example.com/team/deploy.git")
    sources = HeldSources(locked={"staging/x": b"{}"})
    with pytest.raises(NylError, match="own publication"):
        resolve_inputs(located, {WEB: release(ANY)}, (), sources)
    elsewhere = replace(bound.publication, repository=RepositoryLocation("https://x.example.com/a", DEPLOY.url))
    with pytest.raises(NylError, match="own publication"):
        resolve_inputs(
            BindingContext(replace(bound, publication=elsewhere), REPOSITORIES), {WEB: release(ANY)}, (), sources
        )


# Publication state


def test_a_state_file_of_the_publication_is_read() -> None:
    sources = HeldSources(state=HeldState({PATH: b'{"web": {"tag": 1}}'}))
    found = resolve(ANY, {"a": READING}, sources)
    assert found.values(WEB) == {"a": {"tag": 1}}
    assert found.state_files == ()


@pytest.mark.parametrize("commit", [None, COMMIT])
def test_while_the_branch_or_the_file_does_not_exist_the_default_applies(commit: str | None) -> None:
    found = resolve(OPTIONAL, {"a": READING}, HeldSources(state=HeldState(commit=commit)))
    assert found.values(WEB) == {"a": {}}
    assert found.warnings == ()


def test_while_the_file_does_not_exist_a_required_input_says_so() -> None:
    found = problem({"a": READING}, ANY)
    assert "has no default, and state/images.json of the publication is not there yet." in found


@pytest.mark.parametrize(
    ("binding", "first"),
    [(READING, "publish the file first"), (CARRYING, "let the build write build/images.json first")],
)
def test_the_fix_names_the_file_that_is_to_be_there_first(binding: dict[str, Any], first: str) -> None:
    [found] = problems({"platform/web": {"a": binding}}, ANY)
    assert found.fix == f"{first}, or give the input a default"


def test_offline_with_nothing_cached_the_default_applies_and_one_warning_says_so() -> None:
    declared = {name: {"type": "object", "default": {}} for name in ("a", "b")}
    state = HeldState(commit=None, is_cached=True)
    found = resolve(declared, {"a": READING, "b": READING}, HeldSources(state=state))
    assert found.values(WEB) == {"a": {}, "b": {}}
    assert [each.code for each in found.warnings] == [Code.INPUT_UNKNOWN_STATE]


def test_the_state_of_a_target_is_not_asked_for_unless_a_binding_needs_it() -> None:
    class Unreachable(HeldState):
        def read(self, path: str) -> bytes | None:
            raise AssertionError(path)

    assert values(OPTIONAL, {"a": {"value": {}}}, HeldSources(state=Unreachable())) == {"a": {}}


@pytest.mark.parametrize("path", ["platform/web/state.json", "Platform", "_nyl/state.json", "../x.json", "/x.json"])
def test_a_state_file_lies_outside_what_applications_sync(path: str) -> None:
    [found] = problems({"platform/web": {"a": {"fromPublication": {"path": path}}}}, OPTIONAL, None, "platform/web")
    assert found.code is Code.STATE_PATH


# Carry files


def test_a_carry_file_is_rendered_from_and_written_to_the_publication() -> None:
    sources = HeldSources(
        state=HeldState({PATH: b'{"web": {"tag": 1}}'}), carried={"build/images.json": b'{"web": {"tag": 2}}\n'}
    )
    found = resolve(ANY, {"a": CARRYING}, sources)
    assert found.values(WEB) == {"a": {"tag": 2}}
    assert found.state_files == (StateFile(PATH, b'{"web": {"tag": 2}}\n'),)
    assert found.provenance[f"@carried/{PATH}"] == sha256(b'{"web": {"tag": 2}}\n')
    assert f"@publication/{PATH}" not in found.provenance


def test_without_a_carry_file_the_last_carried_value_persists() -> None:
    found = resolve(ANY, {"a": CARRYING}, HeldSources(state=HeldState({PATH: b'{"web": {"tag": 1}}'})))
    assert found.values(WEB) == {"a": {"tag": 1}}
    assert found.state_files == (StateFile(PATH, b'{"web": {"tag": 1}}'),)
    assert found.provenance[f"@publication/{PATH}"] == sha256(b'{"web": {"tag": 1}}')
    assert f"@carried/{PATH}" not in found.provenance


def test_a_carry_file_is_read_as_the_file_that_it_is_published_as() -> None:
    named = {"fromPublication": {"path": PATH, "carryFileFromWorktree": "build/images.yaml"}}
    content = b'{"web": "\\ud83d\\ude00"}'
    carried = HeldSources(carried={"build/images.yaml": content})
    published = HeldSources(state=HeldState({PATH: content}))
    assert values(ANY, {"a": named}, carried) == values(ANY, {"a": named}, published) == {"a": {"web": "\U0001f600"}}


def test_with_neither_a_carry_file_nor_a_branch_copy_the_input_is_unbound() -> None:
    found = resolve(OPTIONAL, {"a": CARRYING})
    assert (found.values(WEB), found.state_files) == ({"a": {}}, ())
    assert found.effective[WEB]["a"].detail == f"{PATH} of the publication is not there yet"


@pytest.mark.parametrize("other", [None, "build/other.json"])
def test_bindings_of_one_path_carry_the_same_file_or_none(other: str | None) -> None:
    declared = {name: {"type": "object", "default": {}} for name in ("a", "b", "c")}
    another = {"fromPublication": {"path": PATH, **({"carryFileFromWorktree": other} if other else {})}}
    found = problem({"a": CARRYING, "b": another, "c": CARRYING}, declared)
    assert f"carries {other or 'no file'} to {PATH}, to which the binding of platform/web a" in found
    assert "at targets/staging.yaml:4 carries build/images.json." in found
    values(declared, {"a": CARRYING, "b": CARRYING})
    values(declared, {"a": READING, "b": READING})
    respelled = {"fromPublication": {"path": PATH, "carryFileFromWorktree": "./build/images.json"}}
    values(declared, {"a": CARRYING, "b": respelled})


# Provenance


def test_provenance_names_inputs_files_and_locks() -> None:
    file, locked, state = b"db: {}\n", b'{"db": {}}', b'{"web": {}}'
    sources = HeldSources({"env/db.yaml": file}, {"s.json": locked}, HeldState({PATH: state}))
    declared = {name: {"type": "object", "default": {"z": 1, "y": 2}} for name in ("a", "b", "c", "d")}
    bound = {
        "a": {"fromFile": {"path": "env/db.yaml", "pointer": "/db"}},
        "b": {"fromGit": {**LOCK, "pointer": "/db"}},
        "c": READING,
    }
    assert resolve(declared, bound, sources).provenance == {
        "env/db.yaml": sha256(file),
        f"@git/https://git.example.com/team/state.git@{COMMIT}/s.json": sha256(locked),
        f"@publication/{PATH}": sha256(state),
        "@input/platform/web/a": sha256(b"{}"),
        "@input/platform/web/b": sha256(b"{}"),
        "@input/platform/web/c": sha256(b"{}"),
        "@input/platform/web/d": sha256(b'{"y":2,"z":1}'),
    }


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (2**53 - 1, b"9007199254740991"),
        (2**53, b"9007199254740992"),
        (2**53 + 1, b"9007199254740993"),
        (-(2**53) - 1, b"-9007199254740993"),
        (123456789012345678901234567890, b"123456789012345678901234567890"),
        (1.0, b"1"),
        (1e21, b"1e+21"),
    ],
)
def test_digests_are_of_canonical_json_with_exact_integers(value: Any, canonical: bytes) -> None:
    found = resolve({"a": {"type": "number"}}, {"a": {"value": value}})
    assert found.provenance == {"@input/platform/web/a": sha256(canonical)}
