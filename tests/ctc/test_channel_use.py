"""How CTCs and disks share a channel: half at least for who wants it, the rest to the other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.channel import FAIR_SHARE, NOTHING, ChannelUse

SHARES = st.floats(0, 1)


@given(SHARES, SHARES)
def test_each_gets_what_it_wants_or_half_and_together_there_is_enough(
    ctcs: float, disks: float
) -> None:
    left_to_ctcs = 1 - ChannelUse(processor=disks).bounded().processor
    ctcs_get = min(ctcs, left_to_ctcs)
    disks_get = min(disks, 1 - ChannelUse(processor=ctcs_get).bounded().processor)
    for gets, wants in ((ctcs_get, ctcs), (disks_get, disks)):
        assert gets >= min(wants, FAIR_SHARE)
    assert ctcs_get + disks_get <= 1 + 1e-12
    assert ctcs_get + disks_get == pytest.approx(min(1, ctcs + disks))  # nothing is left over


def test_what_goes_out_here_comes_in_there() -> None:
    here, there = ChannelUse(0.1, 0.2, 0.3), ChannelUse(0.4, 0.25, 0.15)
    assert here.across(there) == ChannelUse(0.4, 0.2, 0.3)
    assert there.across(here) == ChannelUse(0.4, 0.3, 0.2)
    assert here.across(NOTHING) == here
    assert NOTHING.across(there) == ChannelUse(0.4, 0.15, 0.25)


def test_more_than_half_holds_up_nobody_more_than_half_does() -> None:
    assert ChannelUse(0.9, 0.2, 1.0).bounded() == ChannelUse(0.5, 0.2, 0.5)
