"""``isfc relocate``: its options, its page and its exit status."""

import json

import pytest

from isfc.cli.commands.relocate import read_background
from isfc.cli.main import run
from isfc.cli.options.guest import read_size

SMALL = "relocate published-4 --memory 32M --change-rate 20M".split()


def test_page_has_every_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SMALL, "--guests", "2", "--background", "HS:3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Relocation of 2 guests from CLIENT to SERVER, one by one"
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("2 stopped") for line in lines) == 2
    assert lines[-2].startswith("2 of 2 guests moved in ")
    assert lines[-1].startswith("Meanwhile 3 pairs of HS: ")


def test_record_is_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SMALL, "--from", "SERVER", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["source"], record["background"]) == ("SERVER", None)
    (guest,) = record["guests"]
    assert guest["moved"]
    assert sum(each["bytes"] for each in guest["passes"]) == guest["bytes"]
    assert guest["seconds"] == pytest.approx(sum(each["seconds"] for each in guest["passes"]))


def test_guest_that_stays_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--change-rate 1G --quiesce 0 --max-quiesce 0.01".split()
    assert run(["relocate", "published-4", "--memory", "32M", *options]) == 1
    assert "was not moved" in capsys.readouterr().out


def test_a_guest_that_takes_too_long_in_all_is_given_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([*SMALL, "--guests", "2", "--max-total", "0.05"]) == 1
    page = capsys.readouterr().out
    assert page.count("was not moved: the 0.05 s that it may take were over.") == 2
    assert run([*SMALL, "--max-total", "0.05", "--json"]) == 1
    (guest,) = json.loads(capsys.readouterr().out)["guests"]
    assert guest["end"] == "max-total"
    assert guest["seconds"] == pytest.approx(0.05, abs=0.01)
    assert 0 < guest["bytes"] < 32 * 2**20
    assert run([*SMALL, "--max-total", "60"]) == 0


def test_an_immediate_relocation_stops_the_guest_after_one_pass(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = "--change-rate 1G --quiesce 0 --immediate".split()
    arguments = ["relocate", "published-4", "--memory", "32M", *options]
    assert run([*arguments, "--json"]) == 0
    (guest,) = json.loads(capsys.readouterr().out)["guests"]
    assert [each["quiesced"] for each in guest["passes"]] == [False, True, True]
    assert run([*arguments, "--max-quiesce", "0.01"]) == 1
    assert "was not moved: it would be stopped for too long." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "size"), [("64G", 64 * 2**30), ("1.5g", 3 * 2**29), ("400MB", 400 * 2**20), ("7", 7)]
)
def test_sizes(text: str, size: int) -> None:
    assert read_size("--memory", text) == size


def test_background() -> None:
    workload, pairs = read_background("CDU:1000:20")
    assert (workload.name, pairs) == ("CDU:1000", 20)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--memory x --change-rate 1M", "--memory x: expected a number of bytes"),
        ("--memory 1M --change-rate 1Q", "--change-rate 1Q: expected"),
        ("--memory 0 --change-rate 1M", "memory 0: expected"),
        ("--memory 1G --change-rate 1M --touched 2G", "--touched 2G: expected"),
        ("--memory 1G --hot-set 2G --write-rate 1M", "--hot-set 2G: expected at most"),
        ("--memory 1G --hot-set 512M", "--hot-set and --write-rate: expected both"),
        ("--memory 1G --change-rate 50", "--change-rate 50: expected a unit"),
        ("--like cobol", "--like cobol: expected one of java"),
        ("--memory 1G", "expected --memory, and --change-rate or --hot-set, or --like"),
        ("--memory 1G --change-rate 1M --background HS", "expected NAME:PAIRS"),
        ("--memory 1G --change-rate 1M --background XX:3", "is unknown"),
        ("--memory 1G --change-rate 1M --quiesce 20", "at most --max-quiesce"),
        ("--memory 1G --change-rate 1M --max-total -1", "--max-total -1: expected 0 to 1e+06 s"),
        ("--memory 1G --change-rate 1M --guests 0", "--guests 0: expected 1 to 16"),
        ("--memory 1G --change-rate 1M --from ELSEWHERE", "not a node of this layout"),
    ],
)
def test_what_cannot_be_is_said(
    options: str, complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["relocate", "published-4", *options.split()]) == 2
    assert complaint in capsys.readouterr().err


def test_guest_like_one_that_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["relocate", "published-4", "--like", "direct-io", "--touched", "16M"]) == 0
    lines = capsys.readouterr().out.splitlines()
    heading = "memory 4 GiB, 0.0156 GiB of it touched, of which 10 MB/s change"
    assert lines[1] == heading
    assert lines[5].split()[3] == "0.016"
