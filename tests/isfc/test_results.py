"""Results of public functions are alike: rows, records, one line, and what a notebook shows."""

from typing import Any
from xml.etree import ElementTree

import pytest

import isfc
from tests.isfc.cli.test_functions import of_command

GUEST = isfc.GuestPlan("LINUX1", isfc.GuestMemory(2**20, 2**20))


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    layout = isfc.load_layout("published-4")
    return {
        "plan": isfc.plan(layout),
        "simulate": isfc.simulate(layout, "HS", pairs=1, seconds=0.01, interval=0.002),
        "relocate": isfc.relocate(layout, GUEST),
        "evacuate": isfc.evacuate(layout, "CLIENT", [GUEST]),
        "replay": isfc.replay("stop_short"),
    }


@pytest.mark.parametrize("name", ["plan", "simulate", "relocate", "evacuate", "replay"])
def test_result_has_rows_one_line_and_a_page(results: dict[str, Any], name: str) -> None:
    result = results[name]
    rows = result.rows()
    assert rows
    assert all(row.keys() == rows[0].keys() for row in rows)
    assert all(isinstance(each, str | int | float | None) for row in rows for each in row.values())
    assert len(repr(result)) < 200
    assert repr(result)[0] == "<"
    page = ElementTree.fromstring(f"<body>{result._repr_html_()}</body>")
    assert [*page.iter("table")]


def test_plan_draws_and_a_run_plots(results: dict[str, Any]) -> None:
    assert "isfc-drawing" in results["plan"]._repr_html_()
    assert "<polyline" in results["simulate"]._repr_html_()
    assert "isfc-drawing" in isfc.load_layout("published-4")._repr_html_()


def test_records_are_what_commands_print(
    results: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = of_command(capsys, "plan", "published-4", "--rule")
    for key, value in results["plan"].to_dict().items():
        if key != "advice":
            assert shown[key] == value
    (found,) = of_command(capsys, "check", "published-1", "--fail-on", "never")
    of_link = isfc.check("published-1")[found["nodes"][0] + "-" + found["nodes"][1]]
    assert [each.to_dict() for each in of_link] == [
        {key: value for key, value in each.items() if key != "lines"} for each in found["findings"]
    ]


def test_figures_are_where_one_looks_for_them(results: dict[str, Any]) -> None:
    run, ctc = results["simulate"], isfc.load_layout("published-4").ctcs[0]
    whole = run.client.whole.result
    assert (run.mb_per_s, run.mb_per_s_out) == (whole.mb_per_s, whole.mb_per_s_out)
    assert run.messages_per_s == whole.messages_per_s
    assert (run.rdev_util_percent, run.collisions_per_s) == (
        whole.rdev_util_percent,
        whole.collisions_per_s,
    )
    assert run.device_rows()[0]["rdev"] == ctc.rdev_names[0] == f"{ctc.rdevs[0]:04X}"
    assert ctc.fibre.chpid_names[1] == f"{ctc.fibre.chpids[1]:02X}"


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.usefixtures("short_steady")
def test_decisions_have_rows_and_pages_too() -> None:
    layouts = ["published-1", "published-4"]
    for found in (
        isfc.compare(layouts, "HS", 1),
        isfc.optimise("published-4", pairs=2, seconds=0.01, runs=2, seeds=1),
    ):
        assert len(found.rows()) > 1
        assert len(repr(found)) < 200
        ElementTree.fromstring(f"<body>{found._repr_html_()}</body>")
    (rate, _) = isfc.carried("published-1", pairs=1)
    assert rate.to_dict()["stated_mb_per_s"] == rate.stated_mb_per_s
    assert repr(rate).startswith("<ModelledRate CLIENT: ")
    (_, cut) = isfc.losses("atlanta-boston", without=["40"])
    assert cut.to_dict()["gone"] == "40"
