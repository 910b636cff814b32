"""``isfc relocate`` and the function: what is answered, the page and what is refused."""

import csv
import io
import re
from pathlib import Path

import pytest

import isfc
from isfc.cli.main import run
from isfc.errors import ConfigurationError
from isfc.errors.arguments import read_size
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import steady_run
from scenarios.runs.workload import find_workload
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded
from tests.layouts import mesh

pytestmark = pytest.mark.at_length

MIB = 2**20
MEMORY = isfc.GuestMemory(size=32 * MIB, touched=32 * MIB, change_rate=20 * MIB)

SMALL = "relocate published-4 --memory 32M --change-rate 20M".split()


@pytest.mark.full_length
def test_page_answers_first_and_has_every_pass_in_its_notes(printed: Printed) -> None:
    words = [*SMALL, "--guests", "2", "--background", "HS:3"]
    lines = printed(*words, "--notes").splitlines()
    assert " ".join(lines[:2]) == (
        "Relocation of 2 guests from CLIENT to SERVER, one by one: each 32 MiB, changing at 20 MB/s"
    )
    assert max(map(len, lines)) <= 80
    assert sum(line.split()[:2] == ["GUEST2", "3"] for line in lines) == 1
    assert lines[3].startswith("Moved          after ")
    assert any(line.startswith("Other traffic  keeps ") for line in lines)
    assert any(line.startswith("CLIENT-SERVER:HS:3 ") for line in lines)
    assert any(line.startswith("A range holds in four of five cases") for line in lines)


def test_python_and_the_command_have_the_same_figures(printed: Printed, recorded: Recorded) -> None:
    found = isfc.relocate("published-4", MEMORY, from_="server", at=["0.01 STATUS"])
    words = [*SMALL, "--from", "SERVER", "--at", "0.01 STATUS"]
    record = recorded(*words)
    assert (record["sources"], record["traffic"]) == (["SERVER"], [])
    assert record["seconds"]["value"] == found.seconds.value
    assert record["limits"]["named"] == found.limits.named
    (guest,) = record["guests"]
    assert (guest["from"], guest["to"], guest["begin_s"]) == ("SERVER", "CLIENT", 0)
    assert guest["moved"]
    assert guest["limits"]["max_total"] is None
    passes = guest["passes"]
    assert sum(each["length"] + each["state_length"] for each in passes) == guest["length"]
    took_ns = sum(each["end_ns"] - each["begin_ns"] for each in passes)
    assert guest["seconds"]["value"] == pytest.approx(took_ns / 1e9)
    rows = [*csv.DictReader(io.StringIO(printed(*words, "--csv", "--table", "passes")))]
    assert rows == [{name: str(value) for name, value in row.items()} for row in found.rows()]
    assert repr(found).startswith("<Moves Relocation of ")


@pytest.mark.slow
def test_guests_have_limits_of_their_own() -> None:
    plans = [isfc.GuestPlan("A", MEMORY, isfc.Limits(max_total=0.05)), isfc.GuestPlan("B", MEMORY)]
    found = isfc.relocate("published-4", plans, together=2, background=("HS", 2))
    assert [each.end for each in found.guests] == ["max-total", "moved"]
    assert not found.all_moved
    (other,) = found.traffic
    known = steady_run(Experiment.of(isfc.load_layout("published-4"), find_workload("HS"), 2))
    assert other.alone_exchanges_per_s == known.result.messages_per_s_in  # from two beginnings
    assert other.alone.value == pytest.approx(known.result.mb_per_s, rel=0.01)
    assert other.left == other.meanwhile_exchanges_per_s / other.alone_exchanges_per_s < 1


def test_guests_are_plans_or_a_memory_or_a_file(tmp_path: Path) -> None:
    shipped = Path(isfc.__file__).parent / "layout" / "shipped" / "published-4.toml"
    plan = isfc.GuestPlan("A", MEMORY, isfc.Limits(max_total=0.05))
    found = isfc.relocate(shipped, plan)
    assert (found.guests[0].end, found.seconds.value) == ("max-total", 0.05)
    assert [each.name for each in isfc.relocate("published-4", MEMORY).guests] == ["GUEST"]
    (tmp_path / "guests.csv").write_text("name,memory,change_rate,immediate\nb,32M,20M,yes\n")
    rows = isfc.relocate("published-4", tmp_path / "guests.csv").rows()
    assert [(each["guest"], each["state"]) for each in rows] == [
        ("B", "runs"), ("B", "stopped"), ("B", "stopped")
    ]  # fmt: skip
    homes = "name,memory,change_rate,from\nA,8M,0,SERVER\nB,8M,0,CLIENT\n"
    (tmp_path / "guests.csv").write_text(homes)
    with pytest.raises(ConfigurationError, match="some are at CLIENT, some at SERVER; expected"):
        isfc.relocate("published-4", tmp_path / "guests.csv")
    found = isfc.relocate("published-4", tmp_path / "guests.csv", from_="SERVER")
    assert [(each.name, each.source) for each in found.guests] == [("A", "SERVER")]
    (tmp_path / "guests.csv").write_text(homes.replace("SERVER", "X").replace("CLIENT", "Y"))
    with pytest.raises(ConfigurationError, match="none leaves CLIENT over this link"):
        isfc.relocate("published-4", tmp_path / "guests.csv")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"guests": isfc.GuestPlan("A", MEMORY, isfc.Limits(max_quiesce=0.01))},
            r"4 MiB, alone take 0\.02\d s over this link",
        ),
        ({"guests": "none.csv"}, "^guests none.csv: cannot be read"),
        ({"background": "HS"}, "^background HS: expected NAME:PAIRS"),
        ({"from_": "X"}, "^from_ X: not a node"),
    ],
)
def test_python_is_told_of_its_arguments(given: dict[str, object], message: str) -> None:
    with pytest.raises(isfc.ConfigurationError, match=message):
        isfc.relocate("published-4", **{"guests": MEMORY, **given})  # type: ignore[arg-type]


