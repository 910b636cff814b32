"""Cards, interconnects and fanouts: no more gets through than they carry, and no less."""

from itertools import pairwise
from typing import Any

import pytest

from isfc.answers.io_run import IoActivity, io_activity
from isfc.io.configuration import IoConfiguration
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.mix import mix_of_configuration
from isfc.io.plan import IoPlan, make_io_plan
from isfc.io.sizing import Guidelines, size
from tests.lengthy import few_in_every_run

READS = "blocks = 32"
MIXED = "blocks = 32\nread_percent = 50"


def tree(channels: int, load: str, fanout: str = "", more: str = "") -> IoConfiguration:
    """Channels cabled as published, two on a card, eight cards on an interconnect, and a load."""
    lines: list[str] = []
    names = [f"{number:02X}" for number in range(channels)]
    for number, name in enumerate(names):
        lines += [f"[channel.{name}]", 'feature = "FICON Express16SA"', f'card = "{number // 2}"']
    for number in range((channels + 1) // 2):
        lines += [f"[card.{number}]", f'interconnect = "{number // 8}"']
    for number in range((channels + 15) // 16):
        lines += [f"[interconnect.{number}]", 'fanout = "F"']
    lines += ["[fanout.F]", fanout, more]
    lines += ["[[io]]", 'name = "load"', f"channels = {names}", load]
    return parse_io_configuration("\n".join(lines).encode(), "io.toml")


def use_of(found: IoPlan | IoActivity, title: str) -> float:
    return next(load.percent for load in found.trunks if load.title == title) / 100


def gb_per_s(found: IoPlan | IoActivity, title: str) -> float:
    load = next(load for load in found.trunks if load.title == title)
    return load.gb_per_s_read + load.gb_per_s_write


PUBLISHED = [
    # channels, load, what is full, the published GB/s: IBM z15 FICON Express16SA Performance
    (1, READS, "fanout F", 1.6),
    (1, MIXED, "fanout F", 3.2),
    (2, READS, "card 0", 3.2),
    (16, MIXED, "interconnect 0", 38),
    (32, READS, "fanout F", 40),
    (32, MIXED, "fanout F", 50),
]


PUBLISHED_WITHIN = 0.01
PUBLISHED_IN_RUN_WITHIN = 0.02
CEILING_WITHIN = 0.01
RATES_WITHIN = 0.03
RESPONSES_WITHIN = 0.05
"""How near plans, runs and ceilings are; docs/io-run.md says so."""


@pytest.mark.parametrize(("channels", "load", "title", "published"), PUBLISHED)
def test_published_ceilings_are_met_through_a_configuration(
    channels: int, load: str, title: str, published: float
) -> None:
    plan = make_io_plan(tree(channels, load))
    assert gb_per_s(plan, title) == pytest.approx(published, rel=PUBLISHED_WITHIN)
    if channels >= 16:
        first = plan.first()
        assert first is not None
        assert first.what == title
        assert first.percent == pytest.approx(100, abs=0.3)


@pytest.mark.at_length
@pytest.mark.parametrize(("channels", "load", "title", "published"), few_in_every_run(PUBLISHED, 3))
def test_published_ceilings_hold_in_a_run(
    channels: int, load: str, title: str, published: float
) -> None:
    # so many I/Os keep the channels full, and settle sooner than as many as they take
    configuration = tree(channels, f"{load}\noutstanding = {max(64, 16 * channels)}")
    seconds = 0.05 if channels >= 16 else 0.5
    run = io_activity(configuration, seconds, warmup=0.02)
    assert gb_per_s(run, title) == pytest.approx(published, rel=PUBLISHED_IN_RUN_WITHIN)


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "fanout", "is_full"),
    [
        (f"{READS}\noutstanding = 8", "gb_per_s_one_way = 1", True),
        (f"{MIXED}\noutstanding = 16", "gb_per_s = 1.5", True),
        (f"{MIXED}\noutstanding = 4", "gb_per_s = 1.5", False),
        (f"{MIXED}\nrate = 14000\noutstanding = 64", "gb_per_s = 1.5", True),
        (f"{MIXED}\nrate = 8000", "gb_per_s = 1.5", False),
        pytest.param("rate = 100000", "gb_per_s = 0.6", False, marks=pytest.mark.exhaustive),
    ],
)
def test_a_run_keeps_a_ceiling_and_a_plan_says_what_it_comes_to(
    load: str, fanout: str, is_full: bool
) -> None:
    configuration = tree(4, load, fanout)
    plan, run = make_io_plan(configuration), io_activity(configuration, seconds=0.4)
    assert use_of(run, "fanout F") <= 1 + CEILING_WITHIN
    assert use_of(run, "fanout F") == pytest.approx(use_of(plan, "fanout F"), rel=RATES_WITHIN)
    assert (use_of(run, "fanout F") > 0.97) is is_full
    rates = [each for channel in plan.channels for each in channel.demands]
    response_us = sum(each.response_ns for each in rates) / len(rates) / 1e3
    if not is_full or "rate" not in load:
        assert run.workloads[0].response_us == pytest.approx(response_us, rel=RESPONSES_WITHIN)


