"""That decks come out of a layout as they went in, and that edits change what they must alone."""

import re
from dataclasses import replace
from random import Random
from typing import Final

import pytest
from msgspec import structs

import isfc
from isfc.deck.amend import amended
from isfc.errors import ConfigurationError
from isfc.layout.collection import Collection
from isfc.layout.edit import AddCtc, AddFibre, Edit, MoveCtc, RemoveCtc, RenumberCtc, SetFibre, edit
from isfc.layout.file import parse_collection
from isfc.layout.write import format_collection
from tests.decks import DECKS
from tests.drawn_changes import drawn_change
from tests.lengthy import few_in_every_run

_PORT: Final = r"^\*ISFC CHPID=\w\w,PORT=\w\w\n"
_CABLED: Final = "ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2,ATLANTA:53=C3"
SITES: Final = {
    "two CECs": ("cec-a.iocp cec-b.iocp", "ATLANTA,BOSTON", _CABLED),
    "two subsystems": ("cross-css.iocp", "ALPHA,BETA", ""),
    "cables": ("crowded.iocp", "VMA,VMB", ""),
    "mistakes": ("mistakes.iocp", "CHICAGO,DENVER", ""),
    "one CEC": ("one-cec.iocp", "EAST,WEST", "EAST:20=A0,EAST:21=A1,EAST:22=A2,EAST:23=A3"),
    "three systems": ("three-systems.iocp", "VMA,VMB,VMC", "VMA:50=01"),
    "without CSS": ("two-by-eight-a.iocp two-by-eight-b.iocp", "ATLANTA,BOSTON", ""),
}


def imported(site: str) -> Collection:
    """The layout of a site's decks, as its file says it."""
    files, partitions, ports = SITES[site]
    decks = [DECKS / name for name in files.split()]
    told = [ports] if ports else []
    found = isfc.import_iocp(decks, partitions=partitions, ports=told).collection
    return parse_collection(format_collection(found))


def exported(collection: Collection, *ports: str) -> dict[str, str]:
    """The decks of a layout, by file."""
    return dict(isfc.export(collection, "iocp", ports=ports).texts)


@pytest.mark.parametrize("site", SITES)
def test_a_deck_comes_out_of_a_layout_as_it_went_in(site: str) -> None:
    """Of ports that were told, comments that begin with *ISFC are behind the last statement."""
    files, _, ports = SITES[site]
    texts = {name: (DECKS / name).read_text() for name in files.split()}
    done = exported(imported(site))
    if ports:
        assert all(re.search(_PORT, text, re.MULTILINE) for text in done.values())
        done = {name: re.sub(_PORT, "", text, flags=re.MULTILINE) for name, text in done.items()}
    assert done == texts


def of_no_ctc(text: str) -> list[str]:
    """The statements of a deck that are of no CTC, each with the cards that go on with it."""
    cards = [line for line in text.splitlines() if not line.startswith("*")]
    whole = re.sub(r"\n(?= {15})", "\0", "\n".join(cards)).split("\n")
    return [each for each in whole if "UNIT=FCTC" not in each]


@pytest.mark.parametrize("seeds", [range(5), *few_in_every_run([range(5, 145)], count=0)])
def test_of_a_drawn_change_every_other_statement_stays(seeds: range) -> None:
    """Decks with CSS and images, of systems that share chpids and have disks."""
    for seed in seeds:
        drawn = drawn_change(Random(seed))
        same, changed = (exported(side).values() for side in (drawn.before, drawn.after))
        texts = [re.sub(_PORT, "", text, flags=re.MULTILINE) for text in same]
        assert sorted(texts) == sorted(drawn.decks)
        assert sorted(map(of_no_ctc, changed)) == sorted(map(of_no_ctc, drawn.decks))


def drawn_edit(random: Random, collection: Collection) -> Edit:
    """An edit of a layout, which may be one that it refuses."""
    link = random.choice(collection.links)
    ctc = random.choice(link.ctcs)
    rdev = f"{ctc.rdevs[0]:04X}"
    fibre = random.choice(link.fibres).name
    numbers = f"{random.randrange(0x9000, 0x9100):04X}", f"{random.randrange(0x9000, 0x9100):04X}"
    edits: list[Edit] = [
        MoveCtc(link.name, rdev, fibre),
        AddCtc(fibre),
        AddCtc(fibre, numbers),
        RemoveCtc(link.name, rdev),
        RenumberCtc(link.name, rdev, numbers),
        SetFibre(fibre, "FICON Express16S", km=random.choice([None, 10.0])),
        AddFibre(link.name, ("E0", "E1"), "FICON Express16S"),
    ]
    return random.choice(edits)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("site", SITES)
