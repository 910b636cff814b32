"""Disks on chpids that CTCs use: a channel's table says more of one, and nothing else."""

import pytest

from isfc.errors import ConfigurationError
from isfc.io.configuration import IoConfiguration
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.shared import find_shared
from isfc.layout.file import parse_layout

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


def parse(more: str, link: str = ON_41) -> IoConfiguration:
    return parse_io_configuration(f"{link}{more}".encode(), "io.toml")


def complaint(more: str, link: str = ON_41) -> str:
    with pytest.raises(ConfigurationError) as caught:
        parse(more, link)
    message = str(caught.value)
    assert message.startswith("io.toml: ")
    return message.removeprefix("io.toml: ")


def test_a_channel_of_the_same_number_is_the_chpid_of_the_link() -> None:
    channel = parse('[channel.41]\nfeature = "express8s"\npath = "far"').channels["41"]
    assert (channel.feature, channel.link_gbps, channel.system) == ("FICON Express8S", 8, "ATLANTA")
    assert channel.path is not None
    configuration = parse('[channel.41]\nfeature = "FICON Express8S"')
    (shared,) = find_shared(configuration, parse_layout(ON_41))
    assert (shared.node, shared.name) == ("ATLANTA", "41")
    assert configuration.channels == parse("").channels


def test_a_channel_of_another_system_is_its_own() -> None:
    more = '[channel.41]\nfeature = "FICON Express16S"\nsystem = "CHICAGO"\n[system.CHICAGO]'
    configuration = parse(more)
    assert configuration.channels["41"].system == "CHICAGO"
    assert find_shared(configuration, parse_layout(ON_41)) == ()


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            '[channel.41]\nfeature = "FICON Express16SA"',
            (
                "[channel.41] feature: CTCs of [fibre.2] use it at ATLANTA, on FICON Express8S; "
                "expected that, or a system of its own"
            ),
        ),
        (
            '[channel.41]\nfeature = "zHyperLink Express"',
            "[channel.41] feature: CTCs of [fibre.2] use it at ATLANTA, on FICON Express8S; exp",
        ),
        (
            '[channel.41]\nfeature = "FICON Express8S"\nlink_gbps = 4',
            (
                "[channel.41] link_gbps: CTCs of [fibre.2] use it at ATLANTA, at 8 Gb/s; "
                "expected no such key"
            ),
        ),
        (
            '[channel.41]\nfeature = "FICON Express8S"\ncard = "A"\n[card.A]',
            (
                "[channel.41] card: CTCs of [fibre.2] use it at ATLANTA, and no card counts what "
                "they move; expected no such key"
            ),
        ),
        (
            '[channel.40]\nfeature = "FICON Express8S"',
            (
                "[channel.40]: 40 is a chpid of ATLANTA and of BOSTON; "
                "expected system, which says whose"
            ),
        ),
        (
            '[channel.42]\nfeature = "FICON Express8S"\nsystem = "ATLNATA"',
            "[channel.42] system: there is no [system.ATLNATA]; expected one of ATLANTA, BOSTON",
        ),
        (
            "[system.ATLNATA]\nsaps = 2",
            (
                "[system.ATLNATA]: nothing is of this system; expected one of ATLANTA, BOSTON, or "
                "one that a channel or an [[io]] names"
            ),
        ),
    ],
)
def test_what_contradicts_the_link_or_says_nothing_is_refused(more: str, message: str) -> None:
    assert complaint(more).startswith(message)


def test_a_chpid_of_two_systems_needs_the_system() -> None:
    on_40 = f'{LINK}channels = ["40"]\n'
    message = "[[io]] #1 channels: 40 is a chpid of ATLANTA and of BOSTON; expected system, which"
    assert complaint("", on_40).startswith(message)
    assert parse('system = "BOSTON"', on_40).channels["40"].feature == "FICON Express8S"
    both = 'system = "BOSTON"\n[[io]]\nname = "more"\nchannels = ["40"]\nsystem = "ATLANTA"'
    assert complaint(both, on_40).startswith("[[io]] #2 channels: 40 of BOSTON carries disks too;")
