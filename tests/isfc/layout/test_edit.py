"""Edits of a layout: what each makes of it, and what cannot be."""

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection, shipped_layouts
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
from isfc.layout.plan import RULES, make_plan, ways_of
from isfc.layout.write import format_collection

LINK = "ATLANTA-BOSTON"


@pytest.fixture
def atlanta_boston() -> Collection:
    return load_collection("atlanta-boston")


def ctcs(collection: Collection) -> list[tuple[str, str, str]]:
    """Each CTC of the first link: its numbers, and its fibre."""
    return [
        (f"{ctc.rdevs[0]:04X}", f"{ctc.rdevs[1]:04X}", ctc.fibre.name)
        for ctc in collection.links[0].device_list()
    ]


def test_ctc_moves_to_another_fibre_and_keeps_its_numbers(atlanta_boston: Collection) -> None:
    moved = edit(atlanta_boston, MoveCtc(LINK, "6000", "2"))
    assert ctcs(moved)[:2] == [("6000", "7000", "2"), ("6001", "7001", "1")]
    order = make_plan(moved.links[0]).directions[0].chpids
    assert [use.chpid for use in order] == [0x41, 0x40]


def test_edit_leaves_the_layout_that_it_is_of_as_it_was(atlanta_boston: Collection) -> None:
    edit(atlanta_boston, RemoveCtc(LINK, "6000"))
    assert atlanta_boston == load_collection("atlanta-boston")


def test_ctc_is_added_with_the_next_free_numbers(atlanta_boston: Collection) -> None:
    assert ctcs(edit(atlanta_boston, AddCtc("1")))[4] == ("6004", "7004", "1")


def test_ctc_is_added_with_numbers_that_are_given(atlanta_boston: Collection) -> None:
    assert ctcs(edit(atlanta_boston, AddCtc("2", ("5FFF", "7fff"))))[0] == ("5FFF", "7FFF", "2")


def test_numbers_are_taken_from_the_beginning_when_none_follow(atlanta_boston: Collection) -> None:
    last = edit(atlanta_boston, RenumberCtc(LINK, "6003", ("FFFF", "7003")))
    assert ctcs(edit(last, AddCtc("1")))[0] == ("0000", "7004", "1")


def test_fibre_goes_with_its_last_ctc(atlanta_boston: Collection) -> None:
    left = atlanta_boston
    for rdev in ("6000", "6001", "6002", "6003"):
        left = edit(left, RemoveCtc(LINK, rdev))
    assert [fibre.name for fibre in left.links[0].fibres] == ["2"]


def test_last_ctc_of_a_link_stays() -> None:
    with pytest.raises(ConfigurationError, match="is the last CTC of CLIENT-SERVER"):
        edit(load_collection("published-1"), RemoveCtc("CLIENT-SERVER", "6000"))


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        (None, [("6000", "7000", "2"), ("6020", "7020", "1")]),
        ("ATLANTA", [("6000", "7020", "2"), ("6020", "7000", "1")]),
        ("BOSTON", [("6000", "7020", "1"), ("6020", "7000", "2")]),
    ],
)
def test_ctcs_swap_device_numbers(
    atlanta_boston: Collection, node: str | None, expected: list[tuple[str, str, str]]
) -> None:
    swapped = ctcs(edit(atlanta_boston, SwapRdevs(LINK, "6000", "6020", node)))
    assert [swapped[0], swapped[4]] == expected


def test_fibre_gets_another_feature_speed_and_length(atlanta_boston: Collection) -> None:
    changed = edit(atlanta_boston, SetFibre("1", "FICON Express8S", None, 12.5)).links[0].fibres[0]
    assert (changed.profile.feature, changed.profile.link_gbps) == ("FICON Express8S", 8)
    assert changed.km == 12.5
    slower = edit(atlanta_boston, SetFibre("1", "FICON Express8S", 4)).links[0].fibres[0]
    assert slower.profile.link_gbps == 4
    assert slower.km == 0


def test_fibres_on_one_channel_get_one_feature() -> None:
    cluster = load_collection("two-cecs")
    name = cluster.links[0].fibres[0].name
    changed = edit(cluster, SetFibre(name, "FICON Express16S"))
    same = [
        fibre.name
        for link in changed.links
        for fibre in link.fibres
        if fibre.profile.feature == "FICON Express16S"
    ]
    assert name in same
    assert len(same) > 1


