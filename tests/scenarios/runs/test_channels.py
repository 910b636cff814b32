"""How busy a channel is: CTCs and disks together never more than all of the time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.channel import NOTHING, ChannelUse
from scenarios.runs.channels import ChannelBusy

shares = st.floats(0.0, 1.0)


@given(shares, shares)
def test_disks_get_what_ctcs_leave_or_half_and_nothing_is_busier_than_full(
    wanted: float, carried: float
) -> None:
    # what CTCs carry beside disks is at most what these leave them: `Chpid` sees to that
    ctcs = min(carried, 1.0 - min(0.5, wanted))
    busy = ChannelBusy(ctcs, ctcs, ctcs, ctcs).with_disks(ChannelUse(wanted, wanted, wanted))
    assert busy.greatest == pytest.approx(ctcs + min(wanted, max(0.5, 1.0 - ctcs)))
    assert busy.greatest <= 1.0 + 1e-9


def test_a_channel_is_as_busy_as_its_busiest_resource() -> None:
    busy = ChannelBusy(starts=0.5, data=0.75, line_out=0.2, line_in=0.1)
    assert (busy.greatest, busy.with_disks(NOTHING)) == (0.75, busy)
    assert busy.use == ChannelUse(1.25, 0.2, 0.1)
