"""``isfc.relocate``: the same figures as the command's, as records and tables."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import isfc
from isfc.cli.main import run
from isfc.cli.relocation.page import moves_page
from scenarios.runs.experiment import Experiment
from scenarios.runs.steady import steady_run
from scenarios.runs.workload import find_workload

MIB = 2**20
MEMORY = isfc.GuestMemory(size=32 * MIB, touched=32 * MIB, change_rate=20 * MIB)


@pytest.mark.at_length
def test_python_and_the_command_have_the_same_figures(capsys: pytest.CaptureFixture[str]) -> None:
    found = isfc.relocate("published-4", MEMORY, source="server", orders=["0.01 STATUS"])
    arguments = "relocate published-4 --memory 32M --change-rate 20M --from SERVER".split()
    assert run([*arguments, "--at", "0.01 STATUS", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    ours = json.loads(json.dumps(found.to_dict()))
    more = {key: record[key] for key in ("ranges", "limits")}
    assert {**ours, **more} == record
    assert run([*arguments, "--csv"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    rows = found.rows()
    assert head.split(",") == [*rows[0]]
    assert [line.split(",") for line in lines] == [[*map(str, row.values())] for row in rows]


@pytest.mark.at_length
@pytest.mark.slow
def test_guests_have_limits_of_their_own() -> None:
    plans = [
        isfc.GuestPlan("A", MEMORY, isfc.Limits(max_total=0.05)),
        isfc.GuestPlan("B", MEMORY),
    ]
    found = isfc.relocate("published-4", plans, together=2, background=("HS", 2))
    assert [each.end for each in found.guests] == ["max-total", "moved"]
    assert not found.all_moved
    (alone,) = found.alone
    assert found.to_dict()["traffic"][0]["alone_exchanges_per_s"] == alone.exchanges_per_s
    known = steady_run(Experiment.of(isfc.load_layout("published-4"), find_workload("HS"), 2))
    assert alone.exchanges_per_s == known.result.messages_per_s_in  # two beginnings, and no trend
    assert alone.rate.mb_per_s == pytest.approx(known.result.mb_per_s, rel=0.01)
    assert repr(found).startswith("<EvacuationOutcome CLIENT - SERVER, 1 of 2 guests: ")
    assert "<td>max-total</td>" in found._repr_html_()


@pytest.mark.at_length
@pytest.mark.slow
def test_second_pace_of_the_background_is_said() -> None:
    found = isfc.relocate("published-4", MEMORY, background=("HS", 2))
    (alone,) = found.alone
    slower = replace(alone.rate, second_mb_per_s=alone.rate.mb_per_s / 2)
    two = replace(found, alone=(replace(alone, rate=slower),))
    (told,) = two.to_dict()["traffic"]
    assert told["alone_second_exchanges_per_s"] == pytest.approx(alone.exchanges_per_s / 2)
    console = Console(width=200, file=io.StringIO())
    with console.capture() as shown:
        console.print(moves_page(two, two.figures))
    paces = f"{alone.rate.mb_per_s:.0f} or {alone.rate.mb_per_s / 2:.0f}"
    assert paces in " ".join(shown.get().split())


def test_limits_of_a_single_guest_are_arguments() -> None:
    shipped = Path(isfc.__file__).parent / "layout" / "shipped" / "published-4.toml"
    found = isfc.relocate(shipped, MEMORY, max_total=0.05)
    assert (found.guests[0].end, found.seconds) == ("max-total", 0.05)
    immediate = isfc.relocate("published-4", MEMORY, immediate=True, quiesce=0)
    assert [each["quiesced"] for each in immediate.rows()] == [False, True, True]


def test_stop_shorter_than_the_state_takes_is_refused() -> None:
    with pytest.raises(
        isfc.ConfigurationError, match=r"4 MiB, alone take 0\.02\d s over this link"
    ):
        isfc.relocate("published-4", MEMORY, max_quiesce=0.01)
