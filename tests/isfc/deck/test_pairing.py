"""Pairing: by chpid, link address, CUADD and unit address, and why a device has no mate."""

import pytest

from isfc.deck.deck import Deck
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import Reason
from isfc.errors import ConfigurationError
from tests.decks import deck, mates, paired, reasons, shipped, unit

A = deck("a", "LP1", ["50"], unit("4010", "50", "D1", 1))
B = deck("b", "LP2", ["60"], unit("5010", "60", "C1", 1))


def test_two_cecs_through_a_director() -> None:
    pairing = paired("LP1,LP2", A, B)
    assert mates(pairing) == [(f"401{n}", f"501{n}") for n in range(4)]
    assert dict(pairing.inferred) == {"LP1:50": "C1", "LP2:60": "D1"}
    assert not pairing.unpaired


def test_pairs_go_by_unit_address_and_not_by_device_number() -> None:
    other = deck("b", "LP2", ["60"], unit("5010", "60", "C1", 1, rdev="4012", count=2, first=2))
    assert mates(paired("LP1,LP2", A, other)) == [("4012", "4012"), ("4013", "4013")]
    shifted = deck("b", "LP2", ["60"], unit("5010", "60", "C1", 1, rdev="4010", count=2, first=2))
    assert mates(paired("LP1,LP2", A, shifted)) == [("4012", "4010"), ("4013", "4011")]


def test_point_to_point_without_links() -> None:
    one = deck("a", "LP1", ["50"], unit("4010", "50", None, 1))
    other = deck("b", "LP2", ["60"], unit("5010", "60", None, 1))
    pairing = paired("LP1,LP2", one, other)
    assert len(mates(pairing)) == 4
    assert dict(pairing.inferred) == {"LP1:50": "LP2:60"}


def test_one_cec_has_two_fibres_between_two_chpids() -> None:
    units = [
        unit(cu, chpid, link, image, count=2, more=f",NOTPART=LP{image}")
        for cu, chpid, link, image in (
            ("4010", "50", "D1", 1),
            ("4020", "50", "D1", 2),
            ("4110", "60", "C1", 1),
            ("4120", "60", "C1", 2),
        )
    ]
    both = deck("a", "LP1,LP2", ["50", "60"], *units)
    with pytest.raises(ConfigurationError) as caught:  # or 50 and 60 are both straight
        paired("LP1,LP2", both)
    assert str(caught.value).splitlines()[1:] == [
        "  --ports LP1:50=C1",
        "  --ports LP1:50=D1,LP1:60=C1",
    ]
    pairing = paired("LP1,LP2", both, ports="LP2:50=C1")
    assert mates(pairing) == [
        ("4020", "4110"),
        ("4021", "4111"),
        ("4120", "4010"),
        ("4121", "4011"),
    ]
    assert set(reasons(pairing).values()) == {Reason.EXCLUDED.value}


def test_a_straight_connection_has_one_chpid_at_both_ends() -> None:
    units = [unit("4010", "50", "C1", 1, more=",NOTPART=LP1"),
             unit("4020", "50", "C1", 2, more=",NOTPART=LP2")]  # fmt: skip
    pairing = paired("LP1,LP2", deck("a", "LP1,LP2", ["50"], *units))
    assert mates(pairing) == [(f"402{n}", f"401{n}") for n in range(4)]


def test_across_channel_subsystems_cuadd_has_two_digits() -> None:
    pairing = paired("ALPHA,BETA", shipped("cross-css.iocp"))
    assert mates(pairing) == [(f"53{n:02X}", f"63{n:02X}") for n in range(0x10, 0x18)]


