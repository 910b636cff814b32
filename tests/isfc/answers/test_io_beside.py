"""``isfc io beside``: CTCs and disks on one chpid, alone and beside each other."""

from pathlib import Path

import pytest

import isfc
from tests.isfc.cli.conftest import Refusal
from tests.isfc.printed import Printed, Recorded, is_narrow

pytestmark = pytest.mark.at_length

LAYOUT = """
[fibre.1]
feature = "FICON Express8S"
chpid = { ATLANTA = "40", BOSTON = "50" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }
[[io]]
name = "disks"
channels = ["40"]
protocol = "ficon"
rate = 12000
"""


def test_ctcs_and_disks_are_shown_alone_and_beside_each_other(
    tmp_path: Path, printed: Printed, recorded: Recorded
) -> None:
    path = tmp_path / "link.toml"
    path.write_text(LAYOUT)
    words = ("io", "beside", path, "HL", "--seconds", "0.2")
    record = recorded(*words)
    assert record["beside"]["value"] < 0.8 * record["alone"]["value"]
    (disks,) = record["disks"]
    assert disks["io_per_s_beside"] == disks["io_per_s_alone"] == 12_000
    assert disks["response_us_beside"] > 2 * disks["response_us_alone"]
    (chpid,) = record["chpids"]
    assert chpid["ctc_percent_beside"] < chpid["ctc_percent_alone"]
    assert {each["kind"] for each in record["notes"]} >= {"no-range"}
    assert record["limits"] is None
    page = printed(*words)
    assert is_narrow(page)
    assert f"With disks  {record['beside']['value']:.0f} MB/s (" in page
    assert f"disks at 40: {disks['response_us_alone']:.1f} us, with the link " in page


def test_of_a_second_it_says_what_limits(printed: Printed) -> None:
    page = printed("io", "beside", "docs/io/shared.toml", "HL", "--seconds", "1")
    assert "Limited by  " in page
    assert "To gain     " in page


def test_what_it_cannot_run_is_refused(refusal: Refusal) -> None:
    words = ("io", "beside", "published-1", "HL")
    assert "none is a chpid of the layout" in refusal(*words)
    assert "--pairs 0: expected 1 to " in refusal(*words, "--pairs", "0")
    with pytest.raises(isfc.ConfigurationError, match=r"^pairs 0: expected 1 to "):
        isfc.io_beside("published-1", "HL", pairs=0)
    assert refusal("io", "run", "x.toml", "--ctcs", "HL").startswith("--ctcs is gone: use 'isfc io")
