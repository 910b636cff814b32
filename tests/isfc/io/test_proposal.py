"""What a sizing calls best is a configuration, which carries its load within the guidelines."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.cli.main import run
from isfc.errors import ConfigurationError
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.mix import IoLoad, Mix, mix_of_interval
from isfc.io.plan import IoAdvice, advise, make_io_plan
from isfc.io.proposal import proposal, warnings_of
from isfc.io.rmf import read_rmf
from isfc.io.rmf_lines import busiest
from isfc.io.sizing import Guidelines, size
from isfc.layout.rules.rule import Severity

PASTED = mix_of_interval(busiest(read_rmf(Path("docs/io/rmf.txt"))))
MIXED = Mix(
    "mixed",
    (
        IoLoad("a long name of reads", 50_000, 4096, cache_hit=0.9),
        IoLoad("of nearly as many bytes", 20_000, 4200, read_share=0.5),
        IoLoad("batch", 4_000, 131_072, read_share=0.0),
    ),
)


@pytest.mark.parametrize("mix", [PASTED, MIXED], ids=["pasted", "mixed"])
@pytest.mark.parametrize("km", [0.0, 100.0])
def test_the_best_carries_the_grown_load_within_the_guidelines(mix: Mix, km: float) -> None:
    sizing = size(mix, 30, Guidelines(), (km,))
    found = make_io_plan(parse_io_configuration(proposal(sizing).encode(), "best"))
    assert len(found.channels) == sizing.best.channels_grown
    for channel in found.channels:
        assert channel.channel.feature == sizing.best.feature
        assert channel.processor <= 0.5
        assert channel.bus <= 0.7
    demands = [demand for each in found.channels for demand in each.demands]
    assert sum(each.rate_per_s for each in demands) == pytest.approx(sizing.grown.io_per_s, 1e-3)
    moved = sum(
        each.rate_per_s * flow.share * flow.work.data_length / 1e6
        for each in demands
        for flow in each.demand.flows
    )
    assert moved == pytest.approx(sizing.grown.read_mb_per_s + sizing.grown.write_mb_per_s, 1e-3)


LOADS = st.builds(
    IoLoad,
    st.sampled_from(["a", "b", "c"]),
    st.floats(1, 400_000),
    st.integers(512, 262_144),
    read_share=st.floats(0, 1),
    cache_hit=st.floats(0.1, 1),
)


def test_credits_are_of_the_length_that_is_written() -> None:
    # 216.1476 km were written as 216.148, for which one credit more is needed
    load = IoLoad("a", 1.0, 512, read_share=0.0, cache_hit=1.0)
    text = proposal(size(Mix("one", (load,)), 0.0, Guidelines(), (216.1476,)))
    assert warned(text) == []


SAID = {"load-not-carried", "exchanges-too-many"}
"""A sizing does not count open exchanges: far away they may be too few, which the command says."""


@pytest.mark.at_length
@pytest.mark.slow
@given(
    st.lists(LOADS, min_size=1, max_size=3, unique_by=lambda load: load.name),
    st.floats(0, 100),
    st.floats(0, 300),
)
def test_io_plan_does_not_warn_of_what_is_called_best(
    loads: list[IoLoad], growth: float, km: float
) -> None:
    # 177 credits were written where 'isfc io plan' asked for 476
    try:
        sizing = size(Mix("drawn", tuple(loads)), growth, Guidelines(), (km,))
        text = proposal(sizing)
    except ConfigurationError:
        return
    warnings = warned(text)
    assert {one.id for one in warnings} <= SAID
    assert warnings == warnings_of(text, Guidelines())


def warned(text: str) -> list[IoAdvice]:
    """What `isfc io plan` warns of a file."""
    found = make_io_plan(parse_io_configuration(text.encode(), "best"))
    return [one for one in advise(found) if one.severity is Severity.WARNING]


def test_the_page_s_file_is_what_the_command_writes() -> None:
    sizing = size(PASTED, 30, Guidelines(), (0.0, 100.0))
    assert Path("docs/io/two-channels.toml").read_text("utf-8") == proposal(sizing)


def test_loads_alike_are_one_and_others_are_not() -> None:
    text = proposal(size(MIXED, 0, Guidelines(), (0.0,)))
    names = [each.name for each in parse_io_configuration(text.encode(), "best").workloads]
    assert names == ["a long name of re and 1 more"[:16] + " and 1 more", "batch"]
    assert "path" not in text
    assert proposal(size(PASTED, 0, Guidelines())).count("[[io]]") == 1


def test_many_channels_stand_on_several_lines() -> None:
    # one line of them was longer than 'isfc io plan' takes
    large = IoLoad("large", 650_000.0, 262_144, read_share=0.0, cache_hit=1.0)
    text = proposal(size(Mix("large", (large,)), 0, Guidelines(), (21.0,)))
    assert max(map(len, text.splitlines())) <= 80
    (load,) = parse_io_configuration(text.encode(), "best").workloads
    assert len(load.channels) == text.count("[channel.") > 100


def test_fewer_than_one_io_a_second_are_not_none() -> None:
    # rate = 0 was written, which no command takes
    text = proposal(size(Mix("idle", (IoLoad("idle", 0.25, 4096),)), 0, Guidelines()))
    (workload,) = parse_io_configuration(text.encode(), "best").workloads
    assert workload.rate_per_s == 0.25


def test_one_interval_has_one_best(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "best.toml"
    sizing = ["io", "size", "--rmf", "docs/io/rmf.txt", "-o", str(path)]
    assert run([*sizing, "--interval", "all"]) == 2
    assert "--interval all: expected one interval" in capsys.readouterr().err
    assert run(sizing) == 0
    capsys.readouterr()
    assert run(["io", "plan", str(path)]) == 0
    assert "To change   nothing\n" in capsys.readouterr().out


def test_loads_alike_are_two_where_their_average_is_above_a_guideline() -> None:
    # 2,040 and 2,080 bytes are a frame and two; their average has two, too many for the credits
    loads = (
        IoLoad("one frame", 46_000, 2_040),
        IoLoad("two frames", 108_000, 2_080),
        IoLoad("batch", 5, 131_072),
        IoLoad("more batch", 5, 132_000),
    )
    text = proposal(size(Mix("frames", loads), 0, Guidelines(), (100.0,)))
    names = [each.name for each in parse_io_configuration(text.encode(), "best").workloads]
    assert names == ["one frame", "two frames", "batch, more batch"]
    assert warnings_of(text, Guidelines()) == []
