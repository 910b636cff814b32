"""The ceilings above a channel: nothing is made, nothing exceeds its level."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.io.bandwidth import FANOUT, INTERCONNECT, Ceiling, DataRates, carry

RATES = st.floats(0, 4000)
CHANNELS = st.lists(st.builds(DataRates, RATES, RATES), max_size=32)


@given(CHANNELS)
def test_what_gets_through_is_no_more_than_was_sent_and_keeps_every_ceiling(
    channels: list[DataRates],
) -> None:
    carried = carry(channels)
    assert carried.read_mb_per_s <= sum(flow.read_mb_per_s for flow in channels) * (1 + 1e-12)
    assert carried.write_mb_per_s <= sum(flow.write_mb_per_s for flow in channels) * (1 + 1e-12)
    assert FANOUT.use(carried) <= 1 + 1e-12


@given(st.integers(1, 32), RATES, RATES)
def test_equal_channels_get_more_together_until_a_ceiling_is_met(
    count: int, read: float, write: float
) -> None:
    one = DataRates(read, write)
    few, many = carry([one] * (count - 1)), carry([one] * count)
    assert many.mb_per_s >= few.mb_per_s * (1 - 1e-12)
    if INTERCONNECT.use(one.scaled(16)) < 1 and FANOUT.use(one.scaled(count)) < 1:
        assert many.mb_per_s == pytest.approx(one.mb_per_s * count)


def test_a_full_direction_holds_back_the_whole_mix() -> None:
    level = Ceiling("level", one_way_mb_per_s=100, mb_per_s=150)
    assert level.carry([DataRates(200, 20)]) == DataRates(100, 10)
    assert level.carry([DataRates(100, 100)]) == DataRates(75, 75)
    assert level.carry([DataRates(60, 40), DataRates(10, 10)]) == DataRates(70, 50)
