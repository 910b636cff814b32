"""``isfc plan``: the record it prints as JSON, and that both outputs come from one plan."""

import json
import re

import pytest

from isfc.answers.plan_link import planned_by_rule
from isfc.cli.main import run
from isfc.layout.plan import make_plan
from isfc.layout.rules.rule import Severity
from isfc.reports.text import encoded
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


def test_json_advice_has_id_severity_and_text() -> None:
    advice, _ = planned_by_rule(make_plan("published-1")).advice
    assert (advice.id, advice.severity) == ("single-ctc", "warning")
    assert advice.text.startswith("Both nodes write on the only CTC")


@pytest.mark.parametrize("layout", ONE_LINK)
def test_command_plans_every_shipped_layout(
    layout: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plan", layout, "--rule", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record == encoded(planned_by_rule(make_plan(layout)))

    assert run(["plan", layout, "--rule"]) == 0
    page, errors = capsys.readouterr()
    assert errors == ""
    assert max(map(len, page.splitlines())) <= 80
    for node, mb_per_s in record["estimated_mb_per_s"].items():
        assert re.search(rf"^{node} +~{mb_per_s} ", page, re.MULTILINE)
    assert run(["plan", layout, "--rule", "--notes"]) == 0
    page = " ".join(capsys.readouterr().out.split())
    for advice in record["advice"]:
        assert f"{Severity(advice['severity']).noun}: {advice['text']}" in page
