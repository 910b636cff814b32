"""How far figures differ from seed to seed, as tables."""

import pytest

from isfc.cli.output.streams import show
from isfc.cli.replay.verdict import replay_spreads
from isfc.reports.measures import run_spreads
from scenarios.published.companion import load_table
from scenarios.runs.repeat import MEASURES


def test_spread_of_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    figures = {name: float(index) for index, name in enumerate(MEASURES)}
    show(run_spreads({**figures, "collisions_per_s": None}))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "spread in %            sent   received   together"
    assert lines[1] == "MB/s                    1.0        2.0        0.0"
    assert lines[5] == "bytes/package          10.0       11.0"
    assert lines[7] == "collisions/s" + "-".rjust(37)
    shown = {float(figure) for line in lines[1:] for figure in line.split() if "." in figure}
    assert shown == {*figures.values()} - {figures["collisions_per_s"]}


def test_spread_of_a_replay(capsys: pytest.CaptureFixture[str]) -> None:
    spreads = {
        ("transport", "HL/4/1", "mb_per_s"): 0.5,
        ("transport", "HL/4/5", "mb_per_s"): 2.5,
        ("transport", "HL/8/5", "mb_per_s"): 1.0,
        ("transport", "HL/8/5", "collisions_per_s"): None,
        ("appc_scaling", "1/1/1", "msgs_per_s"): 3.0,
        ("elsewhere", "1/1/1", "mb_per_s"): 9.0,
    }
    show(replay_spreads([load_table("transport"), load_table("appc_scaling")], spreads))
    assert capsys.readouterr().out.splitlines() == [
        "spread of seeds  table         figures  median  worst  at",
        "MB/s both ways   transport           3   1.0 %  2.5 %  HL/4/5",
        "messages/s       appc_scaling        1   3.0 %  3.0 %  1/1/1",
    ]
