"""Which tags are set."""

import pytest

from nyl.units.images.tags import TagAction, key_tag, tag_action

NEW, OLD, THEIRS = "sha256:1", "sha256:2", "sha256:3"


@pytest.mark.parametrize(
    ("named", "own", "move", "action"),
    [
        (None, (), False, TagAction.SET),
        (NEW, (), False, TagAction.KEEP),
        (NEW, (), True, TagAction.KEEP),
        (OLD, (OLD,), False, TagAction.SET),
        (THEIRS, (OLD,), False, TagAction.REFUSE),
        (THEIRS, (), False, TagAction.REFUSE),
        (THEIRS, (), True, TagAction.SET),
    ],
)
def test_a_tag_is_moved_from_the_units_own_images_only(
    named: str | None, own: tuple[str, ...], move: bool, action: TagAction
) -> None:
    assert tag_action(NEW, named, own, move=move) is action


def test_the_tag_of_a_key_is_its_beginning() -> None:
    assert key_tag("sha256:0123456789abcdef" + "f" * 48) == "nyl-0123456789abcdef"
