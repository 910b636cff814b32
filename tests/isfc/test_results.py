"""Results of public functions are alike: rows, records, one line, and what a notebook shows."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import isfc
from isfc.cli.main import run
from isfc.reports.text import encoded
from tests.isfc.engine.test_journal import recorded

pytestmark = pytest.mark.at_length


PROJECT = Path(__file__).parents[2]
CHANNELS = PROJECT / "docs" / "io" / "two-channels.toml"
PAGES = PROJECT / "tests" / "data" / "measured" / "two-pages.txt"
SHARED = PROJECT / "docs" / "io" / "shared.toml"


def text_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(words) == 0
    return capsys.readouterr().out


def of_command(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(text_of(capsys, *words, "--json"))


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    layout = isfc.load_layout("published-4")
    return {
        "judge": isfc.judge(layout),
        "plan": isfc.plan(layout),
        "planned_links": isfc.plan("two-cecs", rule=True),
        "simulate": isfc.simulate(layout, "HS", pairs=1, seconds=0.01, interval=0.002),
        "measured": isfc.measured.read([PAGES]).measurements[0],
        "io_plan": isfc.io_plan(CHANNELS),
        "io_run": isfc.io_run(CHANNELS, seconds=0.01),
        "io_beside": isfc.io_beside(SHARED, "HS", pairs=1, seconds=0.01),
        "io_size": isfc.io_size(CHANNELS),
        "io_chart": isfc.io_chart("mtu"),
        "simulate_links": isfc.simulate_links(
            "two-cecs", ["ALPHA-BETA:HS:1"], seconds=0.01, warmup=0.01
        ),
    }


RESULTS = "judge plan planned_links simulate measured io_chart simulate_links"


@pytest.mark.parametrize("name", [*RESULTS.split(), "io_plan", "io_run", "io_beside", "io_size"])
def test_result_has_rows_and_one_line(results: dict[str, Any], name: str) -> None:
    has_rows_and_one_line(results[name])


def has_rows_and_one_line(result: Any) -> None:
    rows = result.rows()
    assert rows
    assert all(row.keys() == rows[0].keys() for row in rows)
    assert all(isinstance(each, str | int | float | None) for row in rows for each in row.values())
    assert len(repr(result)) < 200
    assert repr(result)[0] == "<"


@pytest.mark.parametrize("name", RESULTS.split())
def test_result_has_a_page(results: dict[str, Any], name: str) -> None:
    page = ElementTree.fromstring(f"<body>{results[name]._repr_html_()}</body>")
    assert [*page.iter("table")]


def test_what_is_said_of_a_layout_has_rows_and_one_line() -> None:
    layout = isfc.load_layout("published-4")
    exported = isfc.export(layout, "iocp")
    for result in (
        isfc.Collection((layout,)),
        exported,
        isfc.import_iocp([*exported.texts.values()], partitions="CLIENT,SERVER"),
        isfc.connections("two-cecs"),
    ):
        has_rows_and_one_line(result)


def test_plan_draws_and_a_run_plots(results: dict[str, Any]) -> None:
    assert "isfc-drawing" in results["judge"]._repr_html_()
    assert 'class="picture"' in results["simulate"]._repr_html_()
    assert "isfc-drawing" in isfc.load_layout("published-4")._repr_html_()


def test_records_are_what_commands_print(
    results: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    shown = of_command(capsys, "plan", "published-4", "--rule")
    for key, value in results["judge"].to_dict().items():
        if key != "advice":
            assert shown[key] == value
    assert encoded(isfc.replay("stop_short")) == of_command(capsys, "replay", "stop_short")
    assert encoded(isfc.connections("two-cecs")) == of_command(capsys, "show", "two-cecs")


def test_records_of_channels_and_links_together_are_what_commands_print(
    results: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    path, beside = str(CHANNELS), ["HS", "--pairs", "1", "--seconds", "0.01"]
    lines = {
        "io_plan": ["io", "plan", path],
        "io_run": ["io", "run", path, "--seconds", "0.01"],
        "io_beside": ["io", "beside", str(SHARED), *beside],
        "io_size": ["io", "size", path],
        "io_chart": ["io", "chart", "mtu"],
    }
    for name, words in lines.items():
        assert of_command(capsys, *words) == json.loads(json.dumps(encoded(results[name])))
    assert isfc.io_plan(CHANNELS.read_text("utf-8")).rows() == results["io_plan"].rows()
    assert isfc.io_plan(isfc.io_size(CHANNELS).proposal).rows()
    words = ["--traffic", "ALPHA-BETA:HS:1", "--seconds", "0.01", "--warmup", "0.01"]
    shown = of_command(capsys, "run", "two-cecs", *words)
    del shown["command"]
    found = results["simulate_links"]
    answer = json.loads(json.dumps(encoded(found.answer)))
    assert shown == {key: value for key, value in answer.items() if key != "command"}
    assert [*found.links] == ["ALPHA-BETA"]
    assert found.links["ALPHA-BETA"].mb_per_s == found.mb_per_s


def test_journal_is_shown_and_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "node.journal"
    file.write_bytes(recorded()[1].data)
    replayed = isfc.journal_replay(file)
    assert replayed.identical
    assert [row["identical"] for row in replayed.rows()] == [True]
    assert encoded(replayed) == of_command(capsys, "journal", "replay", str(file))
    shown = text_of(capsys, "journal", "show", str(file), "--json").splitlines()
    assert encoded([*isfc.journal_show(file)]) == [json.loads(line) for line in shown]
    with pytest.raises(isfc.IsfcError, match="is no journal"):
        isfc.journal_replay(CHANNELS)


def test_records_within_layouts_are_one_line() -> None:
    layout = isfc.load_layout("published-4")
    collection = isfc.Collection((layout,))
    exported = isfc.export(layout, "iocp")
    for each in (layout, collection, layout.fibres[0], layout.ctcs[0], exported):
        assert len(repr(each)) < 100
    assert exported.to_dict()["texts"] == exported.texts
    assert [row["rdev_CLIENT"] for row in layout.rows()] == ["6000", "6001", "6002", "6003"]


def test_run_has_ranges_as_the_command(results: dict[str, Any]) -> None:
    within = results["simulate"].figures["mb_per_s"].ends
    assert within.low < results["simulate"].mb_per_s < within.high
    assert results["simulate"].answer.figures["mb_per_s"].ends == within


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


@pytest.mark.slow
def test_decisions_have_rows_and_pages_too() -> None:
    compared = isfc.compare(["published-1", "published-4"], "HS", 1)
    assert len(compared.rows()) > 1
    assert len(repr(compared)) < 200
    (rate, _) = isfc.carried("published-1", pairs=1)
    assert rate.to_dict()["stated_mb_per_s"] == rate.stated.value
    assert repr(rate).startswith("<ModelledRate CLIENT: ")
    (_, cut) = isfc.losses("atlanta-boston", without=["40"]).rows()
    assert cut["gone"] == "40"
