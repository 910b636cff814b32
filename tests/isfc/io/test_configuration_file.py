"""I/O configurations: what is read from a good one, what is said of a bad one."""

from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration, Protocol
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.shared import read_disks
from isfc.layout.layout import FarPath, Isl

CHANNELS = """
[channel.42]
feature = "FICON Express16SA"
link_gbps = 16
path = "far"
[channel.Z0]
feature = "zHyperLink Express"
[channel.N0]
feature = "OSA-Express7S 25 GbE"
mtu = 1492
[path.far]
km = 100
isl = { count = 2, gbps = 16, credits = 960 }
[system.ATLANTA]
saps = 4
"""
OLTP = """
[[io]]
name = "oltp"
channels = ["42"]
rate = 20000
"""
GOOD = CHANNELS + OLTP


def parse(text: str) -> IoConfiguration:
    return parse_io_configuration(text.encode(), "io.toml")


def complaint(text: str) -> str:
    """What is said of a bad file, which must be one line that begins with the file."""
    with pytest.raises(ConfigurationError) as caught:
        parse(text)
    message = str(caught.value)
    assert message.isprintable()
    assert message.startswith("io.toml: ")
    return message.removeprefix("io.toml: ")


def test_all_tables_are_read() -> None:
    found = parse(GOOD)
    assert found.channels["42"].path == FarPath("far", 100, Isl(2, 16, 960))
    assert found.channels["42"].is_ficon
    assert found.channels["Z0"].is_zhyperlink
    assert found.channels["N0"].is_osa
    assert found.channels["N0"].mtu_bytes == 1492
    assert found.systems["ATLANTA"] == 4
    (oltp,) = found.workloads
    assert (oltp.protocol, oltp.rate_per_s, oltp.io_bytes) == (Protocol.ZHPF, 20_000, 4096)


def test_a_workload_has_the_keys_of_its_name_but_where_it_says_otherwise() -> None:
    text = OLTP.replace("rate = 20000", 'workload = "sas-random"\nread_percent = 50')
    (sas,) = parse(CHANNELS + text).workloads
    assert (sas.block_bytes, sas.outstanding, sas.read_percent) == (27_648, 64, 50)


def test_a_rate_opens_a_named_workload_that_is_closed() -> None:
    (sas,) = parse(GOOD.replace("rate", 'workload = "sas-random"\nrate')).workloads
    assert (sas.rate_per_s, sas.outstanding) == (20_000, None)


def test_a_rate_can_have_a_limit_of_how_many_at_once() -> None:
    (oltp,) = parse(GOOD.replace("rate", "outstanding = 32\nrate")).workloads
    assert (oltp.rate_per_s, oltp.outstanding) == (20_000, 32)