@pytest.mark.parametrize(
    ("partitions", "decks", "ports", "first", "count"),
    [
        ("ATLANTA,BOSTON", ("cec-a", "cec-b"), "ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2",
         ("4010", "5010"), 16),
        ("AUSTIN,BUTTE", ("cec-a", "cec-b"), "AUSTIN:50=C3,AUSTIN:51=C2,AUSTIN:52=C1",
         ("4020", "5320"), 16),
        ("ATLANTA,BOSTON", ("two-by-eight-a", "two-by-eight-b"), "", ("6000", "7000"), 16),
        ("EAST,WEST", ("one-cec",), "EAST:20=A0,EAST:21=A1,EAST:22=A2", ("2020", "2110"), 16),
        ("EAST,WEST", ("one-cec",), "EAST:20=A1,EAST:21=A0,EAST:22=A3", ("2020", "2010"), 16),
        ("VMA,VMC", ("three-systems",), "VMA:50=01", ("5030", "6010"), 8),
        ("ALPHA,BETA", ("cross-css",), "", ("5310", "6310"), 8),
        ("CHICAGO,DENVER", ("mistakes",), "", ("7010", "7210"), 4),
    ],
)  # fmt: skip
def test_decks_as_sites_have_them(
    partitions: str, decks: tuple[str, ...], ports: str, first: tuple[str, str], count: int
) -> None:
    pairing = paired(partitions, *(shipped(f"{name}.iocp") for name in decks), ports=ports)
    assert mates(pairing)[0] == first
    assert len(pairing.ctcs) == count


def test_every_mistake_is_named() -> None:
    pairing = paired("CHICAGO,DENVER", shipped("mistakes.iocp"))
    assert reasons(pairing) == {
        "CHICAGO 7014": "unit-addresses-differ",
        **dict.fromkeys(["CHICAGO 7018", "CHICAGO 7019"], "unit-address-not-of-control-unit"),
        **{f"CHICAGO 702{n}": "cuadd-names-another-image" for n in range(4)},
        **{f"CHICAGO 703{n}": "duplicate-chpid-link-cuadd" for n in range(4)},
        **{f"CHICAGO 711{n}": "chpid-not-accessible" for n in range(4)},
        **dict.fromkeys(["DENVER 7220", "DENVER 7221"], "excluded"),
        **dict.fromkeys(["DENVER 7230", "DENVER 7231"], "no-mate"),
    }


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (unit("5010", "60", "C1", 2), Reason.OTHER_IMAGE),
        (unit("5010", "60", "C1", 1, first=8), Reason.NO_MATE),
        (unit("5010", "60", "C1", 1, more=",NOTPART=LP2"), Reason.EXCLUDED),
        (unit("5010", "61", "C1", 1), Reason.NO_ACCESS),
        (unit("5010", "60", None, 1), Reason.NO_MATE),
    ],
)
def test_a_device_that_cannot_be_paired_has_a_reason(other: str, reason: Reason) -> None:
    far = deck("b", "LP2,LP3", ["60", "61,PARTITION=((LP3),(=))"], other)
    pairing = paired("LP1,LP2", A, far)
    assert not pairing.ctcs
    assert {
        each.reason for each in pairing.unpaired if each.device in far.devices
    } == {reason}  # fmt: skip
    assert {reasons(pairing)[f"LP1 401{n}"] for n in range(4)} == {Reason.NO_MATE.value}


def test_unit_addresses_that_only_one_end_has_are_named() -> None:
    pairing = paired(
        "LP1,LP2", A, deck("b", "LP2", ["60"], unit("5010", "60", "C1", 1, count=2, first=2))
    )
    assert reasons(pairing) == {
        "LP1 4010": "unit-addresses-differ",
        "LP1 4011": "unit-addresses-differ",
    }
    assert pairing.unpaired[0].text == (
        "unit address 00 is not at LP2, where chpid 60 has unit addresses 02-03"
    )


def test_what_repeats_an_earlier_statement_is_left_out() -> None:
    again = [
        unit("5020", "60", "C1", 1),  # the same chpid.link.CUADD
        unit("5030", "60", "C2", 1, rdev="5010"),  # the same device numbers
    ]
    far = deck("b", "LP2", ["60"], unit("5010", "60", "C1", 1), *again)
    pairing = paired("LP1,LP2", A, far)
    assert len(pairing.ctcs) == 4
    assert sorted({each.reason.value for each in pairing.unpaired}) == [
        "duplicate-chpid-link-cuadd",
        "duplicate-device-number",
    ]
    assert "chpid.link.CUADD 60.C1.1" in pairing.unpaired[-1].text


