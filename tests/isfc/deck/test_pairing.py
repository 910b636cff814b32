"""Pairing: by chpid, link address, CUADD and unit address, and why a device has no mate."""

from typing import Final

import pytest

from isfc.deck.deck import Deck
from isfc.deck.iocp import parse_deck
from isfc.deck.pairing import Reason
from isfc.errors import ConfigurationError
from tests.decks import drawn, mates, paired, reasons, shipped, unit

A: Final = drawn("a LP1 50 | 4010 50 D1 1")
B: Final = drawn("b LP2 60 | 5010 60 C1 1")
CABLE: Final = drawn("b LP2 60 | 5010 60 - 1")
CROSSED: Final = drawn(
    # two fibres between two chpids of one CEC
    "a LP1,LP2 50 60 | 4010 50 D1 1 count=2 NOTPART=LP1 | 4020 50 D1 2 count=2 NOTPART=LP2 "
    "| 4110 60 C1 1 count=2 NOTPART=LP1 | 4120 60 C1 2 count=2 NOTPART=LP2"
)
STRAIGHT: Final = drawn("a LP1,LP2 50 | 4010 50 C1 1 NOTPART=LP1 | 4020 50 C1 2 NOTPART=LP2")


def four(near: str, far: str) -> list[str]:
    return [f"{near}{n} {far}{n}" for n in range(4)]


@pytest.mark.parametrize(
    ("decks", "ports", "pairs", "inferred"),
    [
        # two CECs through a director, and by a cable
        ((A, B), "", four("401", "501"), {"LP1:50": "C1", "LP2:60": "D1"}),
        ((drawn("a LP1 50 | 4010 50 - 1"), CABLE), "", four("401", "501"), {"LP1:50": "LP2:60"}),
        # asterisks for a link are a cable; they were refused
        *(
            (
                (drawn(f"a LP1 50 | 4010 50 {link} 1"), CABLE),
                "",
                four("401", "501"),
                {"LP1:50": "LP2:60"},
            )
            for link in ("**", "****")
        ),
        # by unit address, and not by device number
        ((A, drawn("b LP2 60 | 5010 60 C1 1 rdev=4012 count=2 first=2")), "",
         ["4012 4012", "4013 4013"], None),
        ((A, drawn("b LP2 60 | 5010 60 C1 1 rdev=4010 count=2 first=2")), "",
         ["4012 4010", "4013 4011"], None),
        ((CROSSED,), "LP2:50=C1", ["4020 4110", "4021 4111", "4120 4010", "4121 4011"], None),
        ((STRAIGHT,), "", four("402", "401"), None),
        # chpids on different directors do not meet
        (
            (
                drawn("a LP1 50,SWITCH=01 | 4010 50 D1 1"),
                drawn("b LP2 60,SWITCH=02 | 5010 60 C1 1"),
            ),
            "",
            [],
            None,
        ),
    ],
)  # fmt: skip
def test_pairs_go_by_what_both_ends_say(
    decks: tuple[Deck, ...], ports: str, pairs: list[str], inferred: dict[str, str] | None
) -> None:
    pairing = paired("LP1,LP2", *decks, ports=ports)
    assert [" ".join(each) for each in mates(pairing)] == pairs
    assert inferred is None or dict(pairing.inferred) == inferred
    if len(decks) == 1:
        assert set(reasons(pairing).values()) == {Reason.EXCLUDED.value}
    if inferred:
        assert not pairing.unpaired


def test_two_fibres_of_one_cec_may_be_both_straight() -> None:
    with pytest.raises(ConfigurationError) as caught:
        paired("LP1,LP2", CROSSED)
    assert str(caught.value).splitlines()[1:] == [
        "  --ports LP1:50=C1",
        "  --ports LP1:50=D1,LP1:60=C1",
    ]


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
        ("ALPHA,BETA", ("cross-css",), "", ("5310", "6310"), 8),  # whose CUADD has two digits
        ("CHICAGO,DENVER", ("mistakes",), "", ("7010", "7210"), 4),
    ],
)  # fmt: skip
def test_decks_as_sites_have_them(
    partitions: str, decks: tuple[str, ...], ports: str, first: tuple[str, str], count: int
) -> None:
    pairing = paired(partitions, *(shipped(f"{name}.iocp") for name in decks), ports=ports)
    assert mates(pairing)[0] == first
    assert len(pairing.ctcs) == count
    if "cross-css" in decks:
        assert mates(pairing) == [(f"53{n:02X}", f"63{n:02X}") for n in range(0x10, 0x18)]


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
        ("5010 60 C1 2", Reason.OTHER_IMAGE),
        ("5010 60 C1 1 first=8", Reason.NO_MATE),
        ("5010 60 C1 1 NOTPART=LP2", Reason.EXCLUDED),
        ("5010 61 C1 1", Reason.NO_ACCESS),
        ("5010 60 - 1", Reason.NO_MATE),
    ],
)
def test_a_device_that_cannot_be_paired_has_a_reason(other: str, reason: Reason) -> None:
    far = drawn(f"b LP2,LP3 60 61,PARTITION=((LP3),(=)) | {other}")
    pairing = paired("LP1,LP2", A, far)
    assert not pairing.ctcs
    assert {each.reason for each in pairing.unpaired if each.device in far.devices} == {reason}
    assert {reasons(pairing)[f"LP1 401{n}"] for n in range(4)} == {Reason.NO_MATE.value}