def test_guest_that_stays_fails_the_command(printed: Printed) -> None:
    options = "--change-rate 1G --quiesce 0 --max-quiesce 0.05".split()
    page = " ".join(printed("relocate", "published-4", "--memory", "32M", *options, code=1).split())
    assert "Not moved GUEST stays on CLIENT: stopped for longer than MAXQUIESCE, 0.05 s, " in page
    assert "By the rules, at the " in page


def test_a_guest_that_takes_too_long_in_all_is_given_up(
    printed: Printed, recorded: Recorded
) -> None:
    page = " ".join(printed(*SMALL, "--guests", "2", "--max-total", "0.05", code=1).split())
    assert "Not moved 2 of 2 guests stay: GUEST1 (max-total), GUEST2 (max-total)" in page
    (guest,) = recorded(*SMALL, "--max-total", "0.05", code=1)["guests"]
    assert (guest["end"], guest["reason"]) == ("max-total", "04")
    assert guest["seconds"]["value"] == 0.05
    assert 0 < guest["length"] < 32 * 2**20
    assert run([*SMALL, "--max-total", "60"]) == 0


def test_an_immediate_relocation_stops_the_guest_after_one_pass(
    printed: Printed, recorded: Recorded
) -> None:
    options = "--change-rate 1G --quiesce 0 --immediate".split()
    arguments = ["relocate", "published-4", "--memory", "32M", *options]
    (guest,) = recorded(*arguments)["guests"]
    assert [each["quiesced"] for each in guest["passes"]] == [False, True, True]
    assert "stopped for longer than MAXQUIESCE" in printed(
        *arguments, "--max-quiesce", "0.05", code=1
    )


@pytest.mark.parametrize(
    ("text", "size"), [("64G", 64 * 2**30), ("1.5g", 3 * 2**29), ("400 MB", 400 * 2**20), ("7", 7)]
)
def test_sizes(text: str, size: int) -> None:
    assert read_size("--memory", text) == size


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ("--memory x --change-rate 1M", "--memory x: expected a number of bytes"),
        ("--memory 1M --change-rate 1Q", "--change-rate 1Q: expected"),
        ("--memory 0 --change-rate 1M", "memory 0: expected"),
        ("--memory 1G --change-rate 1M --touched 2G", "--touched 2G: expected"),
        ("--memory 1G --hot-set 2G --write-rate 1M", "--hot-set 2G: expected at most"),
        ("--memory 1G --like java", "--like java: has a hot set of 3.125 GiB, and 1 GiB are"),
        ("--memory 1G --hot-set 16 --write-rate 1M", "--hot-set 16: expected a unit, K, M, G or T"),
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
        ("--memory 1G --change-rate 1M --max-total 0", "--max-total 0: expected more than 0 to"),
        (
            "--memory 1G --change-rate 1M --max-quiesce 0.005",
            "--max-quiesce 0.005 s of GUEST: state",
        ),
        ("--memory 1G --change-rate 1M --at-once", "--at-once is gone: use --together N"),
        ("--memory 1G --change-rate 1M --guests none.csv", "FILE.csv: expected no --memory"),
        ("--guests none.csv", "--guests none.csv: cannot be read"),
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


def test_guest_like_one_that_was_measured(printed: Printed) -> None:
    words = ["relocate", "published-4", "--like", "direct-io", "--notes"]
    page = " ".join(printed(*words).split())
    heading = "4 GiB, 296 MiB of it touched, changing at 10 MB/s"
    assert f"Relocation of GUEST from CLIENT to SERVER: {heading} Moved after " in page
    assert "direct-io: touched published; memory inferred; change assumed" in page
    assert re.search(r"GUEST 1 0\.00 1\.\d\d 0\.289 ", page)


GUESTS = "name,memory,change_rate,max_total\nlinux1,32M,20M,\nLINUX2,16M,0,0.01\n"


