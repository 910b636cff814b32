"""A collection that a program makes is what its file is read as, or the error of that file."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

import isfc
from isfc.layout.catalogue import given_collection
from isfc.layout.parts import Cec, ChannelEnd, LinkTraffic, Memory, OtherCtcs, OtherLink
from isfc.link.scan import CTCS_MAX

AB = isfc.new("ALPHA,BETA", "40:50", ctcs=2)
AG = isfc.new("ALPHA,GAMMA", "41:60", ctcs=2, rdevs="7000")
SHARING = isfc.new("ALPHA,GAMMA", "40:60", ctcs=2, rdevs="7000")
GAMMA = AG.nodes[1]
CHPID = AB.fibres[0].chpids[0]


def read_again(collection: isfc.Collection) -> isfc.Collection:
    return isfc.parse_links(isfc.format_collection(collection))


@pytest.mark.parametrize("links", [(AB, AG), (AG, AB), (AB, SHARING), (AB,)])
def test_collection_made_by_a_program_is_what_its_file_is(links: tuple[isfc.Layout, ...]) -> None:
    made = isfc.Collection(links)
    assert read_again(made) == made


@pytest.mark.parametrize("name", isfc.shipped_layouts())
def test_collection_of_the_links_of_a_file_is_that_of_the_file(name: str) -> None:
    read = given_collection(name)
    assert read_again(replace(read, whole=False)) == replace(read, whole=False) == read


def test_fibre_names_of_two_links_are_two() -> None:
    made = isfc.Collection((AB, AG))
    assert [fibre.name for link in made.links for fibre in link.fibres] == ["1", "2"]
    assert [link.name for link in isfc.without(made, ["1"]).links] == ["ALPHA-GAMMA"]
    assert isfc.pieces(made)["ALPHA:41"] == ["2"]


def test_links_on_one_chpid_share_it() -> None:
    made = isfc.Collection((AB, SHARING))
    assert isfc.pieces(made)["ALPHA:40"] == ["1", "2"]
    assert [link.fibres[0].channels[0] for link in made.links] == ["ALPHA 40"] * 2


@pytest.mark.parametrize(
    ("links", "given", "message"),
    [
        ((), {}, "^links: none; expected one or more$"),
        ([1], {}, r"^Collection\(links=\[1\]\): expected a tuple of a L"),
        ((AB, AB), {}, "^ALPHA and BETA are joined already; expected one l"),
        ((AB, replace(AG, ctcs=(structs.replace(AG.ctcs[0], rdevs=AB.ctcs[0].rdevs),))), {},
         "^6000 at ALPHA is already in ALPHA-BETA; expected it once$"),
        ((replace(AB, ctcs=AB.ctcs * 2),), {},
         "^6000 at ALPHA is twice in ALPHA-BETA; expected it once$"),
        ((replace(AB, ctcs=AB.ctcs * CTCS_MAX),), {},
         f"^ALPHA-BETA: 32 CTCs; expected 1 to {CTCS_MAX} in a logical link$"),
        ((replace(AB, fibres=(), ctcs=()),), {}, "^ALPHA-BETA: 0 CTCs; expected 1 to"),
        ((replace(AB, fibres=(*AB.fibres, *AG.fibres)),), {},
         r"^\[fibre.1\]: carries no CTC; expected a \[\[ctc\]\] that names it$"),
        ((replace(AB, fibres=()),), {},
         "^ALPHA-BETA: a CTC is on fibre '1', none of fibres; expected one of them$"),
        ((replace(AB, nodes=AB.nodes[::-1]),), {},
         "^nodes BETA, ALPHA: expected two, the lesser name first$"),
        ((AB, isfc.new("ALPHA,GAMMA", "40:60", rdevs="7000", feature="FICON Express8")), {},
         "expected the same feature and link_gbps in both$"),
        ((AB,), {"cecs": (Cec("X", (GAMMA,)),)},
         r"^\[cec.X\] systems: GAMMA has no link; expected one of ALPHA, BETA$"),
        ((AB,), {"cecs": (Cec("X", ()),)},
         r"^\[cec.X\] systems: names no system; expected one at least$"),
        ((AB,), {"cecs": (Cec("X", AB.nodes), Cec("Y", AB.nodes[:1]))},
         r"^\[cec.Y\] systems: ALPHA is already in \[cec.X\]; expected it in one CEC, and once$"),
        ((AB,), {"memory": (Memory(AB.nodes[0], 16.0),)},
         r"^\[memory.NAME\]: there is none of BETA; expected one of each system"),
        ((AB,), {"memory": tuple(Memory(node, -1.0) for node in AB.nodes)},
         r"^\[memory.ALPHA\]: free_gib -1: expected 0 to 65536$"),
        ((AB,), {"traffic": (LinkTraffic(*AB.nodes, "HL", 0),)},
         r"^\[\[traffic\]\] #1 pairs 0: expected 1 to 10000$"),
        ((AB, AG), {"traffic": (LinkTraffic(AB.nodes[1], GAMMA, "HL", 1),)},
         r"^\[\[traffic\]\] #1 to: no link joins BETA and GAMMA"),
        ((AB,), {"others": (OtherLink(AB.nodes, (OtherCtcs((), 1),)),)},
         r"^\[\[other_link\]\] #1 nodes: ALPHA and BETA have a link in this file; expected those"),
        ((AB,), {"shared_channels": ((ChannelEnd(GAMMA, CHPID),) * 2,)},
         r"^\[\[shared_channel\]\] #1 chpid: GAMMA has no link; expected one of ALPHA, BETA$"),
    ],
)  # fmt: skip
def test_what_no_file_may_say_no_program_may(
    links: Any, given: dict[str, Any], message: str
) -> None:
    with pytest.raises(isfc.ConfigurationError, match=message):
        isfc.Collection(links, **given)
