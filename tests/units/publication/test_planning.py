from nyl.units.outcomes import Planned
from tests.support.publication_worlds import INDEX
from tests.support.publishing import Publisher
from tests.support.tree_worlds import SETTINGS, WEB


def planned(publisher: Publisher) -> Planned:
    found = publisher.plan()
    assert isinstance(found, Planned), found
    return found


def test_the_files_that_come_change_and_go_are_named(publisher: Publisher) -> None:
    first = planned(publisher)
    assert first.text.startswith("publish DeploymentTarget prod to prod on deploy of ")
    assert "4 files added" in first.text
    assert f"  + {SETTINGS}\n" in first.text
    publisher.publish()
    publisher.world.data("two").commit()
    assert f"1 file changed\n  ~ {SETTINGS}\n" in planned(publisher).text
    publisher.world.remove(WEB).commit()
    assert f"  - {SETTINGS}\n" in planned(publisher).text


def test_what_changes_nothing_is_told_as_nothing_with_a_digest_of_its_own(publisher: Publisher) -> None:
    first = planned(publisher)
    publisher.publish()
    nothing = planned(publisher)
    assert nothing.text == ""
    publisher.world.write("README.md", "x").commit()
    assert planned(publisher) == nothing
    assert nothing.digest != first.digest


def test_the_same_change_has_the_same_digest_whoever_owns_the_tree_then(publisher: Publisher) -> None:
    first = planned(publisher)
    publisher.uid = ""
    assert planned(publisher) == first
    publisher.world.data("two").commit()
    assert planned(publisher).digest != first.digest


def test_hand_edits_and_what_is_in_the_way_are_named(publisher: Publisher) -> None:
    publisher.publish()
    publisher.world.by_hand({f"prod/{SETTINGS}": "edited"})
    assert f"1 file edited outside nyl:\n  ! {SETTINGS} (changed)\n" in planned(publisher).text
    publisher.world.by_hand({f"prod/{INDEX}": None})
    text = planned(publisher).text
    assert "4 files in the way that nyl does not own:\n" in text
    assert f"  ! {SETTINGS}\n" in text


def test_a_tree_of_which_only_the_index_changes_says_so(publisher: Publisher) -> None:
    publisher.publish()
    publisher.world.write("group.yaml", (publisher.world.project / "group.yaml").read_text() + "# more\n").commit()
    assert planned(publisher).text.endswith(": only the index changes\n")


def test_long_lists_are_cut(publisher: Publisher) -> None:
    objects = "".join(
        f"---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number:03}}}\n" for number in range(150)
    )
    publisher.world.write(WEB, (publisher.world.project / WEB).read_text() + objects).commit()
    text = planned(publisher).text
    assert "154 files added" in text
    assert text.count("  + ") == 101
    assert "  + … and 54 more\n" in text
