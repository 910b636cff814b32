"""Edits of a layout: what each makes of it, and what cannot be."""

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection, shipped_layouts
from isfc.layout.collection import Collection
from isfc.layout.edit import (
    AddCtc,
    AddFibre,
    Edit,
    MoveCtc,
    RemoveCtc,
    RenumberCtc,
    SetFibre,
    SwapRdevs,
    TakeAdvice,
    edit,
    features,
    read_edit,
)
from isfc.layout.file import parse_collection
from isfc.layout.loss import without
from isfc.layout.plan import LAYOUT_RULES, make_plan, ways_of
from isfc.layout.write import format_collection

LINK = "ATLANTA-BOSTON"
AB = given_collection("atlanta-boston")
WHOLE = [f"60{n} 70{n} {fibre}" for fibre, first in ((1, 0), (2, 0x20))
         for n in (f"{first + k:02X}" for k in range(4))]  # fmt: skip
FAR = """
[path.far]
km = 10
[fibre.1]
feature = "FICON Express8S"
path = "far"
chpid = { A = "40", B = "50" }
[[ctc]]
fibre = "1"
rdevs = { A = "6000", B = "7000" }
"""


def ctcs(collection: Collection) -> list[str]:
    """Each CTC of the first link down the device list: its numbers, and its fibre."""
    return [
        f"{ctc.rdevs[0]:04X} {ctc.rdevs[1]:04X} {ctc.fibre.name}"
        for ctc in collection.links[0].device_list()
    ]


def edited(collection: Collection, *edits: Edit) -> Collection:
    for each in edits:
        collection = edit(collection, each)
    return collection


@pytest.mark.parametrize(
    ("edits", "gone", "new"),
    [
        ([MoveCtc(LINK, "6000", "2")], [0], ["6000 7000 2"]),
        # numbers that are given, the next that are free, and those from the beginning
        ([AddCtc("2", ("5FFF", "7fff"))], [], ["5FFF 7FFF 2"]),
        ([AddCtc("1")], [], ["6004 7004 1"]),
        ([RenumberCtc(LINK, "6003", ("FFFF", "7003")), AddCtc("1")], [3],
         ["FFFF 7003 1", "0000 7004 1"]),
        ([RemoveCtc(LINK, f"600{n}") for n in range(4)], [0, 1, 2, 3], []),
        ([SwapRdevs(LINK, "6000", "6020")], [0, 4], ["6000 7000 2", "6020 7020 1"]),
        ([SwapRdevs(LINK, "6000", "6020", "ATLANTA")], [0, 4], ["6000 7020 2", "6020 7000 1"]),
        ([SwapRdevs(LINK, "6000", "6020", "BOSTON")], [0, 4], ["6000 7020 1", "6020 7000 2"]),
        ([AddFibre(LINK, ("42", "52"), "FICON Express2")], [], ["6024 7024 3"]),
    ],
)  # fmt: skip
def test_an_edit_changes_its_ctcs_and_leaves_the_layout_that_it_is_of(
    edits: list[Edit], gone: list[int], new: list[str]
) -> None:
    done = edited(AB, *edits)
    kept = [each for place, each in enumerate(WHOLE) if place not in gone]
    assert ctcs(done) == sorted([*kept, *new])
    used = {each.rpartition(" ")[2] for each in ctcs(done)}
    chpids = {"1": ("40", "50"), "2": ("41", "51"), "3": ("42", "52")}
    assert {fibre.name: fibre.chpid_names for fibre in done.links[0].fibres} == {
        name: chpids[name] for name in used
    }
    assert given_collection("atlanta-boston") == AB


def test_moved_ctcs_change_what_is_met_first() -> None:
    order = make_plan(edit(AB, MoveCtc(LINK, "6000", "2")).links[0]).directions[0].chpids
    assert [use.chpid for use in order] == [0x41, 0x40]


@pytest.mark.parametrize(
    ("change", "gbps", "km"),
    [
        (SetFibre("1", "FICON Express8S", None, 12.5), 8, 12.5),
        (SetFibre("1", "FICON Express8S", 4), 4, 0),
    ],
)
def test_fibre_gets_another_feature_speed_and_length(
    change: SetFibre, gbps: float, km: float
) -> None:
    fibre = edit(AB, change).links[0].fibres[0]
    profile = fibre.profile
    assert (profile.feature, profile.link_gbps, fibre.km) == ("FICON Express8S", gbps, km)


