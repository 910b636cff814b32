"""Which director port a channel sits on: what is told, what follows, what must be asked."""

from collections.abc import Sequence

import pytest

from isfc.deck.cabling import parse_ports
from isfc.deck.deck import Deck, choose_systems
from isfc.deck.hint import hinted_ports
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import pair
from isfc.errors import ConfigurationError
from tests.decks import deck, mates, paired, unit

A = deck("a", "LP1", ["50", "51"], unit("4010", "50", "D1", 1), unit("4110", "51", "D2", 1))
B = deck("b", "LP2", ["60", "61"], unit("5010", "60", "C1", 1), unit("5110", "61", "C2", 1))


def test_several_cablings_are_listed_and_asked_for() -> None:
    with pytest.raises(ConfigurationError) as caught:
        paired("LP1,LP2", A, B)
    message = str(caught.value)
    assert message.startswith("LP1 and LP2: the decks do not say which director port each channel")
    assert message.splitlines()[1:] == [
        "  --ports LP1:50=C1,LP1:51=C2",
        "  --ports LP1:50=C2,LP1:51=C1",
    ]


@pytest.mark.parametrize(
    ("ports", "mate"),
    [("LP1:50=C1", "5010"), ("LP1:50=C2", "5110"), ("LP2:61=D1", "5110"), ("lp2:60=d1", "5010")],
)
def test_one_port_may_settle_all_others(ports: str, mate: str) -> None:
    assert mates(paired("LP1,LP2", A, B, ports=ports))[0] == ("4010", mate)


def test_each_possibility_settles_the_question() -> None:
    with pytest.raises(ConfigurationError) as caught:
        paired("LP1,LP2", A, B)
    for line in str(caught.value).splitlines()[1:]:
        pairing = paired("LP1,LP2", A, B, ports=line.split()[1])
        assert len(pairing.ctcs) == 8
        assert all(key.startswith("LP2:") for key in pairing.inferred)


def test_unit_addresses_may_leave_one_cabling() -> None:
    one = deck("a", "LP1", ["50", "51"], unit("4010", "50", "D1", 1),
               unit("4110", "51", "D2", 1, first=8))  # fmt: skip
    other = deck("b", "LP2", ["60", "61"], unit("5010", "60", "C1", 1, first=8),
                 unit("5110", "61", "C2", 1))  # fmt: skip
    assert mates(paired("LP1,LP2", one, other))[0] == ("4010", "5110")


def test_a_cable_may_be_told() -> None:
    one = deck("a", "LP1", ["50", "51"], unit("4010", "50", None, 1), unit("4110", "51", None, 1))
    other = deck("b", "LP2", ["60", "61"], unit("5010", "60", None, 1), unit("5110", "61", None, 1))
    with pytest.raises(ConfigurationError, match="--ports LP1:50=LP2:60,LP1:51=LP2:61"):
        paired("LP1,LP2", one, other)
    pairing = paired("LP1,LP2", one, other, ports="LP1:50=LP2:61")
    assert mates(pairing)[0] == ("4010", "5110")


def test_a_link_of_four_digits_names_the_same_port() -> None:
    far = deck(
        "b", "LP2", ["60", "61"], unit("5010", "60", "61C1", 1), unit("5110", "61", "61C2", 1)
    )
    assert mates(paired("LP1,LP2", A, far, ports="LP1:50=C2"))[0] == ("4010", "5110")


def test_of_two_cablings_that_of_two_chpids_is_named_first() -> None:
    """All ways between two chpids that both partitions share: most CTCs are between the two."""
    units = [
        unit(f"{image}{n}00", chpid, port, image, rdev=f"1{n}00", more=f",PARTITION=LP{3 - image}")
        for image in (2, 1)
        for n, (chpid, port) in enumerate((("50", "C1"), ("51", "C2")))
    ]
    cec = deck("cec", "LP1,LP2", ["50,SWITCH=1", "51,SWITCH=1"], *units)
    with pytest.raises(ConfigurationError, match="several cablings") as caught:
        paired("LP1,LP2", cec)
    assert str(caught.value).splitlines()[1:] == [
        "  --ports LP1:50=C2",
        "  --ports LP1:50=C1,LP1:51=C2",
    ]


