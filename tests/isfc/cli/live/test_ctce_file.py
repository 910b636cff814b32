"""A ``ctce.toml``: the CTCs that it has served, and what is refused with file, place and remedy."""

from pathlib import Path

import pytest

from isfc.cli.live.ctce_options import read_ctce_file
from isfc.cli.main import run
from tests.isfc.cli.conftest import Refusal
from tests.isfc.cli.test_every_option import LINK

BY_RDEVS = """
listen = "10.0.0.9:32880"
[ctce.MVSA]
at = "10.0.0.1:31880"
rdevs = "0E20-0E21"
[ctce.MVSB]
at = "10.0.0.2:31890"
rdevs = "0520,0522"
wire = "older"
"""
BY_LAYOUT = """
layout = "ab.toml"
pace = "model"
commands = "faults.txt"
[ctce.A]
at = "127.0.0.1:31880"
[ctce.B]
at = "127.0.0.1:31980"
"""
BY_FILES = """
listen = "10.0.0.9:32880"
[ctce.A]
configuration = "a.cnf"
[ctce.B]
configuration = "b.cnf"
"""


def write(folder: Path, text: str) -> str:
    """The file, and what it may name."""
    path = folder / "ctce.toml"
    path.write_text(text)
    (folder / "ab.toml").write_text(f'[[link]]\nnodes = ["A", "B"]\n{LINK}')
    (folder / "faults.txt").write_text("at 5s lose 40\n")
    (folder / "a.cnf").write_text("0E20 CTCE 31880 10.0.0.2 31890\n")
    (folder / "b.cnf").write_text("0520 CTCE 31890 10.0.0.1 31880\n")
    return str(path)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        (BY_RDEVS, "0E20 CTCE 31880 10.0.0.9 32880", "0522 CTCE 31892 10.0.0.9 32886"),
        (BY_LAYOUT, "6000 CTCE 31880 127.0.0.1 32880", "7010 CTCE 31984 127.0.0.1 32890"),
        (BY_FILES, "0E20 CTCE 31880 10.0.0.9 32880", "0520 CTCE 31890 10.0.0.9 32882"),
    ],
)
def test_devices_come_from_the_file_a_layout_or_hercules(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, first: str, last: str
) -> None:
    """Files are those beside it; an option takes precedence."""
    path = write(tmp_path, text)
    assert run(["ctce", path, "--lines"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert (lines[1], lines[-1]) == (first, last)
    assert run(["ctce", path, "--lines", "--listen", "10.0.0.8:40000"]) == 0
    assert "10.0.0.8 40000" in capsys.readouterr().out


def test_all_that_options_say_can_stand_in_it(tmp_path: Path) -> None:
    said = read_ctce_file(write(tmp_path, BY_LAYOUT))
    assert (said.pace, said.commands) == ("model", tmp_path / "faults.txt")
    assert said.layout == str(tmp_path / "ab.toml")
    joined = read_ctce_file(write(tmp_path, BY_RDEVS)).joined()
    assert [[end.wire for end in ctc] for ctc in joined] == [["", "older"]] * 2


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('pace = "model"', 'pace = "fast"', 'pace: out of range; expected "none" or "model"'),
        ("listen =", "listens =", "listens: no such key; expected one of listen, layout"),
        ('listen = "10.0.0.9:32880"', 'listen = "here"', "listen 'here': expected HOST:PORT"),
        ("[ctce.MVSB]", "[ctce.MVSB.at]", "[ctce.MVSB] at: got a table; expected HOST:PORT"),
        ("[ctce.B]", "[ctce.C]\n[ctce.B]", "ctce: A, C, B; expected a table [ctce.NAME] for each"),
        ('"older"', '"oldest"', '[ctce.MVSB] wire \'oldest\': expected "current" or "older"'),
        ('"0520,0522"', '"0520"', "[ctce.MVSB] rdevs: 1, [ctce.MVSA] has 2: expected as many"),
        ('"0520,0522"', '"05201"', "[ctce.MVSB] rdevs: '05201'"),
        ('rdevs = "0520,0522"', "", "[ctce.MVSB] rdevs: missing, as [ctce.MVSA] has it"),
        ('at = "10.0.0.2:31890"', "", "at: expected MVSB=HOST:PORT too"),
        ('layout = "ab.toml"', "", "says of no device: expected rdevs or configuration for each"),
        ("[ctce.B]", "[ctce.C]", "ctce A and C: the layout joins A and B"),
        ('"b.cnf"', '"c.cnf"', "{folder}/c.cnf: cannot be read (No such file or directory)"),
        ('"b.cnf"', '"b.cnf"\nrdevs = "1"', "[ctce.A] rdevs: missing, as [ctce.B] has it"),
    ],
)
def test_what_is_wrong_is_said_with_file_place_and_remedy(
    tmp_path: Path, refusal: Refusal, old: str, new: str, reason: str
) -> None:
    text = next(each for each in (BY_RDEVS, BY_LAYOUT, BY_FILES) if old in each)
    path = write(tmp_path, text.replace(old, new))
    said = refusal("ctce", path, "--lines")
    assert said.startswith(f"{path}: {reason.format(folder=tmp_path)}")