def test_fibres_on_one_channel_get_one_feature() -> None:
    cluster = given_collection("two-cecs")
    name = cluster.links[0].fibres[0].name
    changed = edit(cluster, SetFibre(name, "FICON Express16S"))
    fast = "FICON Express16S"
    same = [fibre.name for _, fibre, _ in changed.fibres() if fibre.profile.feature == fast]
    assert name in same
    assert len(same) > 1


@pytest.mark.parametrize(
    ("layout", "wrong", "complaint"),
    [
        (AB, MoveCtc(LINK, "6009", "2"), "ATLANTA has no CTC 6009"),
        (AB, MoveCtc(LINK, "6000", "7"), r"no \[fibre.7\] of ATLANTA-BOSTON; expected 1, 2"),
        (AB, MoveCtc("A-B", "6000", "1"), "no such link; expected ATLANTA-BOSTON"),
        (AB, MoveCtc(LINK, "xyz", "1"), "is not a device number"),
        (AB, AddCtc("9"), r"there is no \[fibre.9\]"),
        (AB, AddCtc("1", ("6000", "7009")), "6000 at ATLANTA is "),
        (AB, SetFibre("1", "FICON Express9"), "is not a FICON feature"),
        (AB, SetFibre("1", "FICON Express2", 8), "runs at 2 Gb/s at most"),
        (AB, SetFibre("5", "FICON Express2"), r"there is no \[fibre.5\]"),
        (AB, AddFibre(LINK, ("40", "50"), "FICON Express2"), "joins the chpids of"),
        (AB, AddFibre(LINK, ("4G", "50"), "FICON Express2"), "is not a chpid"),
        (AB, SwapRdevs(LINK, "6000", "6020", "CHICAGO"), "expected ATLANTA or BOSTON"),
        (given_collection("published-1"), RemoveCtc("CLIENT-SERVER", "6000"),
         "is the last CTC of CLIENT-SERVER"),
        (given_collection("published-16"), AddCtc("1"), "expected at most 16"),
        (parse_collection(FAR), SetFibre("1", "FICON Express8S", None, 20),
         "its length is that of path far, 10 km"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(layout: Collection, wrong: Edit, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        edit(layout, wrong)


def test_length_of_a_far_path_may_be_said_again() -> None:
    again = edit(parse_collection(FAR), SetFibre("1", "FICON Express16S", None, 10))
    assert again.links[0].fibres[0].km == 10


def test_edits_are_read_from_json_objects() -> None:
    record = {"do": "add", "fibre": "1", "rdevs": ["6004", "7004"]}
    assert read_edit(record) == AddCtc("1", ("6004", "7004"))
    for wrong in ({"do": "burn"}, {"do": "add"}, {"do": "add", "fibre": "1", "x": 1}, 7):
        with pytest.raises(ConfigurationError, match="edit: "):
            read_edit(wrong)


def test_what_is_lost_leaves_the_rest() -> None:
    assert ctcs(without(AB, frozenset({"1"}))) == WHOLE[4:]
    with pytest.raises(ConfigurationError, match="no CTC is left"):
        without(AB, frozenset({"1", "2"}))
    # what is not there was a loss that costs nothing
    with pytest.raises(ConfigurationError, match=r"no \[fibre.40\]; expected one of 1, 2"):
        without(AB, frozenset({"1", "40"}))
    cluster = given_collection("two-cecs")
    for _, fibre, _ in cluster.fibres():  # which is whole without any one of them
        left = without(cluster, frozenset({fibre.name}))
        assert parse_collection(format_collection(left)).systems == left.systems


def test_every_feature_is_named() -> None:
    assert features()[0] == "FICON Express"
    assert "FICON Express32S" in features()


CROWDED = """
[[link]]
nodes = ["VMA", "VMB"]
[fibre.1]
feature = "FICON Express8S"
chpid = { VMA = "50", VMB = "51" }
[fibre.2]
feature = "FICON Express8S"
chpid = { VMA = "60", VMB = "61" }
[[ctc]]
fibre = "1"
rdevs = { VMA = "5020-5025", VMB = "5010-5015" }
[[ctc]]
fibre = "2"
rdevs = { VMA = "6020", VMB = "6010" }
"""
CROWDED_LINK = "VMA-VMB"


FOUR = [f"502{n} 501{n} 1" for n in range(4)]


@pytest.mark.parametrize(
    ("layout", "rule", "way", "found"),
    [
        (CROWDED, "chpid-crowded", 1, [*FOUR, "5024 5014 2", "5025 5015 2", "6020 6010 2"]),
        (CROWDED, "chpid-crowded", 0, [*FOUR, "6020 6010 2"]),
        ("published-1", "single-ctc", 0, [f"600{n} 600{n} 1" for n in range(4)]),
        (
            "published-8",
            "too-many-each",
            0,  # 5F01 and 6004, where the optimiser said 5FFE twice
            [f"{n} {n} 1" for n in ("5FFE", "5FFF", *(f"600{k}" for k in range(4)))]
            + [f"602{n} 602{n} {2 - n // 4}" for n in range(6)],
        ),
    ],
    ids=[
        "others are moved with their numbers",
        "or left out",
        "new ones have the next numbers",
        "the same at both ends where all are",
    ],
)
def test_advice_that_is_taken_keeps_the_numbers_of_what_stays(
    layout: str, rule: str, way: int, found: list[str]
) -> None:
    before = given_collection(layout)
    assert ctcs(edit(before, TakeAdvice(before.links[0].name, rule, way))) == found


def test_ctcs_without_room_go_to_a_new_fibre_on_the_next_chpids() -> None:
    text = CROWDED.replace('"6020"', '"6020-6023"').replace('"6010"', '"6010-6013"')
    moved = edit(parse_collection(text, "crowded"), TakeAdvice(CROWDED_LINK, "chpid-crowded", 1))
    (new,) = (fibre for fibre in moved.links[0].fibres if fibre.name == "3")
    assert [*new.chpids] == [0x61, 0x62]
    assert sum(ctc.fibre == new for ctc in moved.links[0].ctcs) == 2


def test_numbers_go_to_the_end_where_there_is_no_room_between() -> None:
    close = CROWDED.replace("5020-5025", "5020").replace("5010-5015", "5010")
    close = close.replace('"6020"', '"5021"').replace('"6010"', '"5011"')
    link = parse_collection(close, "close")
    for rule in LAYOUT_RULES:
        for way, _ in enumerate(ways_of(rule.id)):
            down = ways_of(rule.id)[way].change([c.fibre for c in link.links[0].device_list()])
            if down is not None:
                changed = edit(link, TakeAdvice(CROWDED_LINK, rule.id, way)).links[0].device_list()
                assert [ctc.fibre for ctc in changed] == [*down]


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_advice_makes_the_list_that_is_tried(name: str) -> None:
    whole = given_collection(name)
    for link in whole.links:
        old = [ctc.fibre for ctc in link.device_list()]
        for finding in make_plan(link, whole.beside(link), whole).advice:
            for way, change in enumerate(ways_of(finding.id)):
                down = change.change(old)
                if down is None:
                    continue
                changed = edit(whole, TakeAdvice("-".join(link.nodes), finding.id, way))
                new = changed.link("-".join(link.nodes)).device_list()
                assert len({ctc.rdevs[0] for ctc in new}) == len(new) == len(down)
                known = {fibre: fibre.name for fibre in link.fibres}
                places: dict[str, str] = {}
                for ctc, fibre in zip(new, down, strict=True):
                    expected = known.get(fibre) or places.setdefault(fibre.name, ctc.fibre.name)
                    assert ctc.fibre.name == expected


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"finding": "no-such-rule"}, "no-such-rule: expected a finding that has a way 0"),
        ({"finding": "chpid-crowded", "way": 2}, "expected a finding that has a way 2"),
        ({"finding": "chpid-crowded", "way": -1}, "expected a finding that has a way -1"),
        ({"finding": "one-chpid"}, "expected a finding that has a way 0"),
    ],
)
def test_advice_that_is_none_is_refused(change: dict[str, object], complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        edit(CROWDED, read_edit({"do": "advise", "link": CROWDED_LINK, **change}))
