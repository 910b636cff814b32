"""How much of what is wanted gets through below a ceiling."""

from hypothesis import given
from hypothesis import strategies as st

from isfc.io.machine import FANOUT, Ceiling, DataRates

RATES = st.floats(0, 1e5)


@given(RATES, RATES)
def test_no_more_gets_through_than_a_ceiling_and_all_where_there_is_room(
    read: float, write: float
) -> None:
    wanted = DataRates(read, write)
    reads, writes = FANOUT.slowness(wanted)
    assert FANOUT.use(DataRates(read / reads, write / writes)) <= 1 + 1e-12
    assert (max(reads, writes) > 1) == (FANOUT.use(wanted) > 1)


def test_a_full_direction_is_slowed_by_itself_and_then_both_alike() -> None:
    level = Ceiling("level", one_way_mb_per_s=100, mb_per_s=150)
    assert level.slowness(DataRates(200, 20)) == (2, 1)
    assert level.slowness(DataRates(100, 100)) == (200 / 150, 200 / 150)
    assert level.slowness(DataRates(70, 50)) == (1, 1)
