"""I/O configurations: what is read from a good one, what is said of a bad one."""

from pathlib import Path

import pytest

from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration, Protocol
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.shared import find_shared, read_disks
from isfc.layout.file import parse_layout
from isfc.layout.layout import FarPath, Isl

CHANNELS = """
[channel.42]
feature = "FICON Express16SA"
link_gbps = 16
path = "far"
card = "A"
[channel.Z0]
feature = "zHyperLink Express"
[channel.N0]
feature = "OSA-Express7S 25 GbE"
mtu = 1492
[path.far]
km = 100
isl = { count = 2, gbps = 16, credits = 960 }
[card.A]
interconnect = "1"
[interconnect.1]
fanout = "F"
[fanout.F]
gb_per_s = 20
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
LINK = """
[fibre.1]
feature = "FICON Express16SA"
link_gbps = 8
chpid = { ATLANTA = "40", BOSTON = "50" }
[fibre.2]
feature = "FICON Express8S"
chpid = { ATLANTA = "41", BOSTON = "40" }
[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000", BOSTON = "7000" }
[[ctc]]
fibre = "2"
rdevs = { ATLANTA = "6001", BOSTON = "7001" }
[path.far]
km = 100
[[io]]
name = "disks"
rate = 1000
"""
ON_41 = f'{LINK}channels = ["41"]\n'
ON_40 = f'{LINK}channels = ["40"]\n'


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


@pytest.mark.parametrize(
    ("instead", "rate", "outstanding"),
    [
        ('workload = "sas-random"\nread_percent = 50', None, 64),
        ('workload = "sas-random"\nrate = 20000', 20_000, None),  # a rate opens one that is closed
        ("outstanding = 32\nrate = 20000", 20_000, 32),
        ("", None, None),  # as much as the channels carry
    ],
)
def test_a_workload_has_the_keys_of_its_name_but_where_it_says_otherwise(
    instead: str, rate: float | None, outstanding: int | None
) -> None:
    (load,) = parse(GOOD.replace("rate = 20000", instead)).workloads
    assert (load.rate_per_s, load.outstanding) == (rate, outstanding)
    if "read_percent" in instead:
        assert (load.block_bytes, load.read_percent) == (27_648, 50)


MORE_42 = "".join(
    f'[channel.{name}]\nfeature = "FICON Express16SA"\ncard = "A"\n' for name in (43, 44)
)


def test_a_table_of_its_own_figures_may_have_more_below_it() -> None:
    text = GOOD.replace("[card.A]", f"{MORE_42}[card.A]\ngb_per_s = 9")
    card, *_ = parse(text).trunks
    assert card.channels == ("42", "43", "44")
    assert (card.ceiling.mb_per_s, card.ceiling.one_way_mb_per_s) == (9000, float("inf"))


NINE_CARDS = "".join(f'[card.B{number}]\ninterconnect = "1"\n' for number in range(8))
THREE_INTERCONNECTS = "".join(f'[interconnect.{number}]\nfanout = "F"\n' for number in (2, 3))

BAD = [
    # what stands in GOOD, what stands there instead, how what is said begins
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
    ('16SA"\nlink_gbps = 16', '"', "[[io]] #1 protocol: 'FICON Express' has no transport"),
    ("16SA", "16X", "[channel.42] feature: 'FICON Express16X' "),
    ('path = "far"', 'path = "fur"', "[channel.42] path: there is no [path.fur]"),
    ("km = 100", "km = -1", "[path.far] km: out of range; expected kilometres"),
    ("credits = 960", "credits = 0", "[path.far] isl credits: out of range"),
    ("saps = 4", "saps = 0", "[system.ATLANTA] saps: out of range"),
    ("[system", "[systems", "systems: no such key; expected one of fibre, ctc, link"),
    (OLTP, "", "io: missing; expected a table for each workload"),
    (OLTP, OLTP * 2, "[[io]] #2 name: 'oltp' is already [[io]] #1's"),
    ("rate = 20000", "rate = ", "is not TOML: "),
    ("link_gbps = 16", "link_gbps = 32", "[channel.42] link_gbps: FICON Express16SA runs at 16"),
    ("link_gbps = 16", "mtu = 1492", "[channel.42] mtu: says nothing of FICON Express16SA"),
    ("mtu = 1492", "encrypted = true", "[channel.N0] encrypted: says nothing of OSA-Express7S"),
    ('Link Express"', 'Link Express"\nlink_gbps = 8', "[channel.Z0] link_gbps: says nothing of z"),
    ("rate", "rejected_percent = 1\nrate", '[[io]] #1 rejected_percent: says nothing of "zh'),
    ("rate", "rejected_percent = -1\nrate", "[[io]] #1 rejected_percent: out of range"),
    ("rate", "cpu_us_per_mb = 5\nrate", '[[io]] #1 cpu_us_per_mb: says nothing of "zhpf"'),
    ("rate", "think_us = 5\nrate", "[[io]] #1 think_us: a rate says when I/Os begin; expected"),
    ("rate", 'system = "BOSTON"\nrate', "[[io]] #1 system: there is no [system.BOSTON]; exp"),
    ("mtu", 'system = "B"\nmtu', "[channel.N0] system: there is no [system.B]; expected one of A"),
    # cards, interconnects and fanouts
    ('card = "A"', 'card = "B"', "[channel.42] card: there is no [card.B]; expected one of A"),
    ('card = "A"', "card = 1", "[channel.42] card: got a number; expected the NAME of a table"),
    ('ct = "1"', 'ct = "2"', "[card.A] interconnect: there is no [interconnect.2]; expected one"),
    ('fanout = "F"', 'fanout = "G"', "[interconnect.1] fanout: there is no [fanout.G]; exp"),
    ("[fanout.F]\n", "[fanout]\n", "[fanout.gb_per_s]: got a number; expected a table with gb"),
    ("[fanout.F]\ngb_per_s = 20\n", "", "[interconnect.1] fanout: there is no [fanout.F]; ex"),
    ("gb_per_s = 20", "gb_per_s = 0", "[fanout.F] gb_per_s: out of range; expected GB/s both"),
    ("gb_per_s = 20", "gb_per_s_one_way = inf", "[fanout.F] gb_per_s_one_way: "),
    ("gb_per_s = 20", "mb = 20", "[fanout.F] mb: no such key; expected one of gb_per_s"),
    ('k Express"', 'k Express"\ncard = "A"', "[channel.Z0] card: says nothing of zHyperLink"),
    ("[card.A]", f"{MORE_42}[card.A]", "[card.A]: has 3 channels; expected 2 at most, for which"),
    ("[card.A]", f"{NINE_CARDS}[card.A]", "[interconnect.1]: has 9 cards; expected 8 at most, for"),
    (
        "[fanout.F]\ngb_per_s = 20",
        f"{THREE_INTERCONNECTS}[fanout.F]",
        "[fanout.F]: has 3 interconnects; expected 2 at",
    ),
]


@pytest.mark.parametrize(("before", "after", "message"), BAD)
def test_a_bad_file_is_told_by_table_key_and_remedy(before: str, after: str, message: str) -> None:
    assert before in GOOD
    assert complaint(GOOD.replace(before, after)).startswith(message)


@pytest.mark.parametrize(
    ("level", "what"),
    [
        *((each, f"a {each}") for each in ("channel", "path", "system", "card", "fanout")),
        ("interconnect", "an I/O interconnect"),
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


def test_a_channel_of_the_same_number_is_the_chpid_of_the_link() -> None:
    channel = parse(f'{ON_41}[channel.41]\nfeature = "express8s"\npath = "far"').channels["41"]
    assert (channel.feature, channel.link_gbps, channel.system) == ("FICON Express8S", 8, "ATLANTA")
    assert channel.path is not None
    configuration = parse(f'{ON_41}[channel.41]\nfeature = "FICON Express8S"')
    (shared,) = find_shared(configuration, parse_layout(ON_41))
    assert (shared.node, shared.name) == ("ATLANTA", "41")
    assert configuration.channels == parse(ON_41).channels


def test_a_channel_of_another_system_is_its_own() -> None:
    more = '[channel.41]\nfeature = "FICON Express16S"\nsystem = "CHICAGO"\n[system.CHICAGO]'
    configuration = parse(ON_41 + more)
    assert configuration.channels["41"].system == "CHICAGO"
    assert find_shared(configuration, parse_layout(ON_41)) == ()


OF_8S = '[channel.41]\nfeature = "FICON Express8S"\n'
USED = "CTCs of [fibre.2] use it at ATLANTA"
KNOWN = "expected one of ATLANTA, BOSTON"
NAMED = f"{KNOWN}, or one that a channel or an [[io]] names"
AT_MOST = "FICON Express16SA runs at 16 Gb/s at most"
BESIDE_A_LINK = [
    # the file, what stands below it, how what is said begins
    (
        *(ON_41, OF_8S.replace("8S", "16SA")),
        f"[channel.41] feature: {USED}, on FICON Express8S; expected that, or a system of its own",
    ),
    (
        *(ON_41, OF_8S.replace("FICON Express8S", "zHyperLink Express")),
        f"[channel.41] feature: {USED}, on FICON Express8S; expected that, or a system of its own",
    ),
    (
        *(ON_41, f"{OF_8S}link_gbps = 4"),
        f"[channel.41] link_gbps: {USED}, at 8 Gb/s; expected no such key",
    ),
    (
        *(ON_41, f'{OF_8S}card = "A"\n[card.A]'),
        f"[channel.41] card: {USED}, and no card counts what they move; expected no such key",
    ),
    (
        *(ON_41, OF_8S.replace("41", "40")),
        "[channel.40]: 40 is a chpid of ATLANTA and of BOSTON; expected system, which says whose",
    ),
    (
        *(ON_41, OF_8S.replace("41", "42") + 'system = "ATLNATA"'),
        f"[channel.42] system: there is no [system.ATLNATA]; {KNOWN}",
    ),
    (
        *(ON_41, "[system.ATLNATA]\nsaps = 2"),
        f"[system.ATLNATA]: nothing is of this system; {NAMED}",
    ),
    (
        *(ON_40, ""),
        "[[io]] #1 channels: 40 is a chpid of ATLANTA and of BOSTON; expected system, which",
    ),
    (
        *(ON_40, 'system = "BOSTON"\n[[io]]\nname = "more"\nchannels = ["40"]\nsystem = "ATLANTA"'),
        "[[io]] #2 channels: 40 of BOSTON carries disks too;",
    ),
    (
        *(ON_40.replace("= 8", "= 17"), 'system = "ATLANTA"'),
        f"[fibre.1] link_gbps: {AT_MOST}; expected a number from 0.1 to 16",
    ),
]


@pytest.mark.parametrize(("text", "more", "message"), BESIDE_A_LINK)
def test_what_contradicts_the_link_or_says_nothing_is_refused(
    text: str, more: str, message: str
) -> None:
    assert complaint(text + more).startswith(message)


def test_a_chpid_of_two_systems_is_that_of_the_system_that_is_said() -> None:
    for system, feature in (("BOSTON", "FICON Express8S"), ("ATLANTA", "FICON Express16SA")):
        channel = parse(f'{ON_40}system = "{system}"').channels["40"]
        assert (channel.feature, channel.link_gbps) == (feature, 8)