def test_what_is_below_no_ceiling_is_as_ever() -> None:
    free, held = (tree(2, f"{READS}\noutstanding = 8", fanout) for fanout in ("", "gb_per_s = 0.5"))
    bare = IoConfiguration(free.channels, free.systems, free.workloads)
    assert io_activity(bare, 0.05).channels == io_activity(free, 0.05).channels
    assert make_io_plan(bare).channels == make_io_plan(free).channels
    assert make_io_plan(bare).trunks == ()
    slower, faster = (make_io_plan(each).channels[0] for each in (held, free))
    assert slower.io_per_s < faster.io_per_s


def test_a_higher_ceiling_carries_more_and_no_sooner_than_a_lower_one() -> None:
    plans = [
        make_io_plan(tree(4, f"{MIXED}\noutstanding = 16", f"gb_per_s = {figure}"))
        for figure in (0.5, 1, 2, 3, 4, 8, 16)
    ]
    for less, more in pairwise(plans):
        (slow, *_), (fast, *_) = (plan.channels[0].demands for plan in (less, more))
        assert slow.rate_per_s <= fast.rate_per_s * 1.003
        assert slow.response_ns * 1.003 >= fast.response_ns


def test_a_full_ceiling_is_not_said_to_carry_more_than_it_can() -> None:
    for figure in ("gb_per_s = 0.5", "gb_per_s = 1"):
        first = make_io_plan(tree(4, f"{MIXED}\noutstanding = 16", figure)).first()
        assert first is not None
        assert first.what == "fanout F"
        assert 99 < first.most <= 100


@pytest.mark.at_length
@pytest.mark.exhaustive
def test_a_light_load_keeps_its_rate_below_a_full_fanout() -> None:
    more = '[[io]]\nname = "light"\nchannels = ["00"]\nrate = 5000'
    configuration = tree(4, f"{READS}\noutstanding = 64", "gb_per_s = 3", more)
    run = io_activity(configuration, seconds=0.4)
    assert use_of(run, "fanout F") == pytest.approx(1, abs=0.01)
    light = next(each for each in run.workloads if each.name == "light")
    assert light.io_per_s == pytest.approx(5000, rel=0.05)


@pytest.mark.at_length
@pytest.mark.slow
def test_reads_do_not_hold_back_writes_where_each_way_has_a_ceiling() -> None:
    more = '[[io]]\nname = "write"\nchannels = ["01"]\nread_percent = 0\nblocks = 32\nrate = 3000'
    text = tree(2, f"{READS}\noutstanding = 64", "gb_per_s_one_way = 0.5", more)
    run = io_activity(text, seconds=0.4)
    assert run.trunks[-1].gb_per_s_read == pytest.approx(0.5, rel=0.01)
    assert run.trunks[-1].gb_per_s_write == pytest.approx(3 * 0.131072, rel=0.05)


def sized(load: str, fanout: str) -> dict[str, Any]:
    sizing = size(mix_of_configuration(tree(2, load, fanout), "mix"), 0, Guidelines())
    (need,) = [each for each in sizing.rooms if each.level == "fanout"]
    return {"first": sizing.best.first, "at": sizing.best.first_at_io_per_s, "need": need}


def test_sizing_names_the_ceiling_where_it_is_full_before_the_channels() -> None:
    load = "rate = 100000\nblocks = 4"
    low, high = sized(load, "gb_per_s = 1.8"), sized(load, "gb_per_s = 40")
    assert low["first"] == "fanout"
    assert low["at"] == pytest.approx(1.8e9 / 16384)
    assert low["need"].percent == pytest.approx(100 * 100_000 * 16384 / 1.8e9)
    assert (low["need"].count, low["need"].needed) == (1, 1)
    assert high["first"] == "line, reads"
    assert sized(load, "gb_per_s = 0.6")["need"].needed == 3


def test_channels_beside_a_fanout_are_not_sized_by_it() -> None:
    more = '[channel.A0]\nfeature = "FICON Express16SA"'
    mix = mix_of_configuration(tree(2, "rate = 1000", "gb_per_s = 0.01", more), "mix")
    assert mix.rooms == ()
