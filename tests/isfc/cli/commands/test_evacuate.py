"""``isfc evacuate``: the schedule, JSON, and what is said of bad input."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.testing.cluster import mesh

GUESTS = "name,memory,change_rate,to\nA,8M,1M,S2\nB,4M,0,\n"
TRAFFIC = '[[traffic]]\nfrom = "S1"\nto = "S2"\nworkload = "HL"\npairs = 2\n'


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """The arguments of a good command."""
    (tmp_path / "mesh.toml").write_text(mesh(3, shared=True) + TRAFFIC)
    (tmp_path / "guests.csv").write_text(GUESTS)
    return [str(tmp_path / "mesh.toml"), "s1", "--guests", str(tmp_path / "guests.csv")]


def test_page_has_the_schedule_and_what_traffic_got(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["evacuate", *files]) == 0
    page = capsys.readouterr().out
    assert "Evacuation of S1: 2 guests, one by one" in page
    assert "Empty after" in page
    assert "other traffic, MB/s" in page
    assert run(["evacuate", *files, "--quiet", "--together", "2"]) == 0
    page = capsys.readouterr().out
    assert "2 together" in page
    assert "other traffic" not in page


def test_json_has_every_guest(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evacuate", *files, "--quiet", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["to"]) for each in record["guests"]] == [("A", "S2"), ("B", "S3")]
    assert record["all_moved"] is True
    assert record["seconds"] > record["longest_quiesce_s"] > 0


def test_a_guest_that_changes_too_fast_stays(
    files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[3]).write_text("name,memory,change_rate,max_quiesce\nA,64M,100G,0.1\n")
    assert run(["evacuate", *files, "--quiet"]) == 1
    page = capsys.readouterr().out
    assert "Not empty after" in page
    assert "not moved, max-quiesce" in page


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "name,memory\nA,8M\n",
            "line 2: expected memory, and change_rate or hot_set, or like",
        ),
        ("name,change_rate\nA,8M\n", "line 1: expected the columns name and memory, and of"),
        ("name,memory,color\nA,8M,red\n", "line 1: column 'color' is unknown or there twice"),
        ("name,memory,memory\nA,8M,8M\n", "line 1: column 'memory' is unknown or there twice"),
        (GUESTS.replace("S2", "S9"), "line 2: to: no link to S9; expected S2, S3"),
        (GUESTS.replace("8M", "eight"), "line 2: memory eight: expected a number of bytes with"),
        (GUESTS.replace("A,8M,1M,S2", "A,8M"), "line 2: expected a value for each column"),
        (
            "name,memory,change_rate,max_quiesce\nA,8M,1M,0.001\n",
            "line 2: max quiesce 0.001 s of",
        ),
        (GUESTS.replace("4M,0,", '4M,"0'), "line 3: unexpected end of data; expected CSV"),
        (GUESTS.replace("1M", "1"), "line 2: change_rate 1: expected a unit, K, M, G or T"),
        (GUESTS.replace("B,", "A,"), "line 2 name: A is there twice; expected each once"),
        (GUESTS.replace("A,", "A LONG NAME,"), "line 2: name 'A LONG NAME': expected a userid"),
        ("name,memory,like,touched\nA,8M,java,9M\n", "line 2: touched 9M: expected 1 byte to the"),
        ("name,memory,like\nA,8M,java\n", "line 2: hot_set java: expected at most what is touched"),
        ("name,memory,change_rate,hot_set\nA,8M,1M,9M\n", "line 2: hot_set 9M: expected at most"),
        ("name,memory,change_rate,max_total\nA,8M,1M,-1\n", "line 2: max_total -1: expected more"),
        (
            "name,memory,change_rate,max_quiesce\nA,8M,1M,x\n",
            "line 2: max_quiesce x: expected",
        ),
        (
            "name,memory,change_rate,immediate\nA,8M,1M,2\n",
            "line 2: immediate 2: expected yes",
        ),
        ("name,memory,change_rate\n" + "A,8M,1M\n" * 9_000, "is too long; expected at most 65536"),
        ("name,memory,change_rate\n", "guests 0: expected 1 to 500 of them"),
    ],
)
def test_bad_guests_are_named(
    files: list[str], text: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(files[3]).write_text(text)
    assert run(["evacuate", *files]) == 2
    assert message in capsys.readouterr().err


def test_an_unknown_system_is_named(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["evacuate", files[0], "S9", *files[2:]]) == 2
    assert "SYSTEM S9: no system of this file; expected S1, S2, S3" in capsys.readouterr().err