def test_unit_addresses_that_only_one_end_has_are_named() -> None:
    pairing = paired("LP1,LP2", A, drawn("b LP2 60 | 5010 60 C1 1 count=2 first=2"))
    assert reasons(pairing) == dict.fromkeys(["LP1 4010", "LP1 4011"], "unit-addresses-differ")
    assert pairing.unpaired[0].text == (
        "unit address 00 is not at LP2, where chpid 60 has unit addresses 02-03"
    )


def test_what_repeats_an_earlier_statement_is_left_out() -> None:
    # 5020 has the same chpid.link.CUADD, 5030 the same device numbers
    far = drawn("b LP2 60 | 5010 60 C1 1 | 5020 60 C1 1 | 5030 60 C2 1 rdev=5010")
    pairing = paired("LP1,LP2", A, far)
    assert len(pairing.ctcs) == 4
    assert sorted({each.reason.value for each in pairing.unpaired}) == [
        "duplicate-chpid-link-cuadd",
        "duplicate-device-number",
    ]
    assert "chpid.link.CUADD 60.C1.1" in pairing.unpaired[-1].text


@pytest.mark.parametrize(
    ("more", "ctcs"),
    [("", 4), (",PARTITION=(LP2)", 4), (",SHARED", 0), (",NOTPART=LP3", 0),
     (",PARTITION=(LP2,LP3)", 0)],
)  # fmt: skip
def test_a_channel_that_is_not_shared_may_be_led_to_with_cuadd_0(more: str, ctcs: int) -> None:
    text = f" RESOURCE PARTITION=((LP2,1),(LP3,2))\n CHPID PATH=60,TYPE=FC{more}\n"
    far = parse_deck(text + unit("5010", "60", "C1", 1), "b")
    near = drawn("a LP1 50 | 4010 50 D1 0")
    assert len(paired("LP1,LP2", near, far).ctcs) == ctcs


@pytest.mark.parametrize("kind", ["FCP", "OSD", "FCV", "CNC", "CTC", None])
def test_ctcs_need_channel_paths_of_type_fc_or_of_none(kind: str | None) -> None:
    # the type of a channel path was not looked at
    said = f",TYPE={kind}" if kind else ""
    text = f" RESOURCE PARTITION=((LP1,1))\n CHPID PATH=50{said},SHARED\n"
    pairing = paired("LP1,LP2", parse_deck(text + unit("4010", "50", "D1", 1), "a"), B)
    assert len(pairing.ctcs) == (0 if kind else 4)
    told = [(each.reason, each.text) for each in pairing.unpaired[:1]]
    text = f"CHPID 50 (line 2) is TYPE={kind}: IOCP rejects FICON CTC control units of another "
    assert told == [(Reason.NO_FICON, f"{text}than TYPE=FC (ICP254I)")] * bool(kind)


def test_a_device_on_two_control_units_has_one_reason_and_is_listed_once() -> None:
    # it was paired by its first one, and its second copy was a duplicate of its own line
    text = drawn("a LP1 50 51 | 4010 50 D1 1 | 4110 51 D2 1 rdev=4200").text
    near = parse_deck(text.replace("=4010,UNITADD=00", "=(4010,4110),UNITADD=00"), "a")
    far = drawn("b LP2 60 61 | 5010 60 C1 1 | 5110 61 C2 1")
    pairing = paired("LP1,LP2", near, far, ports="LP1:51=C2")
    assert mates(pairing)[0] == ("4200", "5110")
    told = [each for each in pairing.unpaired if each.node == "LP1"]
    assert [each.device.rdev for each in told] == [0x4010, 0x4011, 0x4012, 0x4013]
    assert {each.text for each in told} == {
        "is on control units 4010 and 4110: IOCP rejects it, as a CTC device is on one (ICP312I)"
    }