def test_link_gets_one_more_fibre_with_a_ctc(atlanta_boston: Collection) -> None:
    grown = edit(atlanta_boston, AddFibre(LINK, ("42", "52"), "FICON Express2")).links[0]
    assert grown.fibres[2].chpids == (0x42, 0x52)
    assert [f"{ctc.rdevs[0]:04X}" for ctc in grown.ctcs if ctc.fibre == grown.fibres[2]] == ["6024"]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (MoveCtc(LINK, "6009", "2"), "ATLANTA has no CTC 6009"),
        (MoveCtc(LINK, "6000", "7"), r"there is no \[fibre.7\] of ATLANTA-BOSTON; expected 1, 2"),
        (MoveCtc("A-B", "6000", "1"), "no such link; expected ATLANTA-BOSTON"),
        (MoveCtc(LINK, "xyz", "1"), "is not a device number"),
        (AddCtc("9"), r"there is no \[fibre.9\]"),
        (AddCtc("1", ("6000", "7009")), "6000 at ATLANTA is "),
        (SetFibre("1", "FICON Express9"), "is not a FICON feature"),
        (SetFibre("1", "FICON Express2", 8), "runs at 2 Gb/s at most"),
        (SetFibre("5", "FICON Express2"), r"there is no \[fibre.5\]"),
        (AddFibre(LINK, ("40", "50"), "FICON Express2"), "joins the chpids of"),
        (AddFibre(LINK, ("4G", "50"), "FICON Express2"), "is not a chpid"),
        (SwapRdevs(LINK, "6000", "6020", "CHICAGO"), "expected ATLANTA or BOSTON"),
    ],
)
def test_what_cannot_be_is_refused(atlanta_boston: Collection, wrong: Edit, complaint: str) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        edit(atlanta_boston, wrong)


def test_link_has_sixteen_ctcs_at_most() -> None:
    with pytest.raises(ConfigurationError, match="expected at most 16"):
        edit(load_collection("published-16"), AddCtc("1"))


def test_length_of_a_far_path_is_the_path_s() -> None:
    text = """
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
    far = parse_collection(text)
    with pytest.raises(ConfigurationError, match="its length is that of path far, 10 km"):
        edit(far, SetFibre("1", "FICON Express8S", None, 20))
    assert edit(far, SetFibre("1", "FICON Express16S", None, 10)).links[0].fibres[0].km == 10


def test_edits_are_read_from_json_objects() -> None:
    record = {"do": "add", "fibre": "1", "rdevs": ["6004", "7004"]}
    assert read_edit(record) == AddCtc("1", ("6004", "7004"))
    for wrong in ({"do": "burn"}, {"do": "add"}, {"do": "add", "fibre": "1", "x": 1}, 7):
        with pytest.raises(ConfigurationError, match="edit: "):
            read_edit(wrong)


def test_what_is_lost_leaves_the_rest(atlanta_boston: Collection) -> None:
    left = without(atlanta_boston, frozenset({"1"}))
    assert [ctc[2] for ctc in ctcs(left)] == ["2"] * 4
    with pytest.raises(ConfigurationError, match="no CTC is left"):
        without(atlanta_boston, frozenset({"1", "2"}))


def test_fibre_that_is_not_there_cannot_be_lost(atlanta_boston: Collection) -> None:
    # it was a loss that costs nothing
    with pytest.raises(ConfigurationError, match=r"no \[fibre.40\]; expected one of 1, 2"):
        without(atlanta_boston, frozenset({"1", "40"}))


def test_cluster_is_whole_without_any_one_of_its_fibres() -> None:
    cluster = load_collection("two-cecs")
    for link in cluster.links:
        for fibre in link.fibres:
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


def down_the_list(collection: Collection) -> list[str]:
    return [
        f"{ctc.rdevs[0]:04X} {ctc.rdevs[1]:04X} {ctc.fibre.name}"
        for ctc in collection.links[0].device_list()
    ]


@pytest.fixture
def crowded() -> Collection:
    return parse_collection(CROWDED, "crowded")


def test_others_of_a_crowded_chpid_are_moved_with_their_numbers(crowded: Collection) -> None:
    moved = down_the_list(edit(crowded, TakeAdvice(CROWDED_LINK, "chpid-crowded", 1)))
    kept = [f"{number} 1" for number in ("5020 5010", "5021 5011", "5022 5012", "5023 5013")]
    assert moved == [*kept, "5024 5014 2", "5025 5015 2", "6020 6010 2"]


def test_others_of_a_crowded_chpid_are_left_out(crowded: Collection) -> None:
    assert down_the_list(edit(crowded, TakeAdvice(CROWDED_LINK, "chpid-crowded", 0))) == [
        "5020 5010 1", "5021 5011 1", "5022 5012 1", "5023 5013 1", "6020 6010 2",
    ]  # fmt: skip


def test_single_ctc_gets_three_more_with_the_next_numbers() -> None:
    single = load_collection("published-1")
    four = edit(single, TakeAdvice("CLIENT-SERVER", "single-ctc"))
    assert down_the_list(four) == ["6000 6000 1", "6001 6001 1", "6002 6002 1", "6003 6003 1"]


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
    for rule in RULES:
        for way, _ in enumerate(ways_of(rule.id)):
            down = ways_of(rule.id)[way].change([c.fibre for c in link.links[0].device_list()])
            if down is not None:
                changed = edit(link, TakeAdvice(CROWDED_LINK, rule.id, way)).links[0].device_list()
                assert [ctc.fibre for ctc in changed] == [*down]


@pytest.mark.parametrize("name", shipped_layouts())
def test_every_advice_makes_the_list_that_is_tried(name: str) -> None:
    whole = load_collection(name)
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
def test_advice_that_is_none_is_refused(
    crowded: Collection, change: dict[str, object], complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        edit(crowded, read_edit({"do": "advise", "link": CROWDED_LINK, **change}))
