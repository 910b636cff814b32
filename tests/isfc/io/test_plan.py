"""Every advice is given where it fits, and only there."""

import re
from pathlib import Path

import pytest

from isfc.io.configuration_file import parse_io_configuration
from isfc.io.plan import IoAdvice, advise, make_io_plan
from isfc.io.sizing import Guidelines

GOOD = """
[channel.2A]
feature = "FICON Express16SA"
path = "far"
card = "C"
[channel.2B]
feature = "FICON Express16SA"
path = "far"
[channel.Z1]
feature = "zHyperLink Express"
path = "room"
[channel.Z2]
feature = "zHyperLink Express"
[channel.O1]
feature = "OSA-Express7S 25 GbE"
[path.far]
km = 100
isl = { count = 2, gbps = 16, credits = 960 }
[path.room]
km = 0.1
[card.C]
interconnect = "I"
[interconnect.I]
fanout = "F"
[fanout.F]
gb_per_s = 20
[system.ATLANTA]
saps = 4
[[io]]
name = "oltp"
channels = ["2A", "2B"]
rate = 20000
[[io]]
name = "batch"
channels = ["2A", "2B"]
outstanding = 4
block = 27648
[[io]]
name = "lookup"
channels = ["Z1", "Z2", "2A"]
protocol = "synchronous"
rate = 50000
[[io]]
name = "copy"
workload = "streams-out"
channels = ["O1"]
"""

FEATURE_2B = '[channel.2B]\nfeature = "FICON Express16SA"'
ISL = "isl = { count = 2, gbps = 16, credits = 960 }"
BATCH = '"batch"\nchannels = ["2A", "2B"]'
LOOKUP = '["Z1", "Z2", "2A"]'
OLTP = "rate = 20000"
SAPS = f'saps = 4\n[[io]]\nname = "oltp"\nchannels = ["2A", "2B"]\n{OLTP}'

SLOWER_2B = FEATURE_2B, f"{FEATURE_2B}\nlink_gbps = 8"
CASES = {
    # what is replaced by what, how the text of the advice begins
    "credits-too-few": (
        *("credits = 960", "credits = 400"),
        "Path far: 400 buffer credits over 100 km",
    ),
    "port-beyond-reach": (ISL, "", "Path far: the 90 buffer credits"),
    "isl-too-slow": ("count = 2", "count = 1", "Path far: 1 inter-switch links of 16 Gb/s"),
    "link-below-feature": (*SLOWER_2B, "Channel 2B: its link runs"),
    "speeds-mixed": (*SLOWER_2B, "oltp: its channels run at 8 to 16"),
    "encryption-unsupported": (
        'SA"\npath = "far"\n[channel.Z1]',
        'S+"\npath = "far"\nencrypted = true\n[channel.Z1]',
        "Channel 2B: FICON Express16S+ can",
    ),
    "processor-above-guideline": (OLTP, "rate = 400000", "Channel 2A: its processor is 65 % busy"),
    "bus-above-guideline": (
        *(OLTP, "rate = 75000\nblocks = 16\nread_percent = 50"),
        "Channel 2A: its bus is ",
    ),
    "line-above-guideline": (OLTP, f"{OLTP}\nblocks = 32", "Channel 2A: its line is 84 % busy"),
    "ceiling-reached": ("per_s = 20", "per_s = 0.05", "Fanout F: is full with 0.05 GB/s"),
    "load-not-carried": (OLTP, "rate = 900000", "Channel 2A: carries "),
    "exchanges-too-many": ("ing = 4", "ing = 2000", "Channel 2A: batch has 1,000"),
    "command-mode": (OLTP, 'rate = 2000\nprotocol = "ficon"', "oltp: is in command mode"),
    "single-channel": (BATCH, BATCH.replace(', "2B"', ""), "batch: all of it uses channel 2A"),
    "zhyperlink-single": (LOOKUP, '["Z1", "2A"]', "lookup: has one zHyperLink"),
    "zhyperlink-too-long": ("= 50000", "= 50000\nblocks = 2", "lookup: I/Os of 8192 bytes"),
    "zhyperlink-busy": ("= 50000", "= 300000", "lookup: 21 % of requests find the link"),
    "zhyperlink-too-far": ("km = 0.1\n", "km = 0.2\n", "Channel Z1: a zHyperLink reaches 150 m"),
    "zhyperlink-no-fallback": (LOOKUP, '["Z1", "Z2"]', "lookup: names no FICON channel"),
    "saps-above-guideline": (
        *(SAPS, SAPS.replace("4", "1").replace("20", "160")),
        "System ATLANTA: 1 S",
    ),
    "mtu-small": ('GbE"\n', 'GbE"\nmtu = 1492\n', "Channel O1: packets of 1492 bytes"),
    "large-send-off": ('GbE"\n', 'GbE"\nlarge_send = false\n', "Channel O1: without large send"),
}


def advice_of(text: str, guidelines: Guidelines | None = None) -> tuple[IoAdvice, ...]:
    return tuple(advise(make_io_plan(parse_io_configuration(text.encode(), "x")), guidelines))


def test_all_is_quiet_where_nothing_is_to_change() -> None:
    assert advice_of(GOOD) == ()


@pytest.mark.parametrize("name", CASES)
def test_advice_is_given_where_it_fits(name: str) -> None:
    old, new, text = CASES[name]
    assert old in GOOD
    found = [one for one in advice_of(GOOD.replace(old, new)) if one.id == name]
    assert any(one.text.startswith(text) for one in found), found


def test_a_limit_that_an_open_load_keeps_is_no_advice() -> None:
    assert advice_of(GOOD.replace(OLTP, f"{OLTP}\noutstanding = 2000")) == ()


def test_guidelines_of_ones_own_are_kept() -> None:
    strict = advice_of(GOOD, Guidelines(processor_percent=1, bus_percent=1, sap_percent=1))
    assert {one.id for one in strict} == {
        *("processor-above-guideline", "bus-above-guideline"),
        *("line-above-guideline", "saps-above-guideline"),
    }


def test_every_advice_has_a_case_and_a_meaning_on_the_page() -> None:
    page = Path("docs/io-advice.md").read_text("utf-8")
    listed = dict(re.findall(r"^\| `([\w-]+)` \| (.*?) \|", page, re.MULTILINE))
    assert CASES.keys() == listed.keys()
    assert all(listed.values())


def test_a_line_that_is_more_than_full_says_what_that_means() -> None:
    # "its line is 106 % busy" stood there without a word
    text = """
        [channel.43]
        feature = "FICON Express8S"
        path = "far"
        [path.far]
        km = 100
        isl = { count = 1, gbps = 8, credits = 60 }
        [[io]]
        name = "oltp"
        channels = ["43"]
        read_percent = 65
        outstanding = OUT
    """
    (full,), (busy,) = (
        [one.text for one in advice_of(text.replace("OUT", count)) if "line-above" in one.id]
        for count in ("256", "24")
    )
    assert "its line is 106 % busy" in full
    assert full.endswith("so that rates are up to 6 % too high.")
    assert "too high" not in busy
