"""What people name as gone: which fibres go with it, and what is left without all of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.loss import losses
from isfc.layout.lost import check_pieces, lost_together, named_pieces

COLLECTION = load_collection("two-cecs")
LINKS = COLLECTION.links
NAMES = sorted({name for link in LINKS for name in named_pieces(link, COLLECTION.cecs)})


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4))
def test_what_is_left_has_no_fibre_of_what_is_gone(pieces: list[str]) -> None:
    for link in LINKS:
        known = named_pieces(link, COLLECTION.cecs)
        gone = {fibre for piece in pieces for fibre in known.get(piece, ())}
        left = lost_together(link, pieces, known).left
        kept = () if left is None else left.ctcs
        assert [ctc for ctc in link.ctcs if ctc.fibre not in gone] == [*kept]


def test_one_chpid_leaves_what_its_loss_leaves() -> None:
    layout = load_layout("published-12")
    known = named_pieces(layout)
    for loss in losses(layout):
        if loss.kind == "chpid":
            assert lost_together(layout, [loss.names[0]], known).left == loss.left
            assert lost_together(layout, [f"server:{loss.names[1]}"], known).left == loss.left


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
