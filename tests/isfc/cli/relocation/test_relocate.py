"""``isfc relocate``: its options, its page and its exit status."""

import json
from pathlib import Path

import pytest

from isfc.arguments import read_size
from isfc.cli.main import run
from isfc.cli.relocation.options import read_background
from isfc.testing.cluster import mesh
from tests.isfc.cli.conftest import Refusal

pytestmark = pytest.mark.at_length


SMALL = "relocate published-4 --memory 32M --change-rate 20M".split()


@pytest.mark.full_length
def test_page_has_every_pass(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SMALL, "--guests", "2", "--background", "HS:3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Relocation of 2 guests from CLIENT to SERVER, one by one"
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("2 stopped") for line in lines) == 2
    assert lines[3].startswith("2 of 2 guests moved in ")
    assert any(line.startswith("CLIENT-SERVER ") for line in lines)
    assert any(line.startswith("Range of all: ") for line in lines)


def test_record_is_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*SMALL, "--from", "SERVER", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["source"], record["traffic"]) == ("SERVER", [])
    (guest,) = record["guests"]
    assert (guest["from"], guest["to"], guest["begin_s"]) == ("SERVER", "CLIENT", 0)
    assert guest["moved"]
    passes = guest["passes"]
    assert sum(each["bytes"] + each["state_bytes"] for each in passes) == guest["bytes"]
    assert guest["seconds"] == pytest.approx(sum(each["seconds"] for each in guest["passes"]))


def test_guest_that_stays_fails_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    options = "--change-rate 1G --quiesce 0 --max-quiesce 0.05".split()
    assert run(["relocate", "published-4", "--memory", "32M", *options]) == 1
    said = "was not moved: MAXQUIESCE exceeded after 0.05 s stopped; the guest stays on CLIENT."
    page = " ".join(capsys.readouterr().out.split())
    assert said in page
    assert "By the rules, at the " in page


def test_a_guest_that_takes_too_long_in_all_is_given_up(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([*SMALL, "--guests", "2", "--max-total", "0.05"]) == 1
    page = capsys.readouterr().out
    assert page.count("was not moved: MAXTOTAL exceeded after 0.05 s, 0.0") == 2
    assert run([*SMALL, "--max-total", "0.05", "--json"]) == 1
    (guest,) = json.loads(capsys.readouterr().out)["guests"]
    assert (guest["end"], guest["reason"], guest["seconds"]) == ("max-total", "04", 0.05)
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
    assert run([*arguments, "--max-quiesce", "0.05"]) == 1
    assert "was not moved: MAXQUIESCE exceeded" in capsys.readouterr().out


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
        ("--memory 1G --like java", "--like java: has a hot set of 3.125 GiB, and 1 GiB are"),
        ("--memory 1G --hot-set 512M", "--hot-set 512M: expected also --write-rate, how much"),
        ("--memory 1G --write-rate 9M", "--write-rate 9M: expected also --hot-set, how much"),
        ("--like java --hot-set 0", "--hot-set and --write-rate: expected both"),
        ("--memory 1G --change-rate 50", "--change-rate 50: expected a unit"),
        ("--memory 16 --change-rate 1M", "--memory 16: expected a unit, K, M, G or T, as 16G"),
        ("--like cobol", "--like cobol: expected one of java"),
        ("--memory 1G", "expected --memory, and --change-rate or --hot-set, or --like"),
        ("--memory 1G --change-rate 1M --background HS", "expected NAME:PAIRS"),
        ("--memory 1G --change-rate 1M --background XX:3", "is unknown"),
        ("--memory 1G --change-rate 1M --quiesce 20", "at most --max-quiesce"),
        ("--memory 1G --change-rate 1M --max-total 0", "--max-total 0: expected more than 0 s"),
        (
            "--memory 1G --change-rate 1M --max-quiesce 0.005",
            "max quiesce 0.005 s of GUEST: state",
        ),
        ("--memory 1G --change-rate 1M --at-once --together 2", "expected one of them"),
        ("--memory 1G --change-rate 1M --guests none.csv", "FILE.csv: expected no --memory"),
        ("--guests none.csv", "--guests none.csv: cannot be read"),
        ("--memory 1G --change-rate 1M --csv --json", "--csv and --json: "),
        ("--memory 1G --change-rate 1M --plot x.txt", "--plot x.txt: "),
        ("--memory 1G --change-rate 1M --at 5", "--at '5': expected SECONDS and MODIFY"),
        (
            "--memory 1G --change-rate 1M --guests 2 --at 5_CANCEL_A",
            "expected one of GUEST1, GUEST2",
        ),
        ("--memory 1G --change-rate 1M --at 5_CANCEL", "--at '5 CANCEL': expected SECONDS"),
        ("--memory 1G --change-rate 1M --at 5_STATUS_GUEST_X", "expected SECONDS"),
        ("--memory 1G --change-rate 1M --at 5_MODIFY_GUEST", "expected SECONDS"),
        ("--memory 1G --change-rate 1M --at 5_MODIFY_GUEST_MAXT", "expected SECONDS"),
        ("--memory 1G --change-rate 1M --at 5_MODIFY_GUEST_MAXT_-1", "MAXTOTAL -1: expected 1 to"),
        ("--memory 1G --change-rate 1M --at 5_MODIFY_GUEST_MOVE_1", "MOVE: expected MAXTOTAL or"),
        ("--memory 1G --change-rate 1M --guests 0", "--guests 0: expected 1 to 500"),
        ("--memory 1G --change-rate 1M --from ELSEWHERE", "--from ELSEWHERE: "),
    ],
)
def test_what_cannot_be_is_said(options: str, complaint: str, refusal: Refusal) -> None:
    arguments = [word.replace("_", " ") for word in options.split()]
    assert complaint in refusal("relocate", "published-4", *arguments)