def test_decks_of_an_edited_layout_are_imported_as_that_layout(site: str, seed: int) -> None:
    collection, random = imported(site), Random(seed)
    given = collection
    for _ in range(4):
        try:
            collection = edit(collection, drawn_edit(random, collection))
        except ConfigurationError:
            continue
    files, partitions, _ = SITES[site]
    new = any(fibre.chpids[0] == 0xE0 for _, fibre, _ in collection.fibres())
    linked = new and "LINK=" in (DECKS / files.split()[0]).read_text()
    node, partner = next(
        (link.nodes for link, fibre, _ in collection.fibres() if fibre.chpids[0] == 0xE0),
        given.links[0].nodes,
    )
    texts = exported(collection, *[f"{node}:E0=7E,{partner}:E1=7F"] * linked)
    decks = [texts[name] for name in files.split()]
    config = [isfc.export(collection, "activate").together]
    again = isfc.import_iocp(decks, partitions=partitions, config=config).collection
    assert [ctcs_of(again, n) for n in (0, 1)] == [ctcs_of(collection, n) for n in (0, 1)]


def ctcs_of(collection: Collection, end: int) -> list[tuple[object, ...]]:
    """What a layout says of its CTCs at one end."""
    return sorted(
        (link.nodes[end], ctc.rdevs, ctc.fibre.chpids, ctc.fibre.profile.feature, ctc.fibre.km)
        for link in collection.links
        for ctc in link.ctcs
    )


def test_what_an_edit_needs_is_new_in_the_deck_and_the_rest_as_it_was() -> None:
    given = imported("two subsystems")
    moved = edit(given, AddFibre("ALPHA-BETA", ("54", "64"), "FICON Express8S"))
    moved = edit(moved, MoveCtc("ALPHA-BETA", "5317", "2"))
    (text,) = exported(moved, "ALPHA:54=61C4,BETA:64=61D4").values()
    before = (DECKS / "cross-css.iocp").read_text().splitlines()
    lines = text.splitlines()
    assert [line for line in before if line not in lines] == [
        " IODEVICE ADDRESS=(5310,008),CUNUMBR=(5312),UNITADD=10,                +",
        " IODEVICE ADDRESS=(6310,008),CUNUMBR=(6301),UNITADD=10,                +",
    ]
    assert [line for line in lines if line not in before] == [
        "* isfc: changed: devices 5310-5317",
        " IODEVICE ADDRESS=(5310,007),CUNUMBR=(5312),UNITADD=10,                *",
        "* isfc: changed: devices 6310-6317",
        " IODEVICE ADDRESS=(6310,007),CUNUMBR=(6301),UNITADD=10,STADET=Y,       *",
        "               UNIT=FCTC",
        "*ISFC CHPID=54,NODE=ALPHA,FEATURE='FICON Express8S'",
        "*ISFC CHPID=54,NODE=ALPHA,PORT=61C4",
        "*ISFC CHPID=64,NODE=BETA,FEATURE='FICON Express8S'",
        "*ISFC CHPID=64,NODE=BETA,PORT=61D4",
        "* isfc: new CHPID 54; its PCHID is still to be assigned",
        " CHPID PATH=(CSS(0),54),SHARED,SWITCH=61,TYPE=FC",
        "* isfc: new CHPID 64; its PCHID is still to be assigned",
        " CHPID PATH=(CSS(1),64),SHARED,SWITCH=61,TYPE=FC",
        "* isfc: new control unit 5317 and its devices",
        " CNTLUNIT CUNUMBR=5317,PATH=((CSS(0),54)),LINK=((CSS(0),61D4)),        *",
        "               CUADD=12,UNITADD=((00,002)),UNIT=FCTC",
        " IODEVICE ADDRESS=(5317,002),CUNUMBR=(5317),UNITADD=00,STADET=Y,       *",
        "               PARTITION=((CSS(0),ALPHA)),UNIT=FCTC",
        "* isfc: new control unit 6317 and its devices",
        " CNTLUNIT CUNUMBR=6317,PATH=((CSS(1),64)),LINK=((CSS(1),61C4)),CUADD=1,*",
        "               UNITADD=((00,002)),UNIT=FCTC",
        " IODEVICE ADDRESS=(6317,002),CUNUMBR=(6317),UNITADD=00,STADET=Y,       *",
        "               UNIT=FCTC",
    ]


