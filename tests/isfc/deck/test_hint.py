"""Hints in comments: what a deck has no keyword for."""

import re
from dataclasses import replace
from typing import Final

import pytest
from hypothesis import given
from msgspec import structs

from ctc.address import ChpidId
from isfc.deck.deck import Deck, choose_systems, find_system
from isfc.deck.hint import check_paths, entry_ports, hinted_fibres, hinted_ports, read_hints
from isfc.deck.iocp import parse_deck
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import FarPath, Isl
from isfc.link.name import NodeName
from tests.decks import shipped
from tests.properties.mutations import mutated
from tests.refusals import refused

DECK = """\
* an ordinary comment
*ISFC CHPID=50,FEATURE='FICON Express4',GBPS=2
*ISFC CHPID=50,PORT=C1
*ISFC CHPID=50,FIBRE='it''s one'
*ISFC CHPID=51,CABLE=LP2:61
*ISFC CHPID=52,CABLE=LP9:61
 RESOURCE PARTITION=((LP1,1),(LP2,2))
 CHPID PATH=(50,51,61),TYPE=FC
"""


def deck(text: str = DECK) -> Deck:
    return parse_deck(text, "deck")


def test_comments_tell_feature_speed_fibre_and_port() -> None:
    hints = read_hints(deck().remarks)
    assert list(hints) == [(ChpidId(chpid), None, None) for chpid in (0x50, 0x51, 0x52)]
    hint = hints[ChpidId(0x50), None, None]
    profile = hint.profile
    assert profile is not None
    assert (profile.feature, profile.link_gbps) == ("FICON Express4", 2)
    assert (hint.fibre, hint.port, hint.km) == ("it's one", "C1", None)


def test_a_chpid_that_leads_to_several_has_hints_for_each_fibre() -> None:
    lines = ["*ISFC CHPID=50,KM=9", "*ISFC CHPID=50,FAR=LP2:61,FIBRE='near',KM=1.5"]
    systems = choose_systems("LP1,LP2", [deck("\n".join([*lines, DECK]))])
    first, second = (system.node for system in systems)
    fibre = hinted_fibres(systems)
    near = fibre({first: ChpidId(0x50), second: ChpidId(0x61)})
    other = fibre({first: ChpidId(0x50), second: ChpidId(0x51)})
    assert (near.fibre, near.km) == ("near", 1.5)
    assert (other.fibre, other.km) == ("it's one", 9)


def test_partitions_of_one_deck_have_fibres_of_their_own_on_a_chpid() -> None:
    lines = [
        "*ISFC CHPID=50,NODE=LP1,FAR=LP3:61,FIBRE='one'",
        "*ISFC CHPID=50,NODE=LP2,FAR=LP3:61,FIBRE='two'",
    ]
    systems = choose_systems("LP1,LP2,LP3=0.7", [deck("\n".join([*lines, DECK]))])
    fibre = hinted_fibres(systems)
    far = {NodeName("LP3"): ChpidId(0x61)}
    assert fibre({NodeName("LP1"): ChpidId(0x50), **far}).fibre == "one"
    assert fibre({NodeName("LP2"): ChpidId(0x50), **far}).fibre == "two"


def test_ports_are_those_of_the_systems_that_are_asked_for() -> None:
    systems = choose_systems("LP1,LP2", [deck()])
    assert hinted_ports(systems, []) == [
        "LP1:50=C1", "LP1:51=LP2:61", "LP2:50=C1", "LP2:51=LP2:61"
    ]  # fmt: skip
    assert "LP1:50=C1" not in hinted_ports(systems, ["lp1:50=C2,LP1:51=C3"])


def test_comments_at_either_end_tell_the_inter_switch_links_of_a_path() -> None:
    lines = ["*ISFC CHPID=50,KM=9,PATH='it''s far',ISLGBPS=16,CREDITS=90"]
    systems = choose_systems("LP1,LP2", [deck("\n".join([*lines, DECK]))])
    chpids = {systems[0].node: ChpidId(0x99), systems[1].node: ChpidId(0x50)}
    assert hinted_fibres(systems)(chpids).far_path == FarPath("it's far", 9, Isl(1, 16, 90))
    assert hinted_fibres(systems)({systems[0].node: ChpidId(0x51)}).far_path is None


def test_inter_switch_links_of_no_path_are_refused() -> None:
    systems = choose_systems("LP1,LP2", [deck("*ISFC CHPID=50,ISLGBPS=16,CREDITS=90\n" + DECK)])
    hint = hinted_fibres(systems)({systems[0].node: ChpidId(0x50)})
    with pytest.raises(ConfigurationError, match="expected PATH='METRO' too"):
        _ = hint.far_path


