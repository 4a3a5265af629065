"""The commands that fixes of a --local invocation name."""

import pytest

from nyl.cli.local_fixes import local_fix


@pytest.mark.parametrize(
    ("fix", "local"),
    [
        ("pass --approve u to `nyl reconcile -e dev`", "pass --approve u to `nyl reconcile -e dev --local`"),
        ("run `nyl lease break -e dev`; `nyl status`", "run `nyl lease break -e dev --local`; `nyl status --local`"),
        ("run `nyl recover -e dev --local`", "run `nyl recover -e dev --local`"),
        ("run `nyl state publish -e dev` or `nyl init`", "run `nyl state publish -e dev` or `nyl init`"),
        ("run `git log nyl/dev/desired`, then nyl reconcile", "run `git log nyl/dev/desired`, then nyl reconcile"),
    ],
)
def test_commands_that_take_the_option_get_it(fix: str, local: str) -> None:
    assert local_fix(fix) == local
