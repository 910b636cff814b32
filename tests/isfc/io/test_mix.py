"""A mix is what its source says: rates, bytes and directions are kept."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.mix import Mix, mix_of_configuration, mix_of_interval
from isfc.io.rmf import read_rmf
from isfc.io.rmf_channels import ChannelLine
from isfc.io.rmf_lines import RmfInterval

DATA = Path("tests/data/rmf")
CONFIGURATION = """
[channel.42]
feature = "FICON Express16SA"
[channel.50]
feature = "OSA-Express7S 25 GbE"
[system.ATLANTA]
saps = 4
[[io]]
name = "oltp"
channels = ["42"]
rate = 20000
read_percent = 75
cache_hit_percent = 90
[[io]]
name = "batch"
channels = ["42"]
protocol = "ficon"
block = 27648
blocks = 2
rate = 500
[[io]]
name = "copy"
workload = "streams-out"
channels = ["50"]
"""


def mix_of(text: str = CONFIGURATION) -> Mix:
    return mix_of_configuration(parse_io_configuration(text.encode(), "mix.toml"), "x")


def interval_of(name: str) -> RmfInterval:
    (interval,) = read_rmf(DATA / f"{name}.txt")
    return interval


def test_a_configuration_gives_its_rates_and_growth_scales_nothing_else() -> None:
    mix = mix_of()
    oltp, batch = mix.loads
    assert (oltp.io_per_s, oltp.io_bytes, oltp.read_share) == (20000, 4096, 0.75)
    assert (oltp.cache_hit, batch.io_bytes) == (0.9, 55296)
    assert (mix.saps, mix.notes) == (4, ("1 streams over OSAs are left out.",))
    assert mix.io_per_s == 20500
    assert mix.read_mb_per_s == pytest.approx(20000 * 0.75 * 4096 / 1e6 + 500 * 55296 / 1e6)
    assert mix.write_mb_per_s == pytest.approx(20000 * 0.25 * 4096 / 1e6)
    grown = mix.grown(50)
    assert grown.io_per_s == pytest.approx(1.5 * mix.io_per_s)
    assert grown.read_mb_per_s == pytest.approx(1.5 * mix.read_mb_per_s)
    assert [load.io_bytes for load in grown.loads] == [load.io_bytes for load in mix.loads]


OF_DISKS = CONFIGURATION[
    CONFIGURATION.index("[[io]]") : CONFIGURATION.index('[[io]]\nname = "copy"')
]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("rate = 500\n", "", r"x: \[\[io\]\] 'batch' rate: missing; expected"),
        ("rate = 500\n", "outstanding = 3\n", r"x: \[\[io\]\] 'batch' rate: missing; expected"),
        (OF_DISKS, "", r"x: \[\[io\]\]: asks no channel for disk I/O"),
    ],
)
def test_what_does_not_say_how_much_is_refused(old: str, new: str, problem: str) -> None:
    with pytest.raises(ConfigurationError, match=problem):
        mix_of(CONFIGURATION.replace(old, new))


def test_channels_of_a_report_keep_their_bytes() -> None:
    interval = interval_of("channel-path-activity")
    mix = mix_of_interval(interval)
    assert [load.io_bytes for load in mix.loads] == pytest.approx([131072] * 5, rel=2e-4)
    assert mix.read_mb_per_s == pytest.approx(
        sum(line.read_mb_per_s or 0 for line in interval.channels), rel=1e-4
    )


def test_devices_of_a_report_are_summed_by_lcu_and_what_is_assumed_is_said() -> None:
    interval = interval_of("device-activity")
    mix = mix_of_interval(interval, device_block=8192, device_read_share=0.75)
    (load,) = mix.loads
    assert (load.name, load.io_bytes, load.read_share) == ("00B0", 8192, 0.75)
    assert load.io_per_s == pytest.approx(interval.io_per_s)
    assert mix.notes == (
        "The report has no bytes and directions: assumed 8192 bytes an I/O, 75 % reads, all zHPF.",
        "Passed over, without figures: 7086.",
    )


def test_an_interval_without_io_of_channels_or_devices_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"P34 02/25/2019 11\.02\.00: has no I/O of FICON"):
        mix_of_interval(interval_of("io-queuing-activity"))
    line = interval_of("channel-path-activity").channels[0]
    idle = ChannelLine(line.chpid, "", None, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    with pytest.raises(ConfigurationError, match="has no I/O"):
        mix_of_interval(RmfInterval("S", "", "", channels=[idle]))


def test_the_features_of_a_report_are_named_with_how_busy_they_were() -> None:
    interval = interval_of("channel-path-activity")
    features = "2 FICON Express16SA, 1 FICON Express16S+, 2 FICON Express16S"
    assert mix_of_interval(interval).notes == (
        f"Now on {features}: processor up to 19.18 %, bus up to 68.77 %.",
        "Passed over, other types: 10 OSD.",
        "Passed over, without figures: A0.",
    )
    unknown = replace(interval.channels[0], generation="7F")
    odd = RmfInterval("S", "", "", channels=[unknown, replace(unknown, generation="")])
    note = "Now on 2 unknown (code 7F below G): processor up to 2.64 %"
    assert mix_of_interval(odd).notes[0].startswith(note)


def test_saps_are_those_of_the_iops_in_the_report() -> None:
    interval = interval_of("channel-path-activity")
    assert mix_of_interval(interval).saps is None
    queuing = interval_of("io-queuing-activity")
    interval.iops = queuing.iops[:1] * 7 + queuing.iops[-1:]
    assert mix_of_interval(interval).saps == 4