def test_one_path_is_not_told_in_two_ways() -> None:
    link = load_layout("atlanta-boston")
    paths = [FarPath("WAN", 10, Isl(1, 16, credits_)) for credits_ in (90, 91)]
    fibres = [structs.replace(link.fibres[n], path=path) for n, path in enumerate(paths)]
    check_paths([replace(link, fibres=(fibres[0],))] * 2)
    with pytest.raises(ConfigurationError, match="PATH='WAN': of two lengths, or of two kinds"):
        check_paths([replace(link, fibres=tuple(fibres))])


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("*ISFC PORT=C1", "deck:1:7: *ISFC has no CHPID; expected CHPID=40"),
        ("*ISFC CHPID=50,PROT=C1", "deck:1:7: *ISFC PROT: no such keyword; expected one of CHPID,"),
        ("*ISFC CHPID=5G", "deck:1:13: *ISFC CHPID '5G'; expected 1 or 2 hex digits"),
        ("*ISFC CHPID=50,FEATURE=X", "deck:1:24: *ISFC FEATURE 'X'; expected a feature"),
        ("*ISFC CHPID=50,GBPS=0,PORT=C1", "deck:1:21: *ISFC GBPS '0'; expected a number, such"),
        ("*ISFC CHPID=50,GBPS=8,FEATURE='FICON Express4'",
         "deck:1:21: *ISFC GBPS '8'; expected a number up to 4, at which FICON Express4 runs"),
        ("*ISFC CHPID=50,KM=far", "deck:1:19: *ISFC KM 'far'; expected a number, such as 10"),
        ("*ISFC CHPID=50,FAR=B:XX,KM=1", "deck:1:20: *ISFC FAR 'B:XX'; expected a chpid of the"),
        ("*ISFC CHPID=50,ISLGBPS=8", "deck:1:7: *ISFC ISLS or ISLGBPS or CREDITS alone; expected "),
        ("*ISFC CHPID=50,ISLS=1.5,ISLGBPS=8,CREDITS=9", "deck:1:21: *ISFC ISLS '1.5'; expected a"),
        ("*ISFC CHPID=50,ISLGBPS=8,CREDITS=0", "deck:1:34: *ISFC CREDITS '0'; expected a whole"),
    ],
)  # fmt: skip
def test_a_bad_hint_is_named_with_its_place(text: str, what: str) -> None:
    refused(lambda: read_hints(deck(text).remarks), what)


SYSTEM: Final = find_system("EAST", [shipped("one-cec.iocp")])
ENTRIES: Final = {"20": ("2020", "03A1", "03A0"), "21": ("2120", "03A0", "03A1")}
SHOWN: Final = "".join(
    f"""\
 D M=CU({cu})
 IEE174I 10.02.{chpid} DISPLAY M 123
 CONTROL UNIT {cu}
 CHP                     {chpid}
 DEST LINK ADDRESS       {far}
 ENTRY LINK ADDRESS      {entry}
 CHP PHYSICALLY ONLINE   Y
 PATH VALIDATED          Y
 MANAGED                 N
 MAXIMUM MANAGED CHPID(S) ALLOWED = 0
 DESTINATION CU LOGICAL ADDRESS = 02
 DEFINED DEVICES
   {cu}-{cu[:3]}3
"""
    for chpid, (cu, far, entry) in ENTRIES.items()
)
PORTS: Final = ["EAST:20=03A0", "EAST:21=03A1"]


def test_entry_link_addresses_are_ports() -> None:
    assert entry_ports(SHOWN, "shown", SYSTEM) == PORTS
    assert entry_ports(SHOWN.replace("03A", "A"), "shown", SYSTEM) == ["EAST:20=A0", "EAST:21=A1"]
    disk = SHOWN.replace("2120", "8000")
    assert entry_ports(disk, "shown", SYSTEM) == PORTS[:1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("S       03A1", "S       03A2", "2020 is on chpid 20, link 03A2, and on 20.A1"),
        ("S      03A0", "S      A0", "A0 and 03A1 differ in length"),
        ("S      03A0", "S      03A", "'03A'; expected 2 or 4 hex digits"),
        ("S      03A0", "S      03A0 03A4", "2020 has not as many chpids and link addresses"),
        ("S      03A0", "S", "'ENTRY LINK ADDRESS' cannot be read; expected a value"),
        (" CONTROL UNIT 2020\n", "", "CHP is not of one CONTROL UNIT"),
        (" CONTROL UNIT 2120\n", "", "CHP is not of one CONTROL UNIT"),
        (SHOWN, SHOWN + SHOWN.replace("2020", "2010").replace("03A0\n CHP", "03A4\n CHP"),
         "chpid 20 has entry link address 03A4 here, and"),
        (SHOWN, "D M=CU(4010)\n", "shown:1:1: there is no entry link address"),
    ],
)  # fmt: skip
def test_what_is_contradicted_or_not_there_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        entry_ports(SHOWN.replace(old, new, 1), "shown", SYSTEM)


@given(mutated(SHOWN))
def test_a_mutated_answer_is_never_read_as_another(changed: tuple[str, str]) -> None:
    try:
        found = entry_ports(changed[0], "shown", SYSTEM)
    except ConfigurationError:
        return
    assert {*found} <= {*PORTS}, changed
