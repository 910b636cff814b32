"""What people name as gone: which fibres go with it, and what is left without all of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import FarPath, Isl
from isfc.layout.loss import check_pieces, collection_without, link_without, losses, named_pieces

COLLECTION = load_collection("two-cecs")
LINKS = COLLECTION.links
NAMES = sorted({name for link in LINKS for name in named_pieces(link, COLLECTION.cecs)})


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_what_is_left_has_no_fibre_of_what_is_gone(pieces: list[str]) -> None:
    for link in LINKS:
        known = named_pieces(link, COLLECTION.cecs)
        gone = {fibre for piece in pieces for fibre in known.get(piece, ())}
        left = link_without(link, pieces, COLLECTION.cecs)
        kept = () if left is None else left.ctcs
        assert [ctc for ctc in link.ctcs if ctc.fibre not in gone] == [*kept]


def test_one_chpid_leaves_what_its_loss_leaves() -> None:
    layout = load_layout("published-12")
    for loss in losses(Collection.of(layout)):
        if loss.kind == "chpid":
            assert link_without(layout, [loss.names[0]]) == loss.left
            assert link_without(layout, [f"server:{loss.names[1]}"]) == loss.left


@pytest.mark.parametrize(
    ("piece", "ctcs"),
    [  # by hand: ALPHA-BETA, ALPHA-DELTA, ALPHA-GAMMA, BETA-DELTA, BETA-GAMMA, DELTA-GAMMA
        ("ALPHA:40", [4, 6, 6, 6, 6, 8]),
        ("BETA:40", [4, 6, 6, 6, 6, 8]),
        ("vary:ALPHA:40", [6, 6, 6, 8, 8, 8]),
        ("cec:EAST", [0, 0, 0, 0, 0, 8]),
        ("system:ALPHA", [0, 0, 0, 8, 8, 8]),
    ],
)
def test_a_piece_takes_the_same_of_every_link_by_any_of_its_names(
    piece: str, ctcs: list[int]
) -> None:
    lefts = [link_without(link, [piece], COLLECTION.cecs) for link in LINKS]
    assert [len(left.ctcs) if left else 0 for left in lefts] == ctcs
    whole = collection_without(COLLECTION, [piece])
    assert [len(link.ctcs) for link in whole.links] == [*filter(None, ctcs)]


def test_the_table_of_a_link_has_its_channels_as_the_table_of_all_links_has_them() -> None:
    whole = {loss.name: loss for loss in losses(COLLECTION)}
    for link in LINKS:
        for loss in losses(Collection.of(link)):
            if loss.kind != "chpid":
                continue
            left = len(loss.left.ctcs) if loss.left else 0
            assert any((link.name, left, len(link.ctcs)) in each.fewer for each in whole.values())


def test_one_of_several_inter_switch_links_leaves_the_fibres_and_less_rate() -> None:
    isl = Isl(2, 16.0, 200)
    path = FarPath("METRO", 10.0, isl)
    layout = load_layout("published-12").with_fibres(lambda fibre: replace(fibre, path=path))
    one, two = (link_without(layout, ["isl:metro"] * count) for count in (1, 2))
    assert one is not None
    assert {fibre.path and fibre.path.isl for fibre in one.fibres} == {
        structs.replace(isl, count=1)
    }
    assert len(one.ctcs) == len(layout.ctcs)
    assert two is None


def test_directors_and_cecs_have_names() -> None:
    assert any(name.startswith("director:") for name in NAMES)
    assert any(name.startswith("cec:") for name in NAMES)
    for link in LINKS:
        known = named_pieces(link, COLLECTION.cecs)
        for name, fibres in known.items():
            if name.startswith("cec:"):
                assert fibres == {*link.fibres}


def test_unknown_piece_is_told_with_those_that_there_are() -> None:
    with pytest.raises(ConfigurationError, match="there is no such piece; expected 40, 41"):
        check_pieces(["99"], ["40", "41"], "--without")
    check_pieces(["director:1 "], ["DIRECTOR:1"], "--without")
