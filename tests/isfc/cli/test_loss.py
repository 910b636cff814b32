"""``isfc plan --lose``: what it prints, and that runs agree with what is left."""

import json

import pytest

from isfc.cli import loss
from isfc.cli.main import run


def test_page_has_a_line_for_each_loss(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "published-12", "--lose"]) == 0
    page, errors = capsys.readouterr()
    lines = page.splitlines()
    assert errors == ""
    assert max(map(len, lines)) <= 80
    assert "nothing 12 525 100 % 612 100 %".split() in map(str.split, lines)
    assert "chpid 42 (52) 8 306 58 % 306 50 %".split() in map(str.split, lines)
    assert sum(line.startswith("CTC 60") for line in lines) == 12


def test_runs_stand_beside_the_rule(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(loss, "PAIRS", 5)
    monkeypatch.setattr(loss, "SECONDS", 0.02)
    monkeypatch.setattr(loss, "WARMUP", 0.01)
    assert run(["plan", "published-1", "--lose", "--simulate", "--json"]) == 0
    whole, chpid, ctc = json.loads(capsys.readouterr().out)
    assert whole["gone"] == {}
    assert all(rate > 10 for rate in whole["simulated_mb_per_s"].values())
    assert (chpid["kind"], ctc["kind"]) == ("chpid", "ctc")
    for down in (chpid, ctc):
        assert down["ctcs_left"] == 0
        assert down["simulated_mb_per_s"] == {"CLIENT": 0, "SERVER": 0}


def test_simulate_needs_lose(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["plan", "published-1", "--simulate"]) == 2
    assert "expected --lose" in capsys.readouterr().err
