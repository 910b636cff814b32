"""IOCP's own reports are read as the deck that they were made of; what they contradict is named."""

import re
from typing import Final

import pytest

from ctc.address import parse_chpid
from isfc.deck.deck import Deck
from isfc.deck.listing import deck_partitions, read_deck
from isfc.errors import ConfigurationError
from isfc.layout.processors import Processors
from tests.decks import DECKS, shipped

LISTING: Final = (DECKS / "one-cec.listing").read_text("utf-8")
PARTITIONS, SUMMARY, DEVICES, PATHS = re.split(r"(?m)^(?=1TIME)", LISTING)[1:]
SPANNED: Final = parse_chpid("20")
IN_CSS_1: Final = (
    DEVICES.replace("0    2010        20.A1.1", "1    2010        20.A1.1")
    + SUMMARY
    + SUMMARY.replace("CSS 0:", "CSS 1:")
)


def ctcs(deck: Deck) -> list[tuple[object, ...]]:
    """Each CTC with its control unit, path, and who may use it."""
    return [
        (each.rdev, each.unit_address, unit.number, unit.cuadd, str(path.channel), path.link, users)
        for each in deck.devices
        for unit in [each.control_unit]
        for (path,) in [unit.paths[0]]
        for users in [[name for name in ("EAST", "WEST", "TEST") if each.access.admits(name, 0)]]
    ]


@pytest.mark.parametrize(
    "text",
    [
        LISTING,
        LISTING + LISTING,
        PARTITIONS + DEVICES,
        DEVICES + PARTITIONS,
        "".join(f"> {line}\n" for line in LISTING.split("\n")),
        re.sub(r"(?<=\w) {2,}(?=\w)", " ", LISTING),
    ],
    ids=["all", "twice", "I/O DEVICE", "another order", "quoted", "blanks lost"],
)
def test_reports_say_what_their_deck_says(text: str) -> None:
    found, deck = read_deck(text, "listing"), shipped("one-cec.iocp")
    assert ctcs(found) == ctcs(deck)
    assert deck_partitions(text) == ("EAST", "WEST", "TEST")
    assert found.machine == Processors("z14")
    assert found.text == ""


def test_channel_paths_alone_say_all_but_access() -> None:
    found, deck = read_deck(PATHS, "listing"), shipped("one-cec.iocp")
    assert [each[:-1] for each in ctcs(found)] == [each[:-1] for each in ctcs(deck)]
    assert all(each.access.admits("ANY", 0) for each in found.devices)


def test_images_without_names_have_their_numbers() -> None:
    assert set(deck_partitions(DEVICES)) == {"0.1", "0.2"}


def test_channels_are_those_of_the_summary() -> None:
    found, deck = read_deck(SUMMARY + DEVICES, "listing"), shipped("one-cec.iocp")
    for key, channel in deck.channels.items():
        mate = found.channels[key]
        assert (mate.kind, mate.switch, mate.shared) == (channel.kind, channel.switch, True)


def test_a_channel_of_two_css_is_one_by_its_pchid() -> None:
    found = read_deck(IN_CSS_1, "listing")
    assert found.channels[0, SPANNED] is found.channels[1, SPANNED]
    apart = read_deck(re.sub(r"(?s)\b110\b(?=.*CSS 1:)", "1A0", IN_CSS_1, count=1), "listing")
    assert apart.channels[0, SPANNED] is not apart.channels[1, SPANNED]
    with pytest.raises(ConfigurationError, match="chpid 20 is in CSS 0 and 1; expected the CHPID"):
        read_deck(IN_CSS_1[: len(DEVICES)], "listing")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("20.A1.1 ", "20.A3.1 ", "control unit 2010 in CSS 0 is on 20.A1.1 here, and on 20.A3.1"),
        ("2010-2013   00-03    FCTC", "2010-2013   04-07    FCTC", "2010 is unit address 00 of"),
        ("2010-2013   00-03    FCTC", "2010-2013   00-04    FCTC", "4 device numbers have 5 unit"),
        ("23    11C    FC ", "23    11D    FC ", "chpid 23 in CSS 0 is 11C here, and 11D in line"),
        ("11C    FC  ", "11C    FCP ", "chpid 23 on PCHID 11C is FC SHARED here, and FCP"),
        ("22.A3.1         03", "22.A3.1         04",
         "SWITCH of chpid 22 in CSS 0 is 4 here, and 3"),
        ("FC      03     NONE   SHARED   |A", "FC      03     NONE   SHARED   A",
         "no channel path"),
        ("   23    11C    FC ", "   11C    FC ", "is no channel path"),
        ("  2   WEST       NO", "  2   EAST       NO", "partition EAST is already in line 14"),
        ("  3   TEST       NO", "  3   TE ST", "is no partition; expected a MIF id and a name"),
        (" ID1=ONECEC", " ID1=OTHER", "ID1= is ONECEC here, and OTHER in line 4"),
        ("03    | |A| | | |", "03    | |A| | |", "there are not fifteen MIF image ids"),
        ("2010-2013   00-03  FCTC\n", "\n", "2010 is in the I/O DEVICE report, and not in the CH"),
        ("2010-2013   00-03  FCTC\n", "2010-2013   00-03  3390\n", "follows FCTC control unit"),
        ("   110      20   FC      03   SHARED\n", "",
         "control unit 2010 is below no channel path"),
        ("| | |\n  2110-2113", "| | |  2110-2113", "is no mask; expected fifteen cells, and no"),
        ("03    | |A| | | |", "03    ||A| | | |", "is no mask; expected fifteen cells"),
        ("2010-2013   00-03    FCTC", "2010-2013   00-03    FCT", "cannot be read"),
        ("2010-2013   00-03    FCTC", "2010-2013   00-03    FCCT", "cannot be read"),
        ("2010-2013   00-03    FCTC", "2010-2013   00-03    F TC", "cannot be read"),
        ("2010-2013   00-03    FCTC", "2010-2013   00-03    -FCTC-", "cannot be read"),
        ("1   EAST       NO", "1              NO", "is no partition; expected a MIF id and a name"),
        ("         1   EAST       NO\n", "", "image 1 of CSS 0 is in no PARTITION report"),
        ("PARTITION REPORT", "PARTITION RPEORT", "is below no title, or none"),
        ("PARTITION REPORT      PAGE", "", "'MIF  PARTITION' is below no title, or none"),
        ("  2010-2013   00-03    FCTC       0 ", "  0 ", "cannot be read"),
        ("2010-2013   00-03  FCTC", "FCTC", "cannot be read"),
        ("| | |\n1TIME 15.11", "| | |1TIME 15.11", "is no mask; expected fifteen cells, and no"),
        ("PARTITION REPORT", "PARTITIONREPORT", "is below no title, or none"),
        ("CSS 0: CHPID", "CHPID", "a CHPID SUMMARY without its CSS"),
        ("2010-2013   00-03    FCTC", "2010-2013   03-00    FCTC", "unit addresses from 03 to 00"),
    ],
)  # fmt: skip
def test_what_reports_contradict_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_deck(LISTING.replace(old, new, 1), "listing")


def test_reports_without_a_ctc_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="listing:1:1: these reports of IOCP have no FCTC"):
        read_deck(PARTITIONS + SUMMARY, "listing")