def test_neither_rate_nor_outstanding_means_as_much_as_it_carries() -> None:
    (oltp,) = parse(GOOD.replace("rate = 20000", "")).workloads
    assert oltp.rate_per_s is None
    assert oltp.outstanding is None  # as much as the channels carry


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("rate", "rote", "[[io]] #1 rote: no such key; expected one of name, channels"),
        ("rate = 20000", 'rate = "x"', "[[io]] #1 rate: got text; expected I/Os a second"),
        ("rate = 20000", "rate = 0", "[[io]] #1 rate: out of range; expected I/Os a second"),
        ("rate = 20000", "rate = nan", "[[io]] #1 rate: "),
        ("rate = 20000", 'workload = "read"', "[[io]] #1 workload: 'read' is unknown"),
        ("rate = 20000", 'protocol = "ip"', "[[io]] #1 protocol: out of range; expected one of"),
        ('["42"]', '["43"]', "[[io]] #1 channels: there is no [channel.43]; expected one of 42"),
        ('["42"]', '["42", "42"]', "[[io]] #1 channels: names one twice"),
        ('["42"]', "[]", "[[io]] #1 channels: out of range"),
        ('["42"]', '["N0"]', "[[io]] #1 protocol: an OSA carries no disk I/O"),
        ('["42"]', '["Z0"]', "[[io]] #1 protocol: zHyperLink Express carries only"),
        ("rate", 'protocol = "tcp"\nrate', '[[io]] #1 channels: "tcp" uses an OSA'),
        ("rate", 'protocol = "synchronous"\nrate', "[[io]] #1 channels: expected one with"),
        ('"oltp"', '""', "[[io]] #1 name: expected 1 to 32 printable"),
        (
            'FICON Express16SA"\nlink_gbps = 16',
            'FICON Express"',
            "[[io]] #1 protocol: 'FICON Express' has no transport",
        ),
        ("16SA", "16X", "[channel.42] feature: 'FICON Express16X' "),
        ('path = "far"', 'path = "fur"', "[channel.42] path: there is no [path.fur]"),
        ("km = 100", "km = -1", "[path.far] km: out of range; expected kilometres"),
        ("credits = 960", "credits = 0", "[path.far] isl credits: out of range"),
        ("saps = 4", "saps = 0", "[system.ATLANTA] saps: out of range"),
        ("[system", "[systems", "systems: no such key; expected one of fibre, ctc, link"),
        (OLTP, "", "io: missing; expected a table for each workload"),
        (OLTP, OLTP * 2, "[[io]] #2 name: 'oltp' is already [[io]] #1's"),
        ("rate = 20000", "rate = ", "is not TOML: "),
        (
            "link_gbps = 16",
            "link_gbps = 32",
            "[channel.42] link_gbps: FICON Express16SA runs at 16",
        ),
        ("link_gbps = 16", "mtu = 1492", "[channel.42] mtu: says nothing of FICON Express16SA"),
        ("mtu = 1492", "encrypted = true", "[channel.N0] encrypted: says nothing of OSA-Express7S"),
        (
            'Link Express"',
            'Link Express"\nlink_gbps = 8',
            "[channel.Z0] link_gbps: says nothing of z",
        ),
        ("rate", "rejected_percent = 1\nrate", '[[io]] #1 rejected_percent: says nothing of "zh'),
        ("rate", "rejected_percent = -1\nrate", "[[io]] #1 rejected_percent: out of range"),
        ("rate", "cpu_us_per_mb = 5\nrate", '[[io]] #1 cpu_us_per_mb: says nothing of "zhpf"'),
        ("rate", "think_us = 5\nrate", "[[io]] #1 think_us: a rate says when I/Os begin; expected"),
        ("rate", 'system = "BOSTON"\nrate', "[[io]] #1 system: there is no [system.BOSTON]; exp"),
        (
            "mtu",
            'system = "B"\nmtu',
            "[channel.N0] system: there is no [system.B]; expected one of A",
        ),
    ],
)
def test_a_bad_file_is_told_by_table_key_and_remedy(before: str, after: str, message: str) -> None:
    assert before in GOOD
    assert complaint(GOOD.replace(before, after)).startswith(message)


def test_disks_on_a_fibre_faster_than_its_feature_are_refused() -> None:
    text = """
[fibre.1]
feature = "FICON Express8S"
link_gbps = 16
chpid = { ATLANTA = "40", BOSTON = "50" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000", BOSTON = "7000" }
[[io]]
name = "oltp"
channels = ["40"]
"""
    assert complaint(text) == (
        "[fibre.1] link_gbps: FICON Express8S runs at 8 Gb/s at most; "
        "expected a number from 0.1 to 8"
    )
    assert parse(text.replace("= 16", "= 8")).channels["40"].link_gbps == 8


@pytest.mark.parametrize(
    ("level", "what"),
    [
        ("channel", "a channel"),
        ("path", "a path"),
        ("system", "a system"),
        ("card", "a card"),
        ("interconnect", "an I/O interconnect"),
        ("fanout", "a fanout"),
    ],
)
def test_a_name_that_cannot_be_shown_is_refused(level: str, what: str) -> None:
    for name in ("", "A\\u001b[31m", "A\\nB", "A" * 33):
        message = complaint(f'{GOOD}\n[{level}."{name}"]\n')
        assert message.startswith(f"[{level}.")
        assert message.endswith(f": not the name of {what}; expected 1 to 32 printable characters")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml: cannot be read .*I/O config"):
        read_disks(tmp_path / "none.toml")
