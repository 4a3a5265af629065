import pytest

from nyl.cli.streams import kept_stdout, write_out


def test_what_is_kept_within_what_is_kept_writes_to_the_same_stdout(capsys: pytest.CaptureFixture[str]) -> None:
    with kept_stdout(), kept_stdout():
        print("of a driver")
        write_out("of nyl\n")
    told = capsys.readouterr()
    assert (told.out, told.err) == ("of nyl\n", "of a driver\n")
