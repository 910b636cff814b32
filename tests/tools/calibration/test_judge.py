"""The judgement of the model by the figures at which new rules are taken."""

from dataclasses import replace
from pathlib import Path

import pytest

from tools.calibration import judge
from tools.calibration.replayed import ReplayedTable, load


@pytest.fixture(scope="module")
def replays() -> list[ReplayedTable]:
    return load()


def as_ibm(replays: list[ReplayedTable]) -> list[ReplayedTable]:
    """A replay whose every figure is IBM's."""
    perfect = []
    for one in replays:
        same = tuple(replace(c, emulated=c.published) for c in one.verdict.comparisons)
        perfect.append(replace(one, verdict=replace(one.verdict, comparisons=same)))
    return perfect


def test_a_model_that_is_ibms_reaches_every_figure(replays: list[ReplayedTable]) -> None:
    assert [each.target.name for each in judge.judge(as_ibm(replays)) if not each.holds] == []


def test_a_quiet_row_that_collides_is_named_and_not_taken(replays: list[ReplayedTable]) -> None:
    perfect = as_ibm(replays)
    table = next(one for one in perfect if one.name == "transport")
    loud = tuple(
        replace(c, emulated=23.0) if (c.key, c.measure) == ("HS/8/1", "collisions_per_s") else c
        for c in table.verdict.comparisons
    )
    perfect[perfect.index(table)] = replace(table, verdict=replace(table.verdict, comparisons=loud))
    (missed,) = (each for each in judge.judge(perfect) if not each.holds)
    assert (missed.target.name, missed.reached, missed.at) == (
        "quiet rows: the worst",
        23,
        "HS/8/1",
    )


def test_the_command_says_how_many_figures_are_reached(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = judge.main(["--stored"])
    *lines, last = capsys.readouterr().out.splitlines()
    missed = sum("  NO   " in line for line in lines)
    count = len(lines) - 1
    assert last == f"{count - missed} of {count} figures are within a tenth of their targets"
    assert status == (missed > 0)


@pytest.mark.parametrize("setting", ["link.no_such_ns=0", "chpid.turn_ns", "nowhere.turn_ns=1"])
def test_a_setting_of_no_constant_is_refused(
    setting: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        judge.main(["--set", setting])
    assert setting.partition("=")[0] in capsys.readouterr().err


def test_a_stored_replay_is_judged_alike(tmp_path: Path) -> None:
    kept = tmp_path / "kept.csv"
    assert judge.main(["--stored", "--csv", str(kept)]) == judge.main(["--from", str(kept)])
