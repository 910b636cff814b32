"""Advice carried out on a file: the list that the rule's trial runs, with device numbers."""

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection, shipped_layouts
from isfc.layout.collection import Collection
from isfc.layout.edit import TakeAdvice, edit, read_edit
from isfc.layout.file import parse_collection
from isfc.layout.plan import RULES, make_plan, ways_of

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
LINK = "VMA-VMB"


def ctcs(collection: Collection) -> list[str]:
    return [
        f"{ctc.rdevs[0]:04X} {ctc.rdevs[1]:04X} {ctc.fibre.name}"
        for ctc in collection.links[0].device_list()
    ]


@pytest.fixture
def crowded() -> Collection:
    return parse_collection(CROWDED, "crowded")


def test_others_of_a_crowded_chpid_are_moved_with_their_numbers(crowded: Collection) -> None:
    moved = ctcs(edit(crowded, TakeAdvice(LINK, "chpid-crowded", 1)))
    kept = [f"{number} 1" for number in ("5020 5010", "5021 5011", "5022 5012", "5023 5013")]
    assert moved == [*kept, "5024 5014 2", "5025 5015 2", "6020 6010 2"]


def test_others_of_a_crowded_chpid_are_left_out(crowded: Collection) -> None:
    assert ctcs(edit(crowded, TakeAdvice(LINK, "chpid-crowded", 0))) == [
        "5020 5010 1", "5021 5011 1", "5022 5012 1", "5023 5013 1", "6020 6010 2",
    ]  # fmt: skip


def test_single_ctc_gets_three_more_with_the_next_numbers() -> None:
    single = load_collection("published-1")
    four = edit(single, TakeAdvice("CLIENT-SERVER", "single-ctc"))
    assert ctcs(four) == ["6000 6000 1", "6001 6001 1", "6002 6002 1", "6003 6003 1"]


def test_ctcs_without_room_go_to_a_new_fibre_on_the_next_chpids() -> None:
    text = CROWDED.replace('"6020"', '"6020-6023"').replace('"6010"', '"6010-6013"')
    moved = edit(parse_collection(text, "crowded"), TakeAdvice(LINK, "chpid-crowded", 1))
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
                changed = edit(link, TakeAdvice(LINK, rule.id, way)).links[0].device_list()
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
        edit(crowded, read_edit({"do": "advise", "link": LINK, **change}))
