"""Layout files, written: what is read from them again."""

from hypothesis import given

from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from isfc.layout.layout import Layout
from isfc.layout.write import format_layout, format_rdevs
from isfc.testing.strategies import layouts


@given(layouts())
def test_what_is_written_reads_as_the_same_layout(layout: Layout) -> None:
    text = format_layout(layout, heading=["any \n remark"])
    assert parse_layout(text.encode(), "written") == layout


def test_the_file_is_as_one_would_write_it() -> None:
    assert (
        format_layout(load_layout("atlanta-boston"), heading=["Two systems."])
        == """\
# Two systems.

[fibre.1]
feature = "FICON Express2"
chpid = { ATLANTA = "40", BOSTON = "50" }

[fibre.2]
feature = "FICON Express2"
chpid = { ATLANTA = "41", BOSTON = "51" }

[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000-6003", BOSTON = "7000-7003" }

[[ctc]]
fibre = "2"
rdevs = { ATLANTA = "6020-6023", BOSTON = "7020-7023" }
"""
    )


def test_runs_of_device_numbers_are_ranges() -> None:
    rdevs = load_layout("atlanta-boston").devices(load_layout("atlanta-boston").nodes[0])
    assert format_rdevs(device.rdev for device in rdevs) == "6000-6003,6020-6023"
    assert format_rdevs(device.rdev for device in rdevs[::-3]) == "6023,6020,6001"