def test_the_search_is_bounded() -> None:
    """Sixteen chpids at each end, all alike: 16! cablings."""
    chpids = [f"{n:02X}" for n in range(0x40, 0x50)]
    one = deck("a", "LP1", chpids, *(unit(f"4{n:02X}0", c, f"D{n:X}", 1, count=1)
                                     for n, c in enumerate(chpids)))  # fmt: skip
    other = deck("b", "LP2", chpids, *(unit(f"5{n:02X}0", c, f"C{n:X}", 1, count=1)
                                       for n, c in enumerate(chpids)))  # fmt: skip
    with pytest.raises(ConfigurationError, match="several cablings") as caught:
        paired("LP1,LP2", one, other)
    assert str(caught.value).endswith("  ...")
    told = ",".join(f"LP1:{chpid}=C{n:X}" for n, chpid in enumerate(chpids))
    assert len(paired("LP1,LP2", one, other, ports=told).ctcs) == 16


@pytest.mark.parametrize(
    ("ports", "what"),
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
def test_bad_ports_are_refused(ports: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        paired("LP1,LP2", A, B, ports=ports)
    assert str(caught.value).startswith(what)


def test_more_control_units_than_any_link_has_are_refused() -> None:
    units = [unit(f"{n:04X}", "50", f"{n:02X}", 1, rdev=f"{n:02X}00") for n in range(1, 66)]
    with pytest.raises(ConfigurationError, match="on 65 pairs of chpid and link address; expected"):
        paired("LP1,LP2", deck("a", "LP1", ["50"], *units), B)


SWITCHED = {
    name: deck(
        name,
        f"LP{image}",
        [f"{chpid},SWITCH={number}" for chpid, number in zip(chpids, numbers, strict=True)],
        *(unit(f"{chpid}10", chpid, link, 1) for chpid, link in zip(chpids, links, strict=True)),
    )
    for name, image, chpids, numbers, links in (
        ("a", 1, ("50", "51"), ("01", "02"), ("D1", "E1")),
        ("b", 2, ("60", "61"), ("0A", "0B"), ("C1", "C2")),
    )
}


def test_decks_that_number_one_director_differently_are_joined_by_ports() -> None:
    # --ports said which port each channel sits on, and nothing was joined all the same
    told = "LP1:50=C1,LP1:51=C2,LP2:60=D1,LP2:61=E1"
    pairing = paired("LP1,LP2", SWITCHED["a"], SWITCHED["b"], ports=told)
    assert mates(pairing)[::4] == [("5010", "6010"), ("5110", "6110")]


def test_the_ports_of_one_channel_alone_do_not_say_that_two_numbers_are_one_director() -> None:
    pairing = paired("LP1,LP2", SWITCHED["a"], SWITCHED["b"], ports="LP1:50=C1")
    assert mates(pairing) == []
    assert pairing.unpaired[0].text == (
        "chpid 50, link D1 is on SWITCH 1, chpid 60 of LP2 on A; if that is one director, "
        "--ports LP1:50=C1,LP2:60=D1 says so"
    )


def fabrics(switches: str, links: str) -> Deck:
    """Partition LP1, each chpid on a director and leading over it to a port."""
    chpids = ["50", "51"]
    return deck(
        "a",
        "LP1",
        [f"{chpid},SWITCH={n}" for chpid, n in zip(chpids, switches.split(), strict=True)],
        *(unit(f"{c}10", c, link, 1) for c, link in zip(chpids, links.split(), strict=True)),
    )


FAR = deck(
    "b",
    "LP2",
    ["60,SWITCH=82", "61,SWITCH=92"],
    unit("6010", "60", "8110", 1),
    unit("6110", "61", "9110", 1),
)


@pytest.mark.parametrize(
    ("switches", "links", "mate"),
    [
        ("81 91", "8210 9210", "6010"),
        ("91 81", "9210 8210", "6110"),
        ("81 01", "8210 9210", "6010"),
    ],
)
def test_switch_settles_which_fabric_a_link_of_four_digits_means(
    switches: str, links: str, mate: str
) -> None:
    # both cablings were offered, one of which puts a channel on the other fabric
    pairing = paired("LP1,LP2", fabrics(switches, links), FAR)
    assert mates(pairing)[0] == ("5010", mate)


def test_where_switch_agrees_with_no_link_the_user_is_asked() -> None:
    far = deck(
        "b", "LP2", ["60", "61"], unit("6010", "60", "8110", 1), unit("6110", "61", "9110", 1)
    )
    with pytest.raises(ConfigurationError, match="several cablings"):
        paired("LP1,LP2", fabrics("01 02", "8210 9210"), far)


def test_a_device_more_counts_for_more_than_switch() -> None:
    one = fabrics("81 91", "8210 9210")
    far = deck(
        "b",
        "LP2",
        ["60,SWITCH=82", "61,SWITCH=92"],
        unit("6010", "60", "9110", 1, count=4),
        unit("6110", "61", "8110", 1, count=4, first=2),
    )
    pairing = paired("LP1,LP2", one, far, ports="LP1:50=9110")
    assert len(pairing.ctcs) == 6


HCD = (
    # what HCD writes behind statements that IOCP reads, in comments
    " RESOURCE PARTITION=(({name},1))\n"
    " CHPID PATH={first},TYPE=FC,SHARED\n"
    "{first_said}"
    " CHPID PATH={second},TYPE=FC,SHARED\n"
    "{second_said}"
)


def hcd(name: str, chpids: str, said: Sequence[str], *units: str) -> Deck:
    first, second = chpids.split()
    head = HCD.format(
        name=name, first=first, second=second, first_said=said[0], second_said=said[1]
    )
    return parse_deck(head + "".join(units), name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SWPORT=((01,C2))", "SWPORT=((01,C1))"),
        ("DESC='LINK TWO'", "DESC='LINK ONE'"),
    ],
)
def test_what_hcd_says_of_chpids_settles_the_cabling(one: str, other: str) -> None:
    """Without it there are two cablings: `test_several_cablings_are_listed_and_asked_for`."""
    said = [f"*$HCDC$        {each}\n" for each in (one, other)]
    near = hcd("LP1", "50 51", said, unit("4010", "50", "D1", 1), unit("4110", "51", "D2", 1))
    far = hcd("LP2", "60 61", ["*$HCDC$        DESC='LINK ONE'\n", "*$HCDC$   DESC='LINK TWO'\n"],
              unit("5010", "60", "C1", 1), unit("5110", "61", "C2", 1))  # fmt: skip
    systems = choose_systems("LP1,LP2", [near, far])
    ports = hinted_ports(systems, ())
    assert ports == (["LP1:50=C2", "LP1:51=C1"] if "SWPORT" in one else [])
    first, second = systems
    pairing = pair(first, second, parse_ports(ports, systems))
    assert mates(pairing)[0] == ("4010", "5110")


def test_control_units_of_one_serial_number_are_connected() -> None:
    near, far = (
        deck(name, name, chpids,
             *(unit(cu, chpid, None, 1) for cu, chpid in zip(cus, chpids, strict=True)))
        for name, chpids, cus in (
            ("LP1", ["50", "51"], ["4010", "4110"]), ("LP2", ["60", "61"], ["5010", "5110"])
        )
    )  # fmt: skip
    for each, serials in ((near, ("X1", "X2")), (far, ("X2", "X1"))):
        text = each.text
        for cu, serial in zip(each.control_units, serials, strict=True):
            text = text.replace(f"CUNUMBR={cu:04X},PATH", f"SERIAL={serial},CUNUMBR={cu:04X},PATH")
        each.text = text
    found = [parse_deck(each.text, each.file) for each in (near, far)]
    assert mates(paired("LP1,LP2", *found))[0] == ("4010", "5110")
    with pytest.raises(ConfigurationError, match="several cablings"):
        paired("LP1,LP2", near, far)


def test_a_port_that_hcd_contradicts_is_the_users() -> None:
    near = hcd("LP1", "50 51", ["*$HCDC$        SWPORT=((01,C2))\n", "*$HCDC$  SWPORT=C1,(\n"],
               unit("4010", "50", "D1", 1), unit("4110", "51", "D2", 1))  # fmt: skip
    assert [notice.text for notice in near.notices] == [
        "*$HCDC$ cannot be read, and is passed over"
    ]
    systems = choose_systems("LP1,LP2", [near, B])
    assert hinted_ports(systems, ["LP1:50=C1"]) == []
