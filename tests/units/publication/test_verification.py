from dataclasses import replace

import pytest

from nyl.units.outcomes import Failed, Verified
from tests.support.publication_worlds import INDEX
from tests.support.publishing import Publisher
from tests.support.tree_worlds import SETTINGS


def drift(publisher: Publisher, artifact: object = None) -> str:
    found = publisher.verify(artifact)  # type: ignore[arg-type]
    assert isinstance(found, Verified), found
    assert found.drifted is bool(found.detail)
    return found.detail


def test_a_tree_that_is_as_it_was_published_is_clean_whatever_lies_beside_it(publisher: Publisher) -> None:
    artifact = publisher.publish()
    publisher.world.by_hand({"README.md": "x", "prod/notes.txt": "y"})
    assert drift(publisher, artifact) == ""


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({f"prod/{SETTINGS}": "edited"}, f"{SETTINGS} (changed)"),
        ({f"prod/{SETTINGS}": None}, f"{SETTINGS} (removed)"),
        ({f"prod/{INDEX}": None}, "there is no tree in prod on deploy of "),
    ],
)
def test_what_was_done_to_it_is_drift(publisher: Publisher, files: dict[str, str | None], told: str) -> None:
    artifact = publisher.publish()
    publisher.world.by_hand(files)
    assert told in drift(publisher, artifact)


def test_a_branch_that_is_gone_is_drift(publisher: Publisher) -> None:
    publisher.publish()
    publisher.world.git("update-ref", "-d", "refs/heads/deploy", cwd=publisher.world.origin)
    assert drift(publisher).endswith("is gone")


def test_a_tree_that_somebody_else_took_is_drift(publisher: Publisher) -> None:
    artifact = publisher.publish()
    replace(publisher, environment="prod", uid="01a22cd2-0000-7000-8000-000000000000").publish()
    assert "is owned by a unit of prod" in drift(publisher, artifact)


def test_another_index_with_the_same_files_is_drift(publisher: Publisher) -> None:
    artifact = publisher.publish()
    publisher.world.write("group.yaml", (publisher.world.project / "group.yaml").read_text() + "# more\n").commit()
    publisher.publish()
    assert "is not the one that was published" in drift(publisher, artifact)


def test_an_index_that_cannot_be_read_is_no_finding(publisher: Publisher) -> None:
    publisher.publish()
    publisher.world.by_hand({f"prod/{INDEX}": "no JSON"})
    assert isinstance(publisher.verify(), Failed)
