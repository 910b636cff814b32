"""Decks: what is read of partitions, channels, control units and devices, and what is refused."""

import pytest

from ctc.address import ChpidId
from isfc.deck.deck import Deck, choose_systems
from isfc.deck.iocp import parse_deck
from isfc.errors import ConfigurationError
from tests.decks import drawn, mates, paired, unit
from tests.refusals import refused

GOOD = """\
 RESOURCE PARTITION=((CSS(0),(LP01,1),(LP02,A)),(CSS(1),(LP11,2),(*,3)))
 CHPID PATH=(CSS(0,1),53),SWITCH=01,PCHID=1E5,TYPE=FC,\
PARTITION=((CSS(0),(LP01,LP02),(=)),(CSS(1),(LP11),(=)))
 CHPID PATH=(CSS(0),54),TYPE=FC
 CNTLUNIT CUNUMBR=5301,PATH=((CSS(0),53),(CSS(1),53)),\
LINK=((CSS(0),C1),(CSS(1),61C2)),CUADD=1A,UNITADD=((00,008)),UNIT=FCTC
 CNTLUNIT CUNUMBR=5401,PATH=54,CUADD=2,UNITADD=00,UNIT=FCTC
 CNTLUNIT CUNUMBR=8000,PATH=**,UNITADD=((00,256)),UNIT=2107
 IODEVICE ADDRESS=(5310,008),CUNUMBR=(5301),UNITADD=00,UNIT=FCTC,NOTPART=((CSS(0),LP01))
 IODEVICE ADDRESS=05400,CUNUMBR=5401,UNIT=FCTC
 IODEVICE ADDRESS=(8000,192),CUNUMBR=(8000,9000),UNIT=3390
"""


def wide(text: str) -> Deck:
    """The deck in ``text``, whose statements may be longer than a card."""
    cards = []
    for line in text.splitlines():
        rest = line
        while len(rest) > 71:
            cards.append(rest[:71] + "*")
            rest = " " * 15 + rest[71:]
        cards.append(rest)
    return parse_deck("\n".join(cards), "a.iocp")


def test_partitions_have_images_and_reserved_ones_no_names() -> None:
    images = {name: each.image for name, each in wide(GOOD).partitions.items()}
    assert images == {"LP01": 0x01, "LP02": 0x0A, "LP11": 0x12}


@pytest.mark.parametrize(
    ("text", "images"),
    [
        ("PART=(LP1,1)", {"LP1": 1}),
        ("PART=((LP1,1),(LP2,2))", {"LP1": 1, "LP2": 2}),
        ("PARTITION=(LP1,LP2)", {"LP1": None, "LP2": None}),
        ("PARTITION=(CSS(2),(LP1,3))", {"LP1": 0x23}),
    ],
)
def test_old_and_new_forms_of_resource(text: str, images: dict[str, int | None]) -> None:
    deck = wide(f" RESOURCE {text}\n")
    assert {name: each.image for name, each in deck.partitions.items()} == images


def test_a_spanned_channel_is_one_channel_in_every_css() -> None:
    channels = wide(GOOD).channels
    channel = channels[0, ChpidId(0x53)]
    assert channel is channels[1, ChpidId(0x53)]
    assert channel.switch == "1"
    assert channel.access.admits("LP11", 1)
    assert not channel.access.admits("LP12", 1)


def test_control_units_have_paths_links_and_unit_addresses() -> None:
    units = wide(GOOD).control_units
    assert list(units) == [0x5301, 0x5401]
    links = {css: [path.link for path in paths] for css, paths in units[0x5301].paths.items()}
    assert links == {0: ["C1"], 1: ["61C2"]}
    assert units[0x5301].cuadd == 0x1A
    assert units[0x5301].unit_addresses == ((0, 8),)
    assert units[0x5401].paths[0][0].link is None


def test_devices_have_unit_addresses_and_who_may_use_them() -> None:
    devices = wide(GOOD).devices
    assert [device.rdev for device in devices] == [*range(0x5310, 0x5318), 0x5400]
    assert [device.unit_address for device in devices] == [*range(8), 0]
    assert not devices[0].access.admits("LP01", 0)
    assert devices[0].access.admits("LP02", 0)
    assert devices[0].access.admits("LP11", 1)


