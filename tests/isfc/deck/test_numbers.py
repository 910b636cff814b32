"""One number is one device of a partition; and which devices of a deck lead to the layout."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest

import isfc
from isfc.deck.amend import amended
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.edit import AddCtc, Edit, RenumberCtc, edit
from isfc.layout.file import parse_collection
from isfc.layout.layout import Layout
from isfc.layout.write import format_collection
from scenarios.search.candidate import numbered
from scenarios.search.scoring import Task


def refused(work: Callable[[], object], said: str) -> None:
    """Assert that ``work`` raises an error whose text has what is ``said``, a pattern."""
    with pytest.raises(ConfigurationError, match=said):
        work()


SITE = """ RESOURCE PARTITION=((CSS(0),(EAST,1),(WEST,2),(NORTH,3)))
 CHPID PATH=(CSS(0),50),SHARED,SWITCH=61,TYPE=FC
 CHPID PATH=(CSS(0),51),SHARED,SWITCH=61,TYPE=FC
 CHPID PATH=(CSS(0),80),SHARED,TYPE=FC
 CNTLUNIT CUNUMBR=1,PATH=50,LINK=C1,CUADD=2,UNITADD=((0,16)),UNIT=FCTC
 IODEVICE ADDRESS=(7FFC,4),CUNUMBR=1,UNITADD=00,PART=(EAST),UNIT=FCTC
 CNTLUNIT CUNUMBR=2,PATH=51,LINK=C0,CUADD=1,UNITADD=((0,16)),UNIT=FCTC
 IODEVICE ADDRESS=(6000,4),CUNUMBR=2,UNITADD=00,PART=(WEST),UNIT=FCTC
 CNTLUNIT CUNUMBR=3,PATH=50,LINK=C1,CUADD=3,UNITADD=((0,16)),UNIT=FCTC
 IODEVICE ADDRESS=(8100,4),CUNUMBR=3,UNITADD=00,PART=(EAST),UNIT=FCTC
 CNTLUNIT CUNUMBR=8,PATH=80,UNITADD=((0,256)),LINK=2A,UNIT=2107
