"""A link over more or fewer channels than its own."""

from collections import Counter

import pytest

from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.layout.widened import CHANNELS_MAX, with_channels
from isfc.link.scan import CTCS_MAX
from isfc.testing.cluster import mesh
from tests.shipped import ONE_LINK


def test_a_layout_has_its_own_channels() -> None:
    layout = load_layout("published-12")
    assert with_channels(layout, 3).ctcs == layout.device_list()
    fewer = with_channels(layout, 2)
    assert fewer.fibres == layout.fibres[:2]
    assert fewer.ctcs == layout.device_list()[:8]


@pytest.mark.parametrize("name", ONE_LINK)
def test_channels_and_devices_are_each_there_once(name: str) -> None:
    for count in range(1, CHANNELS_MAX + 1):
        found = with_channels(load_layout(name), count)
        assert len(found.fibres) == count
        assert {ctc.fibre for ctc in found.ctcs} == {*found.fibres}
        assert len(found.ctcs) <= CTCS_MAX
        for end in (0, 1):
            assert len({ctc.rdevs[end] for ctc in found.ctcs}) == len(found.ctcs)
            assert len({fibre.chpids[end] for fibre in found.fibres}) == count


def test_a_new_channel_is_like_the_fullest_and_takes_nothing_from_others_while_there_is_room() -> (
    None
):
    layout = load_layout("published-12")
    first, second, third = layout.fibres
    uneven = layout.with_ctcs(
        tuple(
            ctc
            for ctc in layout.device_list()
            if ctc.fibre == first or ctc in (layout.device_list()[4], layout.device_list()[8])
        )
    )
    held = Counter(ctc.fibre.name for ctc in with_channels(uneven, 4).ctcs)
    assert held == {first.name: 4, second.name: 1, third.name: 1, f"{first.name}+3": 4}
    assert {*Counter(ctc.fibre for ctc in with_channels(uneven, 6).ctcs).values()} == {2, 1}


def test_new_channel_shares_nothing() -> None:
    layout = parse_collection(mesh(3, shared=True)).links[0]
    assert layout.fibres[-1].channels
    assert with_channels(layout, len(layout.fibres) + 1).fibres[-1].channels == ()
