"""``isfc collide``: the page, the JSON and what is refused."""

import json

import pytest

from isfc.cli.main import run

SMALL = [
    "published-4",
    "--offer-out",
    "40",
    "--offer-in",
    "80",
    "--steps",
    "2",
    "--seconds",
    "0.02",
]


@pytest.mark.at_length
@pytest.mark.slow
def test_page_has_a_table_and_a_heat_map_for_each_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", *SMALL]) == 0
    page = capsys.readouterr().out
    assert max(map(len, page.splitlines())) <= 80
    assert page.count("Collisions/s, ") == 6
    assert page.count("\nupward ") == 1
    rows = page.partition("Collisions/s, upward")[2].splitlines()[1:4]
    assert rows[0].split() == ["40", "80"]
    assert [row.split()[0] for row in rows[1:]] == ["20", "40"]


@pytest.mark.at_length
@pytest.mark.slow
def test_json_has_every_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", *SMALL, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ctcs"] == 4
    loads = [(each["offered_out"], each["offered_in"]) for each in record["outcomes"]]
    assert loads == [(20, 40), (20, 80), (40, 40), (40, 80)] * 6


def test_absurd_loads_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["collide", "published-4", "--offer-out", "-1", "--offer-in", "1"]) == 2
    assert "--offer-out -1: expected 0 to 2000 MB/s" in capsys.readouterr().err
