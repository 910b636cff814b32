"""What a command reads it takes from standard input and from a pipe as well."""

import io
import os
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.output.progress import SO_FAR
from isfc.cli.output.streams import ExitCode
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from tests.decks import DECKS, LOGS
from tests.isfc.cli.conftest import Refusal

ROOT = Path(__file__).parents[3]
LAYOUT = ROOT / "isfc" / "layout" / "shipped" / "published-1.toml"


SHORT = "--workload HL --pairs 1 --seconds 0.01 --warmup 0"
GRID = """
seconds = 0.01
warmup = 0
[grid]
layout = ["published-1"]
workload = ["HL"]
pairs = [1]
"""
FAULT = '[[fault]]\nkind = "crash"\nnode = "SERVER"\nat = "2ms"\nfor = "1ms"\n'
GUESTS = "name,memory,change_rate\nLINUX1,1M,0\n"
DISKS = ROOT / "docs" / "io" / "every-kind.toml"
MIX = ROOT / "docs" / "io" / "two-channels.toml"
SHARED = ROOT / "docs" / "io" / "shared.toml"
PAGE = ROOT / "docs" / "measured" / "site-1.txt"


@pytest.mark.parametrize("from_pipe", [False, True])
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("plan @ --rule", LAYOUT.read_text()),
        ("show @", LAYOUT.read_text()),
        ("show @ --partitions VMA,VMB", (DECKS / "crowded.iocp").read_text()),
        ("check @ --fail-on never", LAYOUT.read_text()),
        ("export @ --as toml", LAYOUT.read_text()),
        (f"run @ {SHORT}", LAYOUT.read_text()),
        (
            "collide @ --offer-out 1 --offer-in 1 --steps 1 --seconds 0.001 --seeds 1",
            LAYOUT.read_text(),
        ),
        ("sweep @ --store {folder}/rows --jobs 1", GRID),
        (f"run published-1 {SHORT} --faults @", FAULT),
        (f"run published-1 {SHORT} --cp @", "at 1ms QUERY ISLINK\n"),
        pytest.param(
            *("evacuate published-1 CLIENT --guests @", GUESTS), marks=pytest.mark.at_length
        ),
        ("measured read @", PAGE.read_text()),
        ("io plan @", DISKS.read_text()),
        ("io size @", MIX.read_text()),
        ("io beside @ HS --pairs 1 --seconds 0.01", SHARED.read_text()),
        pytest.param(
            *("compare published-1 @ --pairs 1", LAYOUT.read_text()),
            marks=[pytest.mark.at_length, pytest.mark.slow],
        ),
        ("compare {folder}/run.json @", "{folder}/run.json"),
        ("import iocp @ --partitions VMA,VMB", (DECKS / "crowded.iocp").read_text()),
        ("import islink ATLANTA=@", (LOGS / "atlanta.txt").read_text()),
        ("import config @ --layout atlanta-boston", "ACTIVATE ISLINK 6000 NODE BOSTON\n"),
    ],
)
def test_every_file_that_is_read_may_be_a_pipe(
    words: str,
    text: str,
    *,
    from_pipe: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if "run.json" in words:
        assert run(["run", "published-1", *SHORT.split(), "--json"]) == ExitCode.GOOD
        text = capsys.readouterr().out
        (tmp_path / "run.json").write_text(text)
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    place = f"/dev/fd/{reader}" if from_pipe else "-"
    try:
        code = run(words.replace("@", place).format(folder=tmp_path).split())
    finally:
        os.close(reader)
    out, err = capsys.readouterr()
    told = [line for line in err.splitlines() if not line.startswith(SO_FAR)]
    assert code == ExitCode.GOOD, err
    assert not told or "import" in words
    assert "export" not in words or parse_layout(out) == load_layout("published-1")


def test_standard_input_holds_one_file(monkeypatch: pytest.MonkeyPatch, refusal: Refusal) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(LAYOUT.read_bytes())))
    words = f"run - {SHORT} --faults -".split()
    assert "-: is empty, or was read for another argument" in refusal(*words)
