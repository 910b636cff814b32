"""``isfc evacuate`` and the functions: the answer, JSON, and what is said of bad input."""

import csv
import io
from pathlib import Path

import pytest

import isfc
from isfc.cli.main import run
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded
from tests.layouts import mesh

pytestmark = pytest.mark.at_length


GUESTS = "name,memory,change_rate,to\nA,8M,1M,S2\nB,4M,0,\n"
TRAFFIC = '[[traffic]]\nfrom = "S1"\nto = "S2"\nworkload = "HL"\npairs = 2\n'


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A good layout, system and guests."""
    (tmp_path / "mesh.toml").write_text(mesh(3, shared=True) + TRAFFIC)
    (tmp_path / "guests.csv").write_text(GUESTS)
    return [str(tmp_path / "mesh.toml"), "s1", "--guests", str(tmp_path / "guests.csv")]


@pytest.mark.slow
def test_page_begins_with_when_the_system_is_empty(files: list[str], printed: Printed) -> None:
    lines = printed("evacuate", *files).splitlines()
    assert lines[0] == "Relocation of 2 guests from S1 to S2 and S3, one by one"
    assert lines[2].startswith("S1 is empty    after ")
    assert lines[3].startswith("Longest stop   A: ")
    assert any(line.startswith("Other traffic  keeps ") for line in lines)
    assert not any(line.startswith("S1-S2 ") for line in lines)
    page = printed("evacuate", *files, "--quiet", "--together", "2", "--notes")
    assert "S1 to S2 and S3, all together" in page
    assert "ther traffic" not in page
    assert page.count(" stopped\n") == 4


def test_of_many_guests_the_page_has_those_that_stay_and_a_table_behind_its_notes(
    files: list[str], printed: Printed
) -> None:
    lines = [f"G{number},1M,0,{'' if number else 0.0001}" for number in range(14)]
    Path(files[3]).write_text("\n".join(["name,memory,change_rate,max_total", *lines]))
    words = ["evacuate", *files, "--quiet", "--together", "16"]
    page = printed(*words, code=1)
    assert "S1 is not empty  G0 stays on S1: not there after MAXTOTAL, 0.0001 s" in page
    assert "Guests that stay\n" in page
    assert "\nG1 " not in page
    assert len(page.splitlines()) < 35
    assert "\nG1 " in printed(*words, "--notes", code=1)


def test_json_has_every_guest(files: list[str], recorded: Recorded) -> None:
    record = recorded("evacuate", *files, "--quiet")
    assert [(each["name"], each["to"]) for each in record["guests"]] == [("A", "S2"), ("B", "S3")]
    assert record["all_moved"] is True
    assert record["seconds"]["value"] > record["longest_stop"]["value"] > 0
    assert record["longest_stopped"] == "A"


def test_commands_are_given_meanwhile_and_who_waits_for_a_lost_link_goes_elsewhere(
    files: list[str], recorded: Recorded, printed: Printed
) -> None:
    Path(files[3]).write_text("name,memory,change_rate,to\nA,64M,1M,S2\nB,64M,1M,S3\nC,64M,1M,S2\n")
    record = recorded("evacuate", *files, "--quiet")
    assert record["all_moved"] is True
    begin_s = record["guests"][1]["begin_s"]
    lost = [
        "--at",
        f"{begin_s / 2:.4f} DEACTIVE ISLINK NODE S2",
        "--at",
        f"{begin_s / 4:.4f} STATUS",
    ]
    record = recorded("evacuate", *files, "--quiet", *lost, code=1)
    assert [each["reason"] for each in record["guests"]] == ["03", "00", "00"]
    assert 0 < record["guests"][0]["length"] < 64 * 2**20
    assert [(each["to"], each["meant_for"]) for each in record["guests"]] == [
        ("S2", "S2"), ("S3", "S3"), ("S3", "S2")
    ]  # fmt: skip
    status, _ = record["responses"]
    assert (status["status"][0]["user"], status["status"][0]["to"]) == ("A", "S2")
    page = printed("evacuate", *files, "--quiet", *lost, code=1)
    assert "S1 is not empty  A stays on S1: the link was lost after " in page
    (line,) = (line for line in page.splitlines() if line.startswith("C "))
    assert line.split()[:3] == ["C", "S3", "S2"]  # instead of
    assert "VMRELOCATE STATUS" in page


def test_csv_has_every_guest_or_every_pass(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    def rows(*options: str) -> list[dict[str, str]]:
        assert run(["evacuate", *files, "--quiet", "--csv", *options]) == 0
        return [*csv.DictReader(io.StringIO(capsys.readouterr().out))]

    assert [(row["name"], row["to"]) for row in rows()] == [("A", "S2"), ("B", "S3")]
    passes = rows("--table", "passes")
    assert [row["number"] for row in passes if row["guest"] == "A"] == ["1", "2", "3"]


HEADS = "name,memory,change_rate"
BAD_GUESTS = {
    "name,memory\nA,8M\n": "line 2: expected memory, and change_rate or hot_set, or like",
    "name,change_rate\nA,8M\n": "line 1: expected the columns name and memory, and of",
    "name,memory,color\nA,8M,red\n": "line 1: column 'color' is unknown; expected name",
    "name,memory,memory\nA,8M,8M\n": "line 1: column memory twice; expected it once",
    GUESTS.replace("S2", "S9"): "line 2: to S9: not a node of this layout; expected S1, S2 or S3",
    GUESTS.replace("8M", "eight"): "line 2: memory eight: expected a number of bytes with",
    GUESTS.replace("A,8M,1M,S2", "A,8M"): "line 2: 2 cells; expected 4, as many as column names",
    f"{HEADS},max_quiesce\nA,8M,1M,0.001\n": "--max-quiesce 0.001 s of A: ",
    GUESTS.replace("4M,0,", '4M,"0'): "line 3: unexpected end of data; expected CSV",
    GUESTS.replace("1M", "1"): "line 2: change_rate 1: expected a unit, K, M, G or T",
    GUESTS.replace("B,", ">B,"): "line 3: name '>B': expected a userid",
    GUESTS.replace("B,", "A,"): "line 2 name: A is there twice; expected each once",
    GUESTS.replace("A,", "A LONG NAME,"): "line 2: name 'A LONG NAME': expected a userid",
    "name,memory,like,touched\nA,8M,java,9M\n": "line 2: touched 9M: expected 1 byte to the",
    "name,memory,like\nA,8M,java\n": "line 2: like java: has a hot set of 3.125 GiB, and",
    f"{HEADS},hot_set\nA,8M,1M,9M\n": "line 2: hot_set 9M: expected at most",
    f"{HEADS},max_total\nA,8M,1M,-1\n": "line 2: max_total -1: expected more",
    f"{HEADS},max_quiesce\nA,8M,1M,x\n": "line 2: max_quiesce x: expected",
    f"{HEADS},immediate\nA,8M,1M,2\n": "line 2: immediate 2: expected yes",
    f"{HEADS}\n" + "A,8M,1M\n" * 9_000: "is too long; expected at most 65536",
    f"{HEADS}\n": "guests 0: expected 1 to 500",
}


def test_what_cannot_be_is_named(files: list[str], refusal: Refusal) -> None:
    layout, system, *guests = files
    for words, message in (
        ([*files, "--at", "5 CANCEL C"], "--at '5 CANCEL C': CANCEL C: expected one of A, B"),
        ([*files, "--at", "5 SHUTDOWN NOW"], "--at '5 SHUTDOWN NOW': expected SECONDS and MODIFY"),
        ([layout, "S9", *guests], "SYSTEM S9: "),
        ([layout, system], "--guests: missing; expected"),
        ([layout, *guests], "SYSTEM: none; expected one"),
    ):
        assert message in refusal("evacuate", *words)
    for text, message in BAD_GUESTS.items():
        Path(files[3]).write_text(text)
        assert message in refusal("evacuate", *files)


def test_python_takes_guests_and_says_what_share_is_moved(files: list[str]) -> None:
    told: list[float] = []
    plan = isfc.GuestPlan("A", isfc.GuestMemory(size=2**23, change_rate=2**20))
    tenant = isfc.Tenant(plan, to=isfc.NodeName("S3"))
    found = isfc.evacuate(files[0], "s1", [tenant], quiet=True, progress=told.append)
    assert [guest.to for guest in found.guests] == ["S3"]
    assert told == sorted(told)
    assert 0 < told[0] < told[-1] == 1
    of_file = isfc.evacuate(files[0], "S1", files[3], quiet=True)
    assert [guest.name for guest in of_file.guests] == ["A", "B"]
    with pytest.raises(isfc.ConfigurationError, match=r"^quiet: the layout has no \[\[traffic"):
        isfc.evacuate("published-4", "CLIENT", [plan], quiet=True)


ROOM = """\
[memory.S1]
free_gib = 0
[memory.S2]
free_gib = {}
[memory.S3]
free_gib = 0.0625
overcommit = 2
"""


def test_guests_go_where_there_is_room_and_those_for_whom_there_is_none_are_named(
    files: list[str], recorded: Recorded, refusal: Refusal
) -> None:
    layout = Path(files[0])
    links = layout.read_text()
    layout.write_text(links + ROOM.format(0.07))
    Path(files[3]).write_text("name,memory,change_rate\nA,32M,0\nB,128M,0\nC,32M,0\n")
    record = recorded("evacuate", *files, "--quiet")
    assert {each["name"]: each["to"] for each in record["guests"]} == {
        "A": "S2", "B": "S3", "C": "S2"
    }  # fmt: skip
    assert "memory" not in {note["kind"] for note in record["notes"]}
    layout.write_text(links + ROOM.format(0.05))
    Path(files[3]).write_text("name,memory,change_rate\nA,9999G,0\nB,128M,0\nC,32M,0\n")
    said = refusal("evacuate", *files)
    assert "no room for A (9999 GiB); GiB that guests may still have beside the others" in said
    assert "S2 0.01875, S3 0" in said
    layout.write_text(links + "[memory.S2]\nfree_gib = 1\n")
    assert "[memory.NAME]: there is none of S1, S3; expected one of each" in refusal(
        "evacuate", *files
    )


def test_a_cec_is_left_by_all_its_systems_together(
    files: list[str], recorded: Recorded, refusal: Refusal
) -> None:
    layout = Path(files[0])
    layout.write_text(mesh(4, shared=False) + '[cec.EAST]\nsystems = ["S1", "S2"]\n' + TRAFFIC)
    guests = "name,memory,change_rate,from\nA,8M,0,S1\nB,8M,0,S2\nC,8M,0,S1\nD,8M,0,S2\n"
    Path(files[3]).write_text(guests)
    files[1] = "cec:east"
    record = recorded("evacuate", *files, "--quiet")
    assert record["sources"] == ["S1", "S2"]
    assert {(each["from"], each["to"]) for each in record["guests"]} == {
        ("S1", "S3"), ("S2", "S4")
    }  # fmt: skip
    starts = [each["begin_s"] for each in record["guests"]]
    assert starts[0] == starts[1] == 0 < starts[2]  # one of each system at a time
    assert recorded("evacuate", *files, "--quiet", "--best", "--jobs", "1")["tried"]
    Path(files[3]).write_text(guests.replace("D,8M,0,S2", "D,8M,0,"))
    assert "D: from: not said; expected S1 or S2" in refusal("evacuate", *files)
    assert "SYSTEM cec:west: no such CEC; expected cec:EAST" in refusal(
        "evacuate", files[0], "cec:west", *files[2:]
    )


def test_rolling_maintenance_moves_all_away_and_back_in_turn(
    files: list[str], recorded: Recorded, printed: Printed, refusal: Refusal
) -> None:
    Path(files[0]).write_text(mesh(3, shared=False) + TRAFFIC + ROOM.format(1))
    lines = [f"G{number},2M,0,S{number % 3 + 1}" for number in range(6)]
    Path(files[3]).write_text("\n".join(["name,memory,change_rate,from", *lines]))
    rolling = [files[0], "--rolling", *files[2:]]
    record = recorded("evacuate", *rolling, "--quiet")
    assert record["systems"] == ["S1", "S2", "S3"]
    assert [(turn["way"], turn["guests"]) for turn in record["turns"]] == [
        ("away", 2), ("back", 2)
    ] * 3  # fmt: skip
    turns = [turn["seconds"]["value"] for turn in record["turns"]]
    assert record["seconds"]["value"] == sum(turns)
    assert record["all_moved"]
    page = printed("evacuate", *rolling, "S3", "s1", "--quiet")
    assert "Rolling maintenance of S3, S1: 4 guests leave, one by one, and come back" in page
    Path(files[0]).write_text(mesh(3, shared=False) + TRAFFIC + ROOM.format(0.001))
    Path(files[3]).write_text("name,memory,change_rate,from\nA,200M,0,S3\nB,2M,0,S1\n")
    assert "when S3 is left: no room for A" in refusal("evacuate", *rolling)


def test_of_a_link_that_dies_in_a_rolling_maintenance_those_who_wait_go_elsewhere(
    files: list[str], printed: Printed, recorded: Recorded, refusal: Refusal
) -> None:
    Path(files[0]).write_text(mesh(3, shared=False))
    lines = [f"A{number},8M,0,S1" for number in range(4)] + ["B0,8M,0,S2"]
    Path(files[3]).write_text("\n".join(["name,memory,change_rate,from", *lines]))
    rolling = ["evacuate", files[0], "--rolling", *files[2:]]
    losses = ["--at", "0.04 LOSE s1:42", "--at", "0.2 lose vary:S2:41", "--at", "99 LOSE system:S3"]
    record = recorded(*rolling, *losses, code=1)
    away, back, away_2, back_2 = record["turns"]
    first, *others = away["to"].values()
    assert (first, {*others}) == ("S2", {"S3"})  # the first had arrived, the third was to go to S2
    assert (away["not_moved"], back["not_moved"]) == ([], ["A0"])
    assert back["to"] == {"A1": "S1", "A2": "S1", "A3": "S1"}
    assert away_2["to"] == {"A0": "S3", "B0": "S3"}  # the one that is there goes along
    assert back_2["to"] == {"A0": "S2", "B0": "S2"}
    assert [(each["command"], each["told"]) for each in record["responses"]] == [
        ("LOSE s1:42", "S1-S2 is down"),
        ("LOSE vary:S2:41", "Nothing of it was left."),
        ("LOSE system:S3", "Not given: every guest was over by then."),
    ]
    page = printed(*rolling, "--at", "0.04 LOSE system:S1", code=1)
    assert "0.04 LOSE system:S1 S1-S2 and S1-S3 are down" in page
    assert "\nLeft behind " in page
    assert "--rolling and --best: expected one of them" in refusal(*rolling, "--best")
    assert "expected LOSE PIECE" in refusal(*rolling, "--at", "1 VARY OFFLINE CHPID 40")
    assert "'x': there is no such piece" in refusal(*rolling, "--at", "1 LOSE x")


@pytest.mark.slow
def test_rolling_maintenance_of_four_members_with_eighty_guests_is_one_page(
    tmp_path: Path, printed: Printed
) -> None:
    guests = tmp_path / "guests.csv"
    members = ("ALPHA", "BETA", "DELTA", "GAMMA")
    lines = [f"LINUX{number},2M,0,{members[number % 4]}" for number in range(80)]
    guests.write_text("\n".join(["name,memory,change_rate,from", *lines]))
    words = ["evacuate", "two-cecs", "--rolling", "--quiet", "--together", "4"]
    words += ["--guests", str(guests)]
    page = printed(*words).splitlines()
    assert len(page) <= 35
    assert page[0].startswith("Rolling maintenance of ALPHA, BETA, DELTA, GAMMA: 80 guests leave,")
    assert sum(" back " in line for line in page) == 4
