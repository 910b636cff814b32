"""``isfc.relocate``: the same figures as the command's, as records and tables."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import isfc
from isfc.cli.main import run
from isfc.cli.relocation.relocate_page import relocation_page
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
    more = {key: record[key] for key in ("ranges", "limits", "notes")}
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
    assert found.to_dict()["background"]["exchanges_per_s_alone"] == found.alone_per_s
    assert found.alone is not None
    known = Experiment.of(found.relocation.layout, find_workload("HS"), 2)
    assert found.alone == steady_run(known)  # two beginnings, and no trend left
    assert repr(found).startswith("<Relocated CLIENT - SERVER, 1 of 2 guests: ")
    assert "<td>max-total</td><td>0.05</td>" in found._repr_html_()


@pytest.mark.at_length
@pytest.mark.slow
def test_second_pace_of_the_background_is_said() -> None:
    found = isfc.relocate("published-4", MEMORY, background=("HS", 2))
    assert found.alone is not None
    rate = found.alone.rate
    paces = replace(found.alone, rate=replace(rate, second_mb_per_s=rate.mb_per_s / 2))
    two = replace(found, alone=paces)
    alone = two.alone_per_s
    assert alone is not None
    assert two.to_dict()["background"]["exchanges_per_s_alone_second"] == pytest.approx(alone / 2)
    console = Console(width=200, file=io.StringIO())
    with console.capture() as shown:
        console.print(relocation_page(two))
    text = shown.get()
    assert f"{alone:.0f} exchanges/s, or {alone / 2:.0f} if" in " ".join(text.split())


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