def test_a_system_without_a_deck_gets_one_that_fits_the_others() -> None:
    """CHICAGO is new: its deck names BOSTON's image, which is 3 of CSS 1, as BOSTON's names its."""
    given = imported("two CECs")
    text = format_collection(given).replace("[fibre.1]", NEW_SYSTEM, 1)
    grown = parse_collection(text)
    decks = exported(grown, "BOSTON:70=CE,CHICAGO:71=CF")
    assert sorted(decks) == ["CHICAGO.iocp", "cec-a.iocp", "cec-b.iocp"]
    assert "isfc:" not in decks["cec-a.iocp"]
    assert "RESOURCE PARTITION=((CSS(0),(CHICAGO,3)))" in decks["CHICAGO.iocp"]
    assert "LINK=((CSS(0),CE)),CUADD=1," in decks["CHICAGO.iocp"]
    assert "LINK=((CSS(0),CF)),CUADD=3," in decks["cec-b.iocp"]


NEW_SYSTEM: Final = """
[[link]]
nodes = ["ATLANTA", "BOSTON"]

[[link]]
nodes = ["BOSTON", "CHICAGO"]

[fibre.new]
feature = "FICON Express8S"
chpid = { BOSTON = "70", CHICAGO = "71" }

[[ctc]]
fibre = "new"
rdevs = { BOSTON = "7000-7001", CHICAGO = "7000-7001" }

[fibre.1]"""


def test_a_chpid_that_is_not_for_a_system_is_refused() -> None:
    given = imported("mistakes")
    with pytest.raises(ConfigurationError, match="CHPID 71 is TYPE=FC, or not for CHICAGO"):
        amended(edit(given, AddFibre("CHICAGO-DENVER", ("71", "73"), "FICON Express8S")), {})


def test_a_port_that_is_missing_is_asked_for() -> None:
    given = imported("two subsystems")
    with pytest.raises(ConfigurationError, match="expected --ports BETA:64=C1, its own port"):
        amended(edit(given, AddFibre("ALPHA-BETA", ("53", "64"), "FICON Express8S")), {})


def test_a_device_that_other_partitions_use_stays_theirs() -> None:
    """5010 leads VMB and VMC to VMA: VMB's CTC moves, VMC's does not."""
    given = imported("three systems")
    link = given.link("VMA-VMB")
    moved = next(ctc for ctc in link.ctcs if ctc.rdevs[1] == 0x5010)
    other = next(fibre for fibre in link.fibres if fibre != moved.fibre)
    done = edit(given, MoveCtc(link.name, f"{moved.rdevs[0]:04X}", other.name))
    (text,) = (deck.cards for deck in amended(done, {})[0])
    assert "(5010,001),UNITADD=00,CUNUMBR=(5010),STADET=Y," in text
    assert "UNIT=FCTC,PARTITION=((CSS(0),VMC))" in text
    assert "(5011,003),UNITADD=01,CUNUMBR=(5010)," in text
    assert "(5010,001),CUNUMBR=(6010),UNITADD=04,STADET=Y," in text


def test_what_is_on_a_director_is_no_cable_where_its_port_is_lost() -> None:
    """Names of directors that are no numbers, and no ports kept: no LINK was written then."""
    given = imported("two subsystems")
    (deck,) = given.decks
    (link,) = given.links
    named = replace(
        given,
        links=(link.with_fibres(lambda fibre: structs.replace(fibre, directors=("EAST", "EAST"))),),
    )
    assert amended(named, {})[0] == (deck,)
    with pytest.raises(ConfigurationError, match="ALPHA:53 is on a director, by the link"):
        amended(replace(named, decks=(structs.replace(deck, ports=()),)), {})


def test_devices_that_the_layout_does_not_use_stay_and_are_named() -> None:
    given = imported("two subsystems")
    decks, remarks = amended(edit(given, RemoveCtc("ALPHA-BETA", "5312")), {})
    assert decks == given.decks
    assert [remark.partition("; ")[0] for remark in remarks] == [
        "ALPHA: a device of its deck is not in the layout and stays defined (5312)",
        "BETA: a device of its deck is not in the layout and stays defined (6312)",
    ]
