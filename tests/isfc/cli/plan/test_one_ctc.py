"""``isfc plan`` of a single CTC: each direction by its own runs, and what is to gain there."""

from pathlib import Path

import pytest

import isfc
from isfc.link.name import NodeName
from scenarios.figures.limit import LIKE_SHARE
from tests.isfc.printed import Recorded
from tests.lengthy import few_in_every_run

pytestmark = [pytest.mark.at_length, pytest.mark.full_length]

FEATURES = [f"FICON Express{name}" for name in ("2", "", "4", "8", "16S", "32S")]


def layout_of(feature: str, ctcs: int) -> str:
    last = ctcs - 1
    return f"""
[fibre.1]
feature = "{feature}"
chpid = {{ ATLANTA = "40", BOSTON = "50" }}
[[ctc]]
fibre = "1"
rdevs = {{ ATLANTA = "6000-600{last}", BOSTON = "7000-700{last}" }}
"""


def sent(text: str, node: str) -> float:
    ran = isfc.simulate(isfc.parse_layout(text), "HL", pairs=50, seconds=1, client=node)
    return ran.mb_per_s_out


@pytest.mark.parametrize("feature", few_in_every_run(FEATURES))
def test_a_single_ctc_carries_each_way_what_its_own_run_does(
    feature: str, recorded: Recorded, tmp_path: Path
) -> None:
    """The second way had the rate of the first, and what the first one gains by a second CTC."""
    one, two = (layout_of(feature, ctcs) for ctcs in (1, 2))
    (tmp_path / "one.toml").write_text(one)
    model = recorded("plan", str(tmp_path / "one.toml"))["model"]
    by_run = {node: sent(one, node) for node in ("ATLANTA", "BOSTON")}
    stated = {node: each["value"] for node, each in model["stated"].items()}
    assert stated == pytest.approx(by_run, rel=0.01)
    assert by_run["BOSTON"] > 1.04 * by_run["ATLANTA"]
    for node, limits in model["limits"].items():
        gained = sent(two, node) / by_run[node]
        told = limits["added"]["a second CTC on its chpid"]["value"]
        assert told == pytest.approx(gained, rel=LIKE_SHARE)
    (carried,) = isfc.carried(one, NodeName("BOSTON"))
    assert carried.stated.value == stated["BOSTON"]
