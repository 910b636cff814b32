"""Which director port a channel sits on: what is told, what follows, what must be asked."""

from typing import Final

import pytest

from isfc.deck.cabling import parse_ports
from isfc.deck.deck import Deck, choose_systems
from isfc.deck.hint import hinted_ports
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import pair
from isfc.errors import ConfigurationError
from tests.decks import deck, drawn, mates, paired, unit
from tests.refusals import refused

A: Final = drawn("a LP1 50 51 | 4010 50 D1 1 | 4110 51 D2 1")
B: Final = drawn("b LP2 60 61 | 5010 60 C1 1 | 5110 61 C2 1")
CABLES: Final = (
    drawn("a LP1 50 51 | 4010 50 - 1 | 4110 51 - 1"),
    drawn("b LP2 60 61 | 5010 60 - 1 | 5110 61 - 1"),
)
SWITCHED: Final = (
    drawn("a LP1 50,SWITCH=01 51,SWITCH=02 | 5010 50 D1 1 | 5110 51 E1 1"),
    drawn("b LP2 60,SWITCH=0A 61,SWITCH=0B | 6010 60 C1 1 | 6110 61 C2 1"),
)
FAR: Final = drawn("b LP2 60,SWITCH=82 61,SWITCH=92 | 6010 60 8110 1 | 6110 61 9110 1")


def fabrics(switches: str, links: str) -> Deck:
    """Partition LP1, each chpid on a director and leading over it to a port."""
    (one, other), (first, second) = switches.split(), links.split()
    return drawn(
        f"a LP1 50,SWITCH={one} 51,SWITCH={other} | 5010 50 {first} 1 | 5110 51 {second} 1"
    )


@pytest.mark.parametrize(
    ("near", "far", "ports", "mate"),
    [
        # one port may settle all others
        (A, B, "LP1:50=C1", "4010 5010"),
        (A, B, "LP1:50=C2", "4010 5110"),
        (A, B, "LP2:61=D1", "4010 5110"),
        (A, B, "lp2:60=d1", "4010 5010"),
        # and so may a cable
        (*CABLES, "LP1:50=LP2:61", "4010 5110"),
        # a link of four digits names the same port
        (A, drawn("b LP2 60 61 | 5010 60 61C1 1 | 5110 61 61C2 1"), "LP1:50=C2", "4010 5110"),
        # unit addresses leave one cabling
        (drawn("a LP1 50 51 | 4010 50 D1 1 | 4110 51 D2 1 first=8"),
         drawn("b LP2 60 61 | 5010 60 C1 1 first=8 | 5110 61 C2 1"), "", "4010 5110"),
        # SWITCH settles which fabric a link of four digits means: both cablings were offered,
        # one of which puts a channel on the other fabric
        (fabrics("81 91", "8210 9210"), FAR, "", "5010 6010"),
        (fabrics("91 81", "9210 8210"), FAR, "", "5010 6110"),
        (fabrics("81 01", "8210 9210"), FAR, "", "5010 6010"),
    ],
)  # fmt: skip
def test_what_is_told_settles_all(near: Deck, far: Deck, ports: str, mate: str) -> None:
    assert mates(paired("LP1,LP2", near, far, ports=ports))[0] == tuple(mate.split())


CEC: Final = deck(
    # all ways between two chpids that both partitions share: most CTCs are between the two
    "cec",
    "LP1,LP2",
    ["50,SWITCH=1", "51,SWITCH=1"],
    *(
        unit(f"{image}{n}00", chpid, port, image, rdev=f"1{n}00", more=f",PARTITION=LP{3 - image}")
        for image in (2, 1)
        for n, (chpid, port) in enumerate((("50", "C1"), ("51", "C2")))
    ),
)