def test_chpids_on_different_directors_do_not_meet() -> None:
    one = deck("a", "LP1", ["50,SWITCH=01"], unit("4010", "50", "D1", 1))
    other = deck("b", "LP2", ["60,SWITCH=02"], unit("5010", "60", "C1", 1))
    assert not paired("LP1,LP2", one, other).ctcs


@pytest.mark.parametrize("more", [",SHARED", ",NOTPART=LP3", ",PARTITION=(LP2,LP3)"])
def test_a_channel_that_is_not_shared_may_be_led_to_with_cuadd_0(more: str) -> None:
    def far(more: str) -> Deck:
        text = f" RESOURCE PARTITION=((LP2,1),(LP3,2))\n CHPID PATH=60,TYPE=FC{more}\n"
        return parse_deck(text + unit("5010", "60", "C1", 1), "b")

    near = deck("a", "LP1", ["50"], unit("4010", "50", "D1", 0))
    assert len(paired("LP1,LP2", near, far("")).ctcs) == 4
    assert len(paired("LP1,LP2", near, far(",PARTITION=(LP2)")).ctcs) == 4
    assert not paired("LP1,LP2", near, far(more)).ctcs


@pytest.mark.parametrize("kind", ["FCP", "OSD", "FCV", "CNC", "CTC"])
def test_ctcs_need_channel_paths_of_type_fc(kind: str) -> None:
    # the type of a channel path was not looked at
    text = (
        f" RESOURCE PARTITION=((LP1,1))\n CHPID PATH=50,TYPE={kind},SHARED\n"
        f"{unit('4010', '50', 'D1', 1)}"
    )
    pairing = paired("LP1,LP2", parse_deck(text, "a"), B)
    assert pairing.ctcs == ()
    assert pairing.unpaired[0].reason == Reason.NO_FICON
    assert pairing.unpaired[0].text == (
        f"CHPID 50 (line 2) is TYPE={kind}: IOCP rejects FICON CTC control units of another than "
        "TYPE=FC (ICP254I)"
    )


def test_a_channel_path_without_a_type_may_be_ficon() -> None:
    text = " RESOURCE PARTITION=((LP1,1))\n CHPID PATH=50,SHARED\n" + unit("4010", "50", "D1", 1)
    assert len(paired("LP1,LP2", parse_deck(text, "a"), B).ctcs) == 4


def test_a_device_on_two_control_units_has_one_reason_and_is_listed_once() -> None:
    # it was paired by its first one, and its second copy was a duplicate of its own line
    units = unit("4010", "50", "D1", 1).replace(
        "CUNUMBR=4010,UNITADD=00", "CUNUMBR=(4010,4110),UNITADD=00"
    )
    near = deck("a", "LP1", ["50", "51"], units, unit("4110", "51", "D2", 1, rdev="4200"))
    far = deck("b", "LP2", ["60", "61"], unit("5010", "60", "C1", 1), unit("5110", "61", "C2", 1))
    pairing = paired("LP1,LP2", near, far, ports="LP1:51=C2")
    assert mates(pairing)[0] == ("4200", "5110")
    told = [each for each in pairing.unpaired if each.node == "LP1"]
    assert [each.device.rdev for each in told] == [0x4010, 0x4011, 0x4012, 0x4013]
    assert {each.text for each in told} == {
        "is on control units 4010 and 4110: IOCP rejects it, as a CTC device is on one (ICP312I)"
    }


@pytest.mark.parametrize("link", ["**", "****"])
def test_asterisks_for_a_link_are_a_cable(link: str) -> None:
    # they were refused
    one = deck("a", "LP1", ["50"], unit("4010", "50", link, 1))
    other = deck("b", "LP2", ["60"], unit("5010", "60", None, 1))
    assert dict(paired("LP1,LP2", one, other).inferred) == {"LP1:50": "LP2:60"}