def test_guest_like_one_that_was_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["relocate", "published-4", "--like", "direct-io", "--touched", "16M"]) == 0
    lines = capsys.readouterr().out.splitlines()
    heading = "memory 4 GiB, 0.0156 GiB of it touched, of which 10 MB/s change"
    assert lines[1] == heading
    assert lines[2] == "direct-io: touched published; memory inferred; change assumed"
    assert lines[5].startswith("Range: ")
    assert lines[7].split()[3] == "0.016"


GUESTS = "name,memory,change_rate,max_total\nlinux1,32M,20M,\nLINUX2,16M,0,0.01\n"


def test_guests_of_a_file_have_memory_and_limits_of_their_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "guests.csv").write_text(GUESTS)
    arguments = ["relocate", "published-4", "--guests", str(tmp_path / "guests.csv"), "--at-once"]
    assert run([*arguments, "--json"]) == 1
    first, second = json.loads(capsys.readouterr().out)["guests"]
    assert (first["name"], first["memory_bytes"], first["end"]) == ("LINUX1", 32 * 2**20, "moved")
    assert (second["name"], second["end"], second["seconds"]) == ("LINUX2", "max-total", 0.01)
    assert run(arguments) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Relocation of 2 guests from CLIENT to SERVER, all together"
    assert "memory 16 MiB, of which 0 MB/s change" in lines
    assert max(map(len, lines)) <= 80
    text = GUESTS.replace("max_total", "max_quiesce").replace("0.01", "0.001")
    (tmp_path / "guests.csv").write_text(text)
    assert run(arguments) == 2
    said = "max quiesce 0.001 s of LINUX2: state and I/O devices, 4 MiB, alone"
    assert said in capsys.readouterr().err


def test_commands_are_given_at_their_times(capsys: pytest.CaptureFixture[str]) -> None:
    orders = ["--at", "0.05 vmrelocate status", "--at", "0.1s CANCEL guest"]
    assert run([*SMALL, *orders]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("GUEST was not moved: cancelled after 0.10 s") for line in lines)
    at = lines.index("0.05 s: VMRELOCATE STATUS")
    assert lines[at + 1].split() == ["User", "From", "To", "Elapsed", "Status"]
    assert lines[at + 2].split() == "GUEST CLIENT SERVER 00:00:00 Moving memory".split()
    assert run([*SMALL, "--at", "9 CANCEL GUEST"]) == 0  # it has arrived by then
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("9 s: VMRELOCATE CANCEL GUEST")
    assert lines[at + 1] == "Not given: every guest was over by then."