def test_guests_of_a_file_have_memory_and_limits_of_their_own(
    tmp_path: Path, printed: Printed, recorded: Recorded, refusal: Refusal
) -> None:
    guests = tmp_path / "guests.csv"
    guests.write_text(GUESTS)
    arguments = ["relocate", "published-4", "--guests", str(guests), "--together", "2"]
    first, second = recorded(*arguments, code=1)["guests"]
    assert (first["name"], first["memory"]["size"], first["end"]) == ("LINUX1", 32 * MIB, "moved")
    assert (second["name"], second["end"], second["seconds"]["value"]) == (
        "LINUX2", "max-total", 0.01
    )  # fmt: skip
    lines = printed(*arguments, code=1).splitlines()
    assert lines[0] == "Relocation of 2 guests from CLIENT to SERVER, all together"
    assert any(line.endswith("stays: max-total") for line in lines)
    assert max(map(len, lines)) <= 80
    guests.write_text(GUESTS.replace("max_total", "max_quiesce").replace("0.01", "0.001"))
    said = "--max-quiesce 0.001 s of LINUX2: state and I/O devices, 4 MiB, alone"
    assert said in refusal(*arguments)


def test_commands_are_given_at_their_times(printed: Printed) -> None:
    orders = ["--at", "0.05 vmrelocate status", "--at", "0.1s CANCEL guest"]
    lines = printed(*SMALL, *orders, code=1).splitlines()
    assert any("GUEST stays on CLIENT: cancelled after 0.10 s" in line for line in lines)
    assert "0.05 VMRELOCATE STATUS" in [line.strip() for line in lines]
    (status,) = (line for line in lines if line.startswith("0.05 GUEST "))
    assert status.split() == "0.05 GUEST CLIENT SERVER 0.05 Moving memory".split()
    (line,) = (
        line
        for line in printed(*SMALL, "--at", "9 CANCEL GUEST").splitlines()
        if line.startswith("9.00 ")
    )
    assert "VMRELOCATE CANCEL GUEST Not given: every guest was over by then." in line


def test_best_number_of_guests_together_is_searched(printed: Printed, recorded: Recorded) -> None:
    arguments = [*SMALL, "--guests", "2", "--best"]
    page = " ".join(printed(*arguments).split())
    record = recorded(*arguments)
    one, two = record["tried"]
    first, second = (f"{each['seconds']['value']:.2f} s (" for each in (one, two))
    assert re.search(
        rf"Best together 1; tried: 1: {re.escape(first)}[^)]+\), 2: {re.escape(second)}", page
    )
    assert (record["together"], record["seconds"]) == (1, one["seconds"])
    assert (one["together"], one["moved"], one["left"]) == (1, 2, None)


@pytest.mark.slow
def test_lost_link_ends_a_relocation_and_those_that_wait(
    printed: Printed, recorded: Recorded
) -> None:
    arguments = [*SMALL, "--guests", "2", "--background", "HS:1"]
    record = recorded(*arguments, "--at", "0.05 VARY OFFLINE CHPID 40", code=1)
    first, second = record["guests"]
    assert (first["end"], first["reason"], second["reason"]) == ("link-lost", "03", "03")
    assert 0 < first["length"] < first["memory"]["size"]
    assert (second["length"], second["seconds"]["value"]) == (0, 0)
    assert record["responses"][0]["told"].startswith("CHPID 40 varied offline")
    assert "2 of 2 guests stay: GUEST1 (link-lost), GUEST2 (link-lost)" in printed(
        *arguments, "--at", "0 VARY OFFLINE CHPID 40", code=1
    )


def test_relocation_goes_on_with_the_ctcs_that_are_left(recorded: Recorded) -> None:
    fewer = recorded(*SMALL, "--at", "0.02 DEACTIVE ISLINK 6000")  # three CTCs of four are left
    assert fewer["seconds"]["value"] > recorded(*SMALL)["seconds"]["value"]


@pytest.mark.parametrize(
    ("order", "code"), [("0 CANCEL GUEST", "01"), ("0 DEACTIVE ISLINK ALL", "03")]
)
def test_relocation_that_ends_as_it_begins_has_moved_nothing(
    order: str, code: str, recorded: Recorded
) -> None:
    record = recorded(*SMALL, "--at", order, code=1)
    assert record["guests"][0]["reason"] == code
    assert record["guests"][0]["length"] < 2**20
    assert record["seconds"]["value"] < 0.01


def test_ibms_advice_is_said_of_a_guest_above_1_tb(printed: Printed) -> None:
    small = ["relocate", "published-4", "--touched", "1M", "--change-rate", "0"]
    for memory, told in (("2T", True), ("1T", False)):
        page = " ".join(printed(*small, "--memory", memory).split())
        assert ("IBM advises against relying on relocation above 1 TB" in page) is told


def test_a_guest_that_does_not_fit_where_it_goes_is_refused(
    tmp_path: Path, refusal: Refusal, printed: Printed
) -> None:
    file = tmp_path / "room.toml"
    memory = "[memory.S1]\nfree_gib = 0\n[memory.S2]\nfree_gib = 0.01\n"
    file.write_text(mesh(2, shared=False) + memory)
    said = refusal("relocate", str(file), "--memory", "32M", "--change-rate", "1M")
    assert "no room for GUEST (0.03125 GiB); GiB that guests may still have" in said
    assert "\nMoved " in printed("relocate", str(file), "--memory", "8M", "--change-rate", "1M")
