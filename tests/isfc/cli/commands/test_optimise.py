"""``isfc optimise``: its page, its record, the layout and the picture that it writes."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.render.optimise import definition_changes
from isfc.layout.catalogue import load_layout
from isfc.search.candidate import candidate_of, numbered
from isfc.search.optimise import Contender

QUICK = ["--runs", "8", "--seconds", "0.02", "--pairs", "5", "--seeds", "2", "--jobs", "1"]
LAYOUT = "docs/optimise-links.toml"


@pytest.fixture(autouse=True)
def in_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[4])


@pytest.mark.at_length
@pytest.mark.slow
def test_record_and_written_layout_agree(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best = tmp_path / "best.toml"
    assert run(["optimise", LAYOUT, *QUICK, "--ctcs", "3", "--json", "-o", str(best)]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["objectives"] == ["forward"]
    written = load_layout(best)
    assert record["best"][0]["chpids"] == [ctc.fibre.name for ctc in written.device_list()]
    assert len(written.ctcs) == 3
    assert record["activate"]["DALLAS"][0].startswith("ACTIVATE ISLINK 5000")
    assert record["simulated"] <= 8


@pytest.mark.at_length
@pytest.mark.slow
def test_page_fits_80_columns_and_shows_the_front_of_two_objectives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture = tmp_path / "front.svg"
    objectives = ["--objective", "forward", "--objective", "reverse"]
    assert run(["optimise", LAYOUT, *QUICK, *objectives, "--plot", str(picture)]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    assert "* no other layout is better at all of the objectives." in out
    assert "forward, MB/s" in picture.read_text("utf-8")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--plot", "a.svg"], "--plot: expected two objectives"),
        (["--fixed", "9999"], "--fixed 9999: no such device at DALLAS"),
        (["--workload", "XX"], "workload 'XX' is unknown"),
        (["--ctcs", "17"], "--ctcs 17: expected 1 to 16"),
    ],
)
def test_bad_options_are_refused(
    options: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["optimise", LAYOUT, *options]) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize(
    ("score", "spread", "gains"),
    [(100.3, 0.1, False), (103.0, 5.0, False), (103.0, 0.1, True), (97.0, 0.1, False)],
)
def test_gain_within_what_seeds_differ_is_none(score: float, spread: float, gains: bool) -> None:
    layout = load_layout(LAYOUT)
    given = Contender(layout, (100.0,), (spread,), given=True)
    assert Contender(layout, (score,), (spread,)).gains(given) is gains


def test_device_numbers_that_are_new_or_move_are_named() -> None:
    given = load_layout(LAYOUT)
    same = numbered(given, candidate_of(given))
    turned = numbered(given, (*candidate_of(given)[::-1], 0))
    assert same is not None
    assert turned is not None
    changes = definition_changes(given, turned)
    assert any("DALLAS is new" in change for change in changes)
    assert any("at DALLAS goes from chpid" in change for change in changes)
    defined = {ctc.rdevs[0] for ctc in given.ctcs}
    moved_or_new = definition_changes(given, same)
    assert bool(moved_or_new) == (defined != {ctc.rdevs[0] for ctc in same.ctcs})


@pytest.mark.at_length
@pytest.mark.slow
def test_page_says_where_there_is_nothing_to_gain(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Contender, "gains", lambda *_: False)
    assert run(["optimise", LAYOUT, *QUICK]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "There is nothing to gain" in out
    assert "ACTIVATE" not in out
