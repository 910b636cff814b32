"""What a kept deck would not allow is found by check, with its lines."""

import isfc
from isfc.deck.allowed import DECK_RULES
from isfc.layout.collection import Collection
from isfc.layout.edit import AddFibre, edit
from tests.isfc.deck.test_numbers import DISKS, SITE, kept


def said(layout: Collection) -> list[str]:
    """What the rules of decks find, each with its rule."""
    ids = {rule.id for rule in DECK_RULES}
    (link,) = isfc.check(layout)
    return [f"{each.id}: {each.text}" for each in link.findings if each.id in ids]


def test_a_deck_that_iocp_takes_has_no_finding() -> None:
    assert said(kept(SITE + DISKS)) == []


def test_a_unit_address_is_one_device_of_a_control_unit() -> None:
    """NORTH's device there is one too, as a unit address is of the subsystem."""
    more = " IODEVICE ADDRESS=(9000,1),CUNUMBR=1,UNITADD=02,PART=(NORTH),UNIT=FCTC\n"
    assert said(kept(SITE + DISKS + more)) == [
        (
            "unit-address-twice: EAST: 7FFE ([deck.text] cards:6:2) and 9000 ([deck.text] "
            "cards:13:2) have unit address 02 of control unit 0001."
        )
    ]


def test_chpids_of_other_systems_and_of_other_types_are_named() -> None:
    more = " CHPID PATH=52,PART=((WEST),(WEST)),TYPE=FC\n CHPID PATH=53,SHARED,TYPE=OSD\n"
    given = kept(SITE + DISKS + more)
    for chpid, kind, line in (("52", "FC", 13), ("53", "OSD", 14)):
        wider = edit(given, AddFibre("EAST-WEST", (chpid, "51"), "FICON Express8S"))
        assert said(wider) == [
            (
                f"chpid-not-of-system: EAST: CHPID {chpid} is TYPE={kind}, or not for EAST "
                f"([deck.text] cards:{line}:13)."
            )
        ]


def test_more_control_units_than_a_chpid_takes_are_counted() -> None:
    """Two of CTCs and 255 of disks on chpid 50; with one less there is no finding."""
    disks = [
        f" CNTLUNIT CUNUMBR={0x1000 + n:X},PATH=50,LINK={n:02X},UNIT=2107\n" for n in range(255)
    ]
    assert said(kept(SITE + DISKS + "".join(disks))) == [
        "control-units-many: EAST: 50 has 257 control units."
    ]
    assert said(kept(SITE + DISKS + "".join(disks[1:]))) == []