"""
DISKS = " IODEVICE ADDRESS=(8000,192),CUNUMBR=8,UNIT=3390B\n"


def kept(*decks: str, ports: str = "EAST:50=C0,WEST:51=C1") -> Collection:
    """The layout of EAST and WEST, with its decks."""
    found = isfc.import_iocp([*decks], partitions="EAST,WEST", ports=[ports]).collection
    return parse_collection(format_collection(found))


def with_number(given: Collection, number: str) -> Collection:
    """The layout, as somebody types it, whose last CTC of EAST has another number."""
    return parse_collection(format_collection(given).replace("7FFC-7FFF", f"7FFC-7FFE,{number}"))


def test_the_next_number_is_one_that_no_device_of_the_system_has() -> None:
    given = edit(kept(SITE + DISKS), AddCtc("1"))
    assert given.links[0].ctcs[-1].rdev_names == ("80C0", "6004")
    assert [edit(given, AddCtc("1")).links[0].ctcs[-1].rdev_names[0]] == ["80C1"]


LINE = r"\[deck\.\w+\] cards:"


@pytest.mark.parametrize(
    ("number", "lines"),
    [("8005", f"{LINE}2:.*UNIT=3390B .{LINE}12:"), ("8101", f"{LINE}2:.*UNIT=FCTC .{LINE}10:")],
)
def test_a_number_of_another_device_is_refused_with_both_lines(number: str, lines: str) -> None:
    given = kept(SITE + DISKS)
    said = f"EAST {number}: is a CTC to WEST on chpid 50 .{lines}"
    edits: list[Edit] = [
        AddCtc("1", (number, "9000")),
        RenumberCtc("EAST-WEST", "7FFC", (number, "6000")),
    ]
    for change in edits:
        refused(partial(edit, given, change), said)
    typed = with_number(given, number)
    refused(lambda: isfc.check(typed), said)
    refused(lambda: isfc.plan(typed, rule=True), said)
    refused(lambda: isfc.optimise(typed), said)
    refused(lambda: isfc.export(typed, "iocp"), said)
    refused(lambda: isfc.export(typed, "activate"), said)
    refused(lambda: isfc.change(given, typed, rates=False), said)
    assert edit(typed, AddCtc("1")).links, "what was so before is no fault of an edit"
    assert isfc.change(typed, given, rates=False).steps, "nor of the way out of it"


def test_a_deck_that_has_two_devices_of_a_number_is_refused_with_both_statements() -> None:
    given = kept(SITE + DISKS.replace("8000,192", "7FFF,1"))
    refused(lambda: isfc.check(given), f"EAST 7FFF: .*{LINE}6:.*UNIT=3390B .{LINE}12:")


@pytest.mark.parametrize(
    "disks",
    [
        DISKS.replace("UNIT=3390B", "PART=(WEST),UNIT=3390B"),
        DISKS.replace("UNIT=3390B", "SCHSET=1,UNIT=3390A"),
        DISKS.replace("UNIT=3390B", "SCHSET=((CSS(0),1)),UNIT=3390A"),
    ],
)
def test_another_partition_and_another_subchannel_set_have_numbers_of_their_own(disks: str) -> None:
    typed = with_number(kept(SITE + disks), "8005")
    assert isfc.check(typed)
    assert "ADDRESS=(8005,001)" in isfc.export(typed, "iocp").together


def test_schemes_keep_clear_of_ctcs_to_systems_that_the_layout_has_not() -> None:
    given = kept(SITE + DISKS)
    (text,) = isfc.export(given, "toml", scheme="alike", first="8000").texts.values()
    assert "80C0-80C3" in text
    (text,) = isfc.export(given, "toml", scheme="alike", first="8100").texts.values()
    assert "8110-8113" in text


def test_a_search_for_a_better_layout_gives_no_number_of_another_device(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    given, found = kept(SITE + DISKS), list[Layout | None]()

    def searched(task: Task, *_: object) -> None:
        found.append(numbered(task.layout, (0,) * 8, taken=task.taken))
        raise ConfigurationError("enough")

    monkeypatch.setattr("isfc.answers.optimise.search", searched)
    refused(lambda: isfc.optimise(given, ctcs=8), "enough")
    (layout,) = found
    assert layout
    assert [ctc.rdev_names[0] for ctc in layout.device_list()] == [f"80C{n}" for n in range(8)]


@pytest.mark.parametrize("seed", range(20))
def test_drawn_devices_are_kept_clear_of_and_refused(seed: int) -> None:
    random = Random(seed)
    first, count = 0x8000 + random.randrange(64), random.randint(1, 128)
    disks = DISKS.replace("8000,192", f"{first:04X},{count}")
    given = kept(SITE + disks)
    taken = {f"{number:04X}" for number in range(first, first + count)}
    typed = random.choice([*sorted(taken)])
    for _ in range(6):
        given = edit(given, AddCtc("1"))
        assert given.links[0].ctcs[-1].rdev_names[0] not in taken
    refused(lambda: edit(given, AddCtc("1", (typed, "9000"))), f"EAST {typed}: is a CTC to WEST")


def cec(name: str, image: int, chpid: int, link: str, rdev: str, more: str = "") -> str:
    """A deck of one system, whose partner is image 1 of another CEC."""
    return (
        f" RESOURCE PARTITION=((CSS(0),({name},{image}),(OTHER{chpid},2)))\n"
        f" CHPID PATH=(CSS(0),{chpid}),SHARED,SWITCH=61,TYPE=FC\n"
        f" CNTLUNIT CUNUMBR=1,PATH={chpid},LINK={link},CUADD=1,UNITADD=((0,16)),UNIT=FCTC\n"
        f" IODEVICE ADDRESS=({rdev},4),CUNUMBR=1,UNITADD=00,PART=({name}),UNIT=FCTC\n{more}"
    )


INSIDE = """ CNTLUNIT CUNUMBR=2,PATH=50,LINK=C5,CUADD=1,UNITADD=((0,16)),UNIT=FCTC
 IODEVICE ADDRESS=(5000,4),CUNUMBR=2,UNITADD=00,PART=(EAST),UNIT=FCTC
"""


def test_what_stays_defined_is_told_by_cec_and_image() -> None:
    """Both are image 1, each of its CEC; C5 is no port of WEST's, though CUADD 1 is its image."""
    given = kept(
        cec("EAST", 1, 50, "C1", "6000", INSIDE),
        cec("WEST", 1, 60, "C0", "7000"),
        ports="EAST:50=C0,WEST:60=C1",
    )
    fewer = edit(given, isfc.RemoveCtc("EAST-WEST", "6001"))
    said = [remark.partition(" devices")[0] for remark in amended(fewer, {})[1]]
    rest = "a device of its deck is not in the layout and stays defined"
    assert [each.partition(";")[0] for each in said] == [
        f"EAST: {rest} (6001)",
        f"WEST: {rest} (7001)",
    ]
