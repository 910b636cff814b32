"""A link over more or fewer channels than its own."""

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


def test_new_channel_shares_nothing() -> None:
    layout = parse_collection(mesh(3, shared=True)).links[0]
    assert layout.fibres[-1].channels
    assert with_channels(layout, len(layout.fibres) + 1).fibres[-1].channels == ()