def test_statements_may_be_in_any_order() -> None:
    backwards = "\n".join(reversed(GOOD.splitlines()))
    assert len(wide(backwards).devices) == len(wide(GOOD).devices)


@pytest.mark.parametrize(
    ("old", "new", "place", "what"),
    [
        ("(LP02,A)", "(LP01,A)", "1:40", "RESOURCE: 'LP01' is already in line 1; expected each"),
        ("(LP02,A)", "(LP02,G)", "1:45", "RESOURCE: MIF image id 'G'; expected 1 to F"),
        ("CSS(0,1),53)", "CSS(0,7),53)", "3:20", "CSS '7'; expected 0 to 5"),
        ("PATH=(CSS(0,1),53)", "PATH=(CSS(0,1),5G)", "3:23", "CHPID PATH '5G'; expected a chpid"),
        ("),54)", "),53)", "5:21", "CHPID 53 in CSS 0 is already in line 3; expected each"),
        (" CHPID PATH=(CSS(0),54),", " CHPID ", "5:2", "CHPID has no PATH; expected PATH=50 or"),
        ("PATH=54", "PATH=55", "8:29", "CNTLUNIT PATH: there is no CHPID 55 in CSS 0"),
        ("CUADD=2", "CUADD=G", "8:38", "CNTLUNIT CUADD 'G'; expected 1 or 2 hex digits"),
        ("CUADD=2", "CUADD=(1,2)", "8:38", "CNTLUNIT CUADD has 2 values; expected one image"),
        ("CUNUMBR=5401,PATH", "CUNUMBR=5301,PATH", "8:2", "CNTLUNIT 5301 is already there in"),
        ("LINK=((CSS(0),C1)", "LINK=((CSS(0),C)", "6:69", "CNTLUNIT LINK 'C'; expected a link"),
        ("UNITADD=00,UNIT=FCTC\n", "UNIT=FCTC\n", "8:2", "CNTLUNIT has no UNITADD; expected UNIT"),
        ("CUNUMBR=5401,UNIT", "CUNUMBR=5402,UNIT", "12:33", "IODEVICE CUNUMBR: control unit 5402"),
        ("=05400", "=(5400,0)", "12:25", "IODEVICE ADDRESS: count '0'; expected a device number"),
        ("=05400", "=(FFFE,8)", "12:19", "IODEVICE ADDRESS goes beyond FFFF; expected"),
        (
            "=05400",
            "=0(5400,8)",
            "12:19",
            "IODEVICE: '0' before a list; expected a list, or CSS(0)",
        ),
        ("=05400", "=(54FE,8)", "12:2", "IODEVICE 54FE: its last unit address is 105; expected"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_column(
    old: str, new: str, place: str, what: str
) -> None:
    assert old in GOOD
    refused(lambda: wide(GOOD.replace(old, new, 1)), f"a.iocp:{place}: {what}")


@pytest.mark.parametrize(
    ("access", "admitted"),
    [
        ("PART=(VMA,VMB)", True),
        ("PARTITION=((CSS(0),(VMA,VMB)))", True),
        ("SHARED,PART=VMA", True),
        ("PART=((VMA,VMB),(VMC))", True),
        ("PART=((VMA,VMB),(=))", False),
        ("PARTITION=((CSS(0),(VMA,VMB),(=)))", False),
        ("PART=VMA", False),
        ("SHARED,NOTPART=VMC", False),
    ],
)
def test_a_shared_channel_without_candidates_is_open_to_all(access: str, admitted: bool) -> None:
    deck = parse_deck(f" CHPID PATH=(CSS(0),F4),TYPE=FC,{access}\n", "deck")
    (channel,) = deck.channels.values()
    assert channel.access.admits("VMC", 0) is admitted
    assert channel.access.admits("VMA", 0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("# z/VM\n0600 3390 vm\n0E20 CTCE 31880 h 31890\n", "a: is the configuration of a Her"),
        ("D XCF,PI\n 4210 SYSB WORKING\n LOCAL REMOTE\n PATHIN\n", ": 'XCF,PI' is no IOCP"),
    ],
)
def test_no_deck_is_named_and_device_numbers_are_no_numbers_of_lines(text: str, said: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        parse_deck(text, "a")
    assert said in str(caught.value)
    assert "numbers of lines" not in str(caught.value)


def test_what_is_taken_for_granted_or_passed_over_is_told() -> None:
    deck = parse_deck(
        " RESOURCE PARTITION=((ZV1,1),(ZV2,2))\n CHPID PATH=50,SHARED\n"
        " CHPID PATH=51,TYPE=CTC,SHARED\n"
        " CNTLUNIT CUNUMBR=5010,PATH=51,CUADD=1,UNITADD=((40,6)),UNIT=SCTC\n"
        " IODEVICE ADDRESS=(5010,6),CUNUMBR=5010,UNIT=SCTC\n",
        "deck",
    )
    (_, first), (line, second) = ((notice.place.line, notice.text) for notice in deck.notices)
    assert first == "CHPID has no TYPE, which IOCP requires: it is taken for TYPE=FC"
    assert (line, second[:25]) == (5, "passed over: 6 ESCON CTCs")  # it was said of line 1


@pytest.mark.parametrize(
    "heading",
    [
        "1 19.29  24.042  IOCP VERSION 06  RELEASE 03  CHPID SUMMARY REPORT   PAGE 2",
        "1TIME 19.29 DATE 24.042 I/O DEVICE REPORT PAGE 1",
        "CSS 0: CHANNEL PATH IDENTIFIER SUMMARY REPORT",
        " 19.29.10 26.331  ICP IOCP 05.04.00  I/O DEVICE  PAGE 12",
        "PCHID CHPID TYPE  SWITCH  LP CU NUMBER",
    ],
)
def test_a_report_of_iocp_is_named(heading: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"deck:1:1: this is a report that IOCP printed( \(.*\))?;"
    ):
        parse_deck(heading + "\n 50 0140 FC   01\n", "deck")


PART = parse_deck(
    " CHPID PATH=50,TYPE=FC,SHARED\n CHPID PATH=60,TYPE=FC,SHARED\n"
    + unit("4010", "50", None, 2, more=",NOTPART=EAST")
    + unit("6010", "60", None, 1),
    "part",
)
WHOLE = drawn("whole LP1,LP2 50")


def test_a_part_of_a_deck_needs_images() -> None:
    with pytest.raises(ConfigurationError) as caught:
        choose_systems("WEST,EAST", [PART])
    assert str(caught.value) == (
        "--partitions 'WEST': there is no RESOURCE statement; expected its CSS and MIF image id, "
        "as in BOSTON=0.1"
    )
    pairing = paired("WEST=0.1,EAST=0.2", PART)
    assert mates(pairing) == [(f"601{n}", f"401{n}") for n in range(4)]
    assert next(each.text for each in pairing.unpaired if each.node == "EAST") == (
        "NOTPART or PARTITION (line 6) shuts EAST out, as it should: CUADD names it"
    )


def test_an_image_that_has_a_name_is_that_partition() -> None:
    first, second = choose_systems("NORTH=0.2,SOUTH=0.1", [WHOLE])
    assert [(system.node, system.partition.name) for system in (first, second)] == [
        ("NORTH", "LP2"),
        ("SOUTH", "LP1"),
    ]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("LP3,LP1",
         "--partitions 'LP3': no RESOURCE statement names it; expected one of LP1, LP2,"),
        ("0.1,LP1", "--partitions '0.1': expected a name, as in BOSTON=0.1"),
        ("A=0.1,LP1", "--partitions 'A=0.1': there are 2 decks; expected the number of its deck,"),
        ("A=3:0.1,LP1", "--partitions 'A=3:0.1': there is no such deck; expected 1 to 2 before"),
        ("A=1:6.1,LP1", "--partitions 'A=1:6.1': no RESOURCE statement names it; expected one of"),
    ],
)  # fmt: skip
def test_what_names_no_partition_is_refused(text: str, what: str) -> None:
    refused(lambda: choose_systems(text, [WHOLE, PART]), what)
