"""Names of files and refs of state."""

from hypothesis import given
from hypothesis import strategies as st

from nyl.project.resources import StateLocation
from nyl.state.paths import FileRole, StateFile, StatePaths, file_stem, name_of_stem
from nyl.state.refs import RunRefKind, StateRefs

PATHS = StatePaths("envs/dev")


@given(st.text(min_size=1))
def test_any_name_has_a_file_of_its_own_that_leads_back(name: str) -> None:
    stem = file_stem(name)
    assert name_of_stem(stem) == name.encode("utf-8", "replace").decode()
    assert "/" not in stem
    assert not stem.startswith(".")
    assert not stem.lower().endswith(".yaml")


@given(st.text(min_size=1), st.text(min_size=1))
def test_two_names_never_share_a_file(one: str, other: str) -> None:
    assert (file_stem(one) == file_stem(other)) == (one == other)


def test_plain_names_stay_readable() -> None:
    assert PATHS.desired("create-database.v2") == "envs/dev/desired/units/create-database.v2.yaml"


def test_the_folder_of_a_unit_is_no_file_of_another() -> None:
    assert PATHS.artifacts("a.yaml").rstrip("/").rpartition("/")[0] != PATHS.observed("a")


def test_paths_lead_back_to_what_they_are_about() -> None:
    assert PATHS.parse(PATHS.state) == StateFile(FileRole.STATE)
    assert PATHS.parse(PATHS.environment) == StateFile(FileRole.ENVIRONMENT)
    assert PATHS.parse(PATHS.desired("a")) == StateFile(FileRole.DESIRED, "a")
    assert PATHS.parse(PATHS.observed("a")) == StateFile(FileRole.OBSERVED, "a")
    assert PATHS.parse(PATHS.artifact("a", "x y")) == StateFile(FileRole.ARTIFACT, "a", "x y")


def test_files_of_another_environment_are_not_owned() -> None:
    for path in ("state.yaml", "desired/units/a.yaml", "envs/dev2/desired/units/a.yaml", "envs/dev/README.md"):
        assert not PATHS.owns(path)


def test_refs_lead_back_to_their_run() -> None:
    refs = StateRefs("dev", StateLocation(desired_ref="refs/heads/d", observed_ref="refs/heads/o"))
    assert refs.parse_run(refs.run("01a1")) == (RunRefKind.RUNS, "01a1")
    assert refs.parse_run(refs.signals("01a1")) == (RunRefKind.SIGNALS, "01a1")
    assert refs.parse_run(refs.lease) is None
    assert refs.parse_run("refs/nyl/dev2/runs/01a1") is None
    assert refs.parse_run("refs/nyl/dev/runs/01a1/x") is None
