import json
from dataclasses import replace
from typing import Any

import pytest

from nyl.core.codes import Code
from nyl.core.diagnostics import NylError
from nyl.kubernetes.index import Index, IndexOwner, IndexPublication, OwnerPlace, decode, encode, same_tree

_A, _B = "a" * 64, "b" * 64
_INDEX = Index(
    target="staging",
    cluster="shared",
    publication=IndexPublication("https://example.com/deploy", "deploy", "staging"),
    files={"platform/web/configmap/web/a.yaml": _A, "_nyl/catalog/x.yaml": _B},
    inputs={"apps/web.yaml": _A, "@input/platform/web/image": _B, "@publication/state/images.json": _A},
    commit="c" * 40,
    owner=IndexOwner("dev", "01a1"),
)


def test_an_index_reads_back() -> None:
    assert decode(encode(_INDEX)) == _INDEX
    bare = replace(_INDEX, commit=None, owner=None, publication=IndexPublication(None, "deploy", ""))
    assert decode(encode(bare)) == bare


def test_the_place_of_an_owner_reads_back_and_does_not_make_another_owner() -> None:
    placed = IndexOwner("dev", "01a1", OwnerPlace("https://example.com/shop.git", "refs/heads/nyl/dev/desired", "shop"))
    found = decode(encode(replace(_INDEX, owner=placed))).owner
    assert found is not None
    assert found.place == placed.place
    assert found == _INDEX.owner


def test_it_is_sorted_with_a_newline_at_the_end() -> None:
    text = encode(_INDEX).decode()
    assert text.endswith("}\n")
    data = json.loads(text)
    assert list(data) == ["cluster", "files", "inputs", "owner", "publication", "source", "target", "version"]
    assert list(data["files"]) == sorted(data["files"])
    assert encode(replace(_INDEX, files=dict(reversed(_INDEX.files.items())))) == encode(_INDEX)


def test_its_fields_are_those_that_were_decided() -> None:
    assert json.loads(encode(_INDEX)) == {
        "version": 1,
        "target": "staging",
        "cluster": "shared",
        "publication": {"repository": "https://example.com/deploy", "revision": "deploy", "pathPrefix": "staging"},
        "owner": {"environment": "dev", "uid": "01a1"},
        "source": {"commit": "c" * 40},
        "files": dict(_INDEX.files),
        "inputs": dict(_INDEX.inputs),
    }


def _changed(**fields: Any) -> bytes:
    return json.dumps(json.loads(encode(_INDEX)) | fields).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b"[" * 100_000,
        _changed(version=2),
        _changed(version=True),
        _changed(version="1"),
        _changed(target=None),
        _changed(cluster=1),
        _changed(publication=None),
        _changed(publication={"repository": 1, "revision": "deploy", "pathPrefix": ""}),
        _changed(owner={"environment": "dev"}),
        _changed(owner=[]),
        _changed(source={"commit": "HEAD"}),
        _changed(source=None),
        _changed(files=[]),
        _changed(files={"a.yaml": "A" * 64}),
        _changed(files={"a.yaml": None}),
        _changed(inputs={"a.yaml": "sha256:" + _A}),
        b'{"version": 1, "version": 1}',
    ],
)
def test_a_damaged_index_is_refused_by_name(data: bytes) -> None:
    with pytest.raises(NylError) as caught:
        decode(data, "staging/_nyl/index.json")
    assert caught.value.diagnostic.code is Code.TREE_INDEX
    assert "staging/_nyl/index.json" in caught.value.diagnostic.message


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "a//b", "a/./b", "", "a/", "_nyl/index.json", ".git/config", "a/.GIT/x", "a\\..\\b", "a\0"],
)
def test_an_index_never_names_what_is_not_below_its_prefix(path: str) -> None:
    with pytest.raises(NylError):
        decode(_changed(files={path: _A}))


def test_a_tree_is_the_same_without_regard_to_its_source_commit() -> None:
    assert same_tree(_INDEX, replace(_INDEX, commit="d" * 40))
    assert same_tree(_INDEX, replace(_INDEX, commit=None))


def test_a_tree_is_the_same_whether_state_was_carried_or_read_from_the_publication() -> None:
    kept = {key: value for key, value in _INDEX.inputs.items() if not key.startswith("@publication/")}
    assert same_tree(_INDEX, replace(_INDEX, inputs={**kept, "@carried/state/images.json": _A}))
    assert not same_tree(_INDEX, replace(_INDEX, inputs={**kept, "@carried/state/images.json": _B}))
    assert not same_tree(_INDEX, replace(_INDEX, inputs={**kept, "@carried/state/other.json": _A}))


@pytest.mark.parametrize(
    "changes",
    [
        {"target": "production"},
        {"cluster": "other"},
        {"owner": None},
        {"files": {}},
        {"inputs": {}},
        {"publication": IndexPublication(None, "deploy", "staging")},
    ],
)
def test_every_other_difference_makes_another_tree(changes: dict[str, Any]) -> None:
    assert not same_tree(_INDEX, replace(_INDEX, **changes))