@pytest.mark.parametrize(
    ("decks", "ways"),
    [
        ((A, B), ["LP1:50=C1,LP1:51=C2", "LP1:50=C2,LP1:51=C1"]),
        (CABLES, ["LP1:50=LP2:60,LP1:51=LP2:61", "LP1:50=LP2:61,LP1:51=LP2:60"]),
        ((CEC,), ["LP1:50=C2", "LP1:50=C1,LP1:51=C2"]),
        # where SWITCH agrees with no link
        (
            (fabrics("01 02", "8210 9210"), drawn("b LP2 60 61 | 6010 60 8110 1 | 6110 61 9110 1")),
            ["LP1:50=8110,LP1:51=9110", "LP1:50=9110,LP1:51=8110"],
        ),
    ],
)
def test_several_cablings_are_listed_and_asked_for(
    decks: tuple[Deck, ...], ways: list[str]
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        paired("LP1,LP2", *decks)
    first, *lines = str(caught.value).splitlines()
    assert first.startswith("LP1 and LP2: the decks do not say which director port each channel")
    assert lines == [f"  --ports {way}" for way in ways]
    for way in ways:  # each settles the question, and the ports of the other end follow
        pairing = paired("LP1,LP2", *decks, ports=way)
        assert len(pairing.ctcs) == 8
        assert all(key.startswith("LP2:") for key in pairing.inferred)


def test_the_search_is_bounded() -> None:
    """Sixteen chpids at each end, all alike: 16! cablings."""
    chpids = [f"{n:02X}" for n in range(0x40, 0x50)]
    one, other = (
        deck(file, partition, chpids, *(unit(f"{cu}{n:02X}0", chpid, f"{port}{n:X}", 1, count=1)
                                        for n, chpid in enumerate(chpids)))
        for file, partition, cu, port in (("a", "LP1", 4, "D"), ("b", "LP2", 5, "C"))
    )  # fmt: skip
    with pytest.raises(ConfigurationError, match="more than 100 cablings, of which 6 are shown"):
        paired("LP1,LP2", one, other)
    told = ",".join(f"LP1:{chpid}=C{n:X}" for n, chpid in enumerate(chpids))
    assert len(paired("LP1,LP2", one, other, ports=told).ctcs) == 16


@pytest.mark.parametrize(
    ("ports", "message"),
    [
        ("LP1:50", "--ports 'LP1:50': expected NODE:CHPID=PORT, such as LPAR1:50=C1"),
        ("LP3:50=C1", "--ports 'LP3:50=C1': expected one of LP1, LP2, then a colon and a chpid"),
        ("LP1:5G=C1", "--ports 'LP1:5G=C1': '5G' is not a chpid: expected 1 or 2 hex digits"),
        ("LP1:52=C1", "--ports 'LP1:52=C1': a has no CHPID 52 in CSS 0; expected a chpid of LP1"),
        ("LP1:50=C", "--ports 'LP1:50=C': expected a port of 2 or 4 hex digits, such as C1"),
        ("LP1:50=C1,LP1:50=C2", "--ports 'LP1:50=C2': contradicts another port; expected one"),
        ("LP1:50=C1,LP1:51=C1", "--ports 'LP1:51=C1': LP1:50 is on that port; expected one"),
    ],
)
def test_bad_ports_are_refused(ports: str, message: str) -> None:
    refused(lambda: paired("LP1,LP2", A, B, ports=ports), message)


def test_more_control_units_than_any_link_has_are_refused() -> None:
    units = [unit(f"{n:04X}", "50", f"{n:02X}", 1, rdev=f"{n:02X}00") for n in range(1, 66)]
    with pytest.raises(ConfigurationError, match="on 65 pairs of chpid and link address; expected"):
        paired("LP1,LP2", deck("a", "LP1", ["50"], *units), B)


def test_decks_that_number_one_director_differently_are_joined_by_all_ports_and_not_by_one() -> (
    None
):
    # --ports said which port each channel sits on, and nothing was joined all the same
    told = "LP1:50=C1,LP1:51=C2,LP2:60=D1,LP2:61=E1"
    pairing = paired("LP1,LP2", *SWITCHED, ports=told)
    assert mates(pairing)[::4] == [("5010", "6010"), ("5110", "6110")]
    pairing = paired("LP1,LP2", *SWITCHED, ports="LP1:50=C1")
    assert mates(pairing) == []
    assert pairing.unpaired[0].text == (
        "chpid 50, link D1 is on SWITCH 1, chpid 60 of LP2 on A; if that is one director, "
        "--ports LP1:50=C1,LP2:60=D1 says so"
    )


def test_a_device_more_counts_for_more_than_switch() -> None:
    far = drawn(
        "b LP2 60,SWITCH=82 61,SWITCH=92 | 6010 60 9110 1 count=4 | 6110 61 8110 1 count=4 first=2"
    )
    pairing = paired("LP1,LP2", fabrics("81 91", "8210 9210"), far, ports="LP1:50=9110")
    assert len(pairing.ctcs) == 6


def hcd(deck_: Deck, *said: str) -> Deck:
    """The deck with what HCD writes behind its CHPID statements, in comments."""
    lines = deck_.text.splitlines(keepends=True)
    at = [n for n, line in enumerate(lines) if " CHPID " in line]
    for n, each in reversed([*zip(at, said, strict=True)]):
        lines.insert(n + 1, f"*$HCDC$        {each}\n")
    return parse_deck("".join(lines), deck_.file)


@pytest.mark.parametrize(
    ("one", "other", "ports"),
    [
        ("SWPORT=((01,C2))", "SWPORT=((01,C1))", ["LP1:50=C2", "LP1:51=C1"]),
        ("DESC='LINK TWO'", "DESC='LINK ONE'", []),
    ],
)
def test_what_hcd_says_of_chpids_settles_the_cabling(
    one: str, other: str, ports: list[str]
) -> None:
    """Without it there are two cablings."""
    near, far = hcd(A, one, other), hcd(B, "DESC='LINK ONE'", "DESC='LINK TWO'")
    systems = choose_systems("LP1,LP2", [near, far])
    assert hinted_ports(systems, ()) == ports
    first, second = systems
    assert mates(pair(first, second, parse_ports(ports, systems)))[0] == ("4010", "5110")


def test_control_units_of_one_serial_number_are_connected() -> None:
    found = []
    for each, serials in zip(CABLES, (("X1", "X2"), ("X2", "X1")), strict=True):
        text = each.text
        for cu, serial in zip(each.control_units, serials, strict=True):
            text = text.replace(f"CUNUMBR={cu:04X},PATH", f"SERIAL={serial},CUNUMBR={cu:04X},PATH")
        found.append(parse_deck(text, each.file))
    assert mates(paired("LP1,LP2", *found))[0] == ("4010", "5110")


def test_a_port_that_hcd_contradicts_is_the_users() -> None:
    near = hcd(A, "SWPORT=((01,C2))", "SWPORT=C1,(")
    assert [notice.text for notice in near.notices] == [
        "*$HCDC$ cannot be read, and is passed over"
    ]
    assert hinted_ports(choose_systems("LP1,LP2", [near, B]), ["LP1:50=C1"]) == []
