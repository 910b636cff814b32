"""How far figures differ from seed to seed, as tables."""

import pytest

from isfc.cli.output.streams import show
from isfc.reports.measures import run_spreads
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