def test_best_number_of_guests_together_is_searched(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*SMALL, "--guests", "2", "--best", "--jobs", "1"]
    assert run(arguments) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert "Best together: 1; " in page
    assert run([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    one, two = record["tried"]
    assert f"Tried: 1: {one['seconds']:.2f} s, 2: {two['seconds']:.2f} s." in page
    assert (record["together"], record["seconds"]) == (1, one["seconds"])
    assert (one["ctcs"], one["moved"]) == (4, 2)
    assert one["seconds_likely_low"] <= one["seconds"] <= one["seconds_likely_high"]


def test_plot_shows_the_passes(tmp_path: Path) -> None:
    path = tmp_path / "passes.svg"
    assert run([*SMALL, "--plot", str(path)]) == 0
    drawn = path.read_text("utf-8")
    assert "Passes from CLIENT to SERVER" in drawn
    shapes = drawn.partition("</style>")[2]  # which has colours for the dark
    # two passes and the legend in red: the guest is stopped
    assert shapes.count('fill="#d62728"') == 3
    assert run([*SMALL, "--plot", str(path), "--force"]) == 0
    assert path.read_text("utf-8") == drawn


@pytest.mark.slow
def test_lost_link_ends_a_relocation_and_those_that_wait(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [*SMALL, "--guests", "2", "--background", "HS:1"]
    assert run([*arguments, "--at", "0.05 VARY OFFLINE CHPID 40", "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    first, second = record["guests"]
    assert (first["end"], first["reason"], second["reason"]) == ("link-lost", "03", "03")
    assert 0 < first["bytes"] < first["memory_bytes"]
    assert (second["bytes"], second["seconds"]) == (0, 0)
    assert record["responses"][0]["told"].startswith("CHPID 40 varied offline")
    assert run([*arguments, "--at", "0 VARY OFFLINE CHPID 40"]) == 1
    page = capsys.readouterr().out
    assert "GUEST2 was not moved: the link was down." in page


def test_relocation_goes_on_with_the_ctcs_that_are_left(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*SMALL, "--at", "0.02 DEACTIVE ISLINK 6000", "--json"]
    assert run(arguments) == 0  # three CTCs of four are left
    slower = json.loads(capsys.readouterr().out)["seconds"]
    assert run([*SMALL, "--json"]) == 0
    assert slower > json.loads(capsys.readouterr().out)["seconds"]


@pytest.mark.parametrize(
    ("order", "code"), [("0 CANCEL GUEST", "01"), ("0 DEACTIVE ISLINK ALL", "03")]
)
def test_relocation_that_ends_as_it_begins_has_moved_nothing(
    order: str, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*SMALL, "--at", order, "--json"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert record["guests"][0]["reason"] == code
    assert record["guests"][0]["bytes"] < 2**20
    assert record["seconds"] < 0.01


def test_ibms_advice_is_said_of_a_guest_above_1_tb(capsys: pytest.CaptureFixture[str]) -> None:
    small = ["relocate", "published-4", "--touched", "1M", "--change-rate", "0"]
    for memory, told in (("2T", True), ("1T", False)):
        assert run([*small, "--memory", memory]) == 0
        page = " ".join(capsys.readouterr().out.split())
        assert ("IBM advises against relying on relocation above 1 TB" in page) is told


def test_a_guest_that_does_not_fit_where_it_goes_is_refused(
    tmp_path: Path, refusal: Refusal, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "room.toml"
    memory = "[memory.S1]\nfree_gib = 0\n[memory.S2]\nfree_gib = 0.01\n"
    file.write_text(mesh(2, shared=False) + memory)
    said = refusal("relocate", str(file), "--memory", "32M", "--change-rate", "1M")
    assert "no room for GUEST (0.03125 GiB); GiB that guests may still have" in said
    assert run(["relocate", str(file), "--memory", "8M", "--change-rate", "1M"]) == 0
    assert "GUEST was moved" in capsys.readouterr().out
