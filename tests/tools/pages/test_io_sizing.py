"""Sentences of the page on sizing say what its tables show and what the code takes."""

import re
from pathlib import Path
from typing import Final

import pytest

from isfc.io.configuration_file import parse_io_configuration
from isfc.io.rmf import read_rmf
from isfc.io.sizing import Guidelines
from isfc.io.zhyperlink import ZHYPERLINK
from tools.pages.console import PROJECT

PAGE: Final = (PROJECT / "docs/io-sizing.md").read_text("utf-8")
TEXT: Final = " ".join(PAGE.split())


def stands(*sentences: str) -> None:
    for sentence in sentences:
        assert sentence in TEXT


def row(first: str) -> list[str]:
    """The figures of the row of the page's first table that begins so."""
    found: list[str] = re.findall(rf"^{re.escape(first)} +(\d.*)$", PAGE, re.MULTILINE)
    return found[0].split()


def file(name: str) -> Path:
    return PROJECT / "docs/io" / name


def test_report_has_so_many_intervals_and_channels() -> None:
    intervals = read_rmf(file("rmf.txt"))
    stands("has three intervals of a system with eight FICON Express8S channels.")
    assert len(intervals) == 3
    assert {len(each.channels) for each in intervals} == {8}


def test_best_is_the_table_s() -> None:
    now, grown, *_ = row("16SA zHPF")
    at_100 = row("100")
    assert grown == "2"
    stands(f"**Two FICON Express16SA channels, zHPF on, credits {at_100[1]}.**")
    stands(f"Best: {grown} FICON Express16SA channels, zHPF on; at 100 km {at_100[0]} ISLs")
    assert int(now) <= int(grown)


def test_channels_of_command_mode_are_the_table_s() -> None:
    stands(f"In command mode {row('16SA FICON')[1]} channels are needed,")


def test_single_channel_is_used_more_than_every_guideline_allows() -> None:
    stands("the processor, the bus and the line of a single channel would each be used more")
    alone = [2 * float(percent) for percent in row("16SA zHPF")[2:5]]
    processor, bus, line = alone
    assert processor > Guidelines().processor_percent
    assert min(bus, line) > Guidelines().bus_percent
    assert line == max(alone)
    assert row("16SA zHPF")[5:6] == ["line,"]


def test_credits_are_compared_as_the_table_has_them() -> None:
    _, credits_, full, by_rule, *_ = row("100")
    stands(f"so that it needs more: {credits_} at 100 km where the old rule says {by_rule}.")
    assert int(by_rule) < int(credits_) < int(full.replace(",", ""))


def test_guidelines_are_those_of_the_code() -> None:
    limits = Guidelines()
    stands(
        f"channel processor below {limits.processor_percent:g} %,",
        f"bus below {limits.bus_percent:g} %.",
        f"while an inter-switch link is used to {limits.bus_percent:g} %.",
        f"zHyperLink carries reads of up to {ZHYPERLINK.length_max} bytes.",
    )


def test_written_configuration_begins_at_the_chpid_and_grows_as_said() -> None:
    configuration = parse_io_configuration(file("two-channels.toml").read_bytes(), "two")
    assert min(configuration.channels) == "50"
    assert len(configuration.workloads) == 1
    stands("the channels, from chpid 50 on,", "and the load with 30 % more.", "--growth 30 ")
    (rate,) = (each.rate_per_s for each in configuration.workloads)
    assert rate is not None
    reported = float(re.findall(r": ([\d,]+) I/Os a second", PAGE)[0].replace(",", ""))
    assert round(rate / reported, 3) == 1.3


def test_slips_of_the_third_file_are_the_two_that_are_named() -> None:
    configuration = parse_io_configuration(file("without-zhpf.toml").read_bytes(), "slips")
    paths = {each.path for each in configuration.channels.values()}
    (credits_,) = {path.isl.credits for path in paths if path and path.isl}
    assert {each.protocol.value for each in configuration.workloads} == {"ficon"}
    stands(f"With slips in it, zHPF off and {credits_} credits,")


def test_lines_of_plan_and_of_sizing_differ_by_the_credits() -> None:
    # a reader took 65.4 and 70.0 for a contradiction
    planned = re.findall(r"^50 +Express16SA .* (\d+\.\d)$", PAGE, re.MULTILINE)[0]
    own = float(row("16SA zHPF")[4])
    stands(f"`line%` is {planned} here and {own} in the table of `isfc io size`, for the same")
    credits_, full = map(int, row("100")[1:3])
    assert own * full / credits_ == pytest.approx(float(planned), abs=0.1)
    stands(f"{credits_} credits let less through over 100 km than a full line carries.")
    assert float(planned) == Guidelines().bus_percent
