"""``isfc plan`` of a link by rule: the record that it prints as JSON, and its page."""

import re
from dataclasses import replace

import pytest

from isfc.answers.plan_link import plan_report, planned_by_rule
from isfc.cli.main import run
from isfc.cli.output.streams import show
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from isfc.layout.layout import Layout
from isfc.layout.plan import make_plan
from isfc.layout.rules.rule import Severity
from isfc.reports.terminal import page
from isfc.reports.text import encoded
from tests.isfc.printed import Printed, Recorded
from tests.shipped import ONE_LINK


def test_json_has_the_promised_keys() -> None:
    record = encoded(planned_by_rule(make_plan("atlanta-boston")))
    assert record == {
        "nodes": {"first": "ATLANTA", "second": "BOSTON"},
        "stop_short": 1,
        "write_order": {
            "ATLANTA": ["6000", "6001", "6002", "6003", "6020", "6021", "6022"],
            "BOSTON": ["7023", "7022", "7021", "7020", "7003", "7002", "7001"],
        },
        "exclusive": {"ATLANTA": ["6000"], "BOSTON": ["7023"]},
        "chpids": {
            "ATLANTA": [chpid("40", "1", 4, 175), chpid("41", "2", 3, 131.25)],
            "BOSTON": [chpid("51", "2", 4, 175), chpid("50", "1", 3, 131.25)],
        },
        "ctcs": [ctc(number) for number in range(8)],
        "estimated_mb_per_s": {"ATLANTA": 306, "BOSTON": 306},
        "model": None,
        "worst_chpid": {
            "gone": "chpid 40 (mate 50)",
            "rate": by_rule(131, "MB/s"),
            "left": by_rule(131 / 306, "of 1"),
        },
        "notes": [],
        "advice": [
            {
                "id": "unidirectional-spread",
                "severity": "info",
                "text": "The CTCs that only one end may write, ATLANTA's 6000 and BOSTON's 7023, "
                "are on 2 chpids. Give one chpid, beside its other CTCs, both of them: the first "
                "and the last numbers of the device list.",
                "trials": [],
            }
        ],
    }


def ctc(number: int) -> dict[str, object]:
    """The one of that place in the device list, from 0 on."""
    fibre, own = divmod(number, 4)
    writes = {"ATLANTA": number + 1} if number < 7 else {}
    writes |= {"BOSTON": 8 - number} if number > 0 else {}
    return {
        "rdevs": {"ATLANTA": f"60{2 * fibre}{own}", "BOSTON": f"70{2 * fibre}{own}"},
        "chpids": {"ATLANTA": f"4{fibre}", "BOSTON": f"5{fibre}"},
        "fibre": f"{fibre + 1}",
        "speed": "Express2 2 Gb/s",
        "writes": writes,
    }


def by_rule(value: float, unit: str) -> dict[str, object]:
    return {
        "value": value,
        "unit": unit,
        "range": None,
        "no_range": "IBM's rule of thumb states none",
        "load": None,
        "sender": None,
        "spread": 0.0,
        "second": None,
        "by_model": None,
    }


def chpid(name: str, fibre: str, write_ctcs: int, mb_per_s: float) -> dict[str, object]:
    return {
        "chpid": name,
        "fibre": fibre,
        "feature": "FICON Express2",
        "link_gbps": 2,
        "km": 0.0,
        "write_ctcs": write_ctcs,
        "estimated_mb_per_s": mb_per_s,
    }


@pytest.mark.parametrize("layout", ONE_LINK)
def test_command_plans_every_shipped_layout(
    layout: str, capsys: pytest.CaptureFixture[str], printed: Printed, recorded: Recorded
) -> None:
    record = recorded("plan", layout, "--rule")
    assert record == encoded(planned_by_rule(make_plan(layout)))

    assert run(["plan", layout, "--rule"]) == 0
    page, errors = capsys.readouterr()
    assert errors == ""
    assert max(map(len, page.splitlines())) <= 80
    for node, mb_per_s in record["estimated_mb_per_s"].items():
        assert re.search(rf"^{node} +~{mb_per_s} ", page, re.MULTILINE)
    page = " ".join(printed("plan", layout, "--rule", "--notes").split())
    for advice in record["advice"]:
        assert f"{Severity(advice['severity']).noun}: {advice['text']}" in page


def page_of(layout: Layout, capsys: pytest.CaptureFixture[str]) -> list[str]:
    show(page(plan_report(planned_by_rule(make_plan(layout))), notes=True))
    return capsys.readouterr().out.splitlines()


def test_single_ctc_is_written_from_both_ends(capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of(load_layout("published-1"), capsys)
    assert page[0] == "CLIENT - SERVER: 1 CTC on 1 fibre"
    assert page[3] == "Lose a chpid  worst is 40 (mate 50): nothing is left"
    assert page[4] == "Found         2 warnings (isfc check)"
    assert page[11].startswith("A single CTC: the scan does not stop short")
    assert page[13] == "     1 6000 40    <- Express2 2 Gb/s -> 50    6000      1"
    assert any(line.startswith("warning: Both nodes write on the only CTC") for line in page)


def test_picture_is_in_scan_order_whatever_the_file_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    layout = load_layout("published-16")
    backwards = replace(layout, ctcs=layout.ctcs[::-1])
    assert page_of(backwards, capsys) == page_of(layout, capsys)


def test_longest_names_fit_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    fibre = """
[fibre.{0}]
feature = "FICON Express16SA"
link_gbps = 1.5
chpid = {{ ABCDEFGH = "{0}", ABCDEFGI = "{0}" }}
[[ctc]]
fibre = "{0}"
rdevs = {{ ABCDEFGH = "{0}0", ABCDEFGI = "{0}0" }}
"""
    data = "".join(fibre.format(number) for number in range(10, 26))
    page = page_of(parse_layout(data.encode(), "long"), capsys)
    assert max(map(len, page)) <= 80
    farther = page_of(
        parse_layout(data.replace("link_gbps", "km = 60\nlink_gbps").encode()), capsys
    )
    fibres = [line for line in farther if "60 km" in line]
    assert len(fibres) == 16
    assert all("->" in line or "--" in line.partition("km")[2] for line in fibres)  # one line each
    (first,) = (line for line in page if line.split()[:1] == ["1"])
    assert first.split() == "1 0100 10 -- Express16SA 1.5 Gb/s -> 10 0100".split()
