"""Layout files, written: what is read from them again."""

from hypothesis import assume, given
from hypothesis import strategies as st

from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import Layout
from isfc.layout.write import format_collection, format_layout, format_rdevs
from isfc.testing.strategies import layouts


@given(layouts())
def test_what_is_written_reads_as_the_same_layout(layout: Layout) -> None:
    text = format_layout(layout, heading=["any \n remark"])
    assert parse_layout(text.encode(), "written") == layout.in_order()


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


@given(st.lists(layouts(), min_size=1, max_size=4))
def test_several_links_are_one_file(drawn: list[Layout]) -> None:
    links = {link.nodes: link for link in drawn}
    systems = [node for nodes in links for node in nodes]
    assume(len(set(systems)) == len(systems))  # two links may not number one device alike
    read = parse_collection(format_collection(Collection(tuple(links.values())))).links
    assert {link.nodes for link in read} == set(links)
    for link in read:
        original = links[link.nodes].in_order()
        assert [ctc.rdevs for ctc in link.ctcs] == [ctc.rdevs for ctc in original.ctcs]
        assert [f.chpids for f in link.fibres] == [f.chpids for f in original.fibres]
        assert [f.profile for f in link.fibres] == [f.profile for f in original.fibres]
        assert [f.km for f in link.fibres] == [f.km for f in original.fibres]
    names = [fibre.name for link in read for fibre in link.fibres]
    assert len(set(names)) == len(names)


def test_an_explained_file_says_what_each_line_is_once() -> None:
    text = format_layout(load_layout("published-12"), explained=True)
    assert parse_layout(text) == load_layout("published-12")
    assert text.count("# ") == 5


def test_runs_of_device_numbers_are_ranges() -> None:
    rdevs = load_layout("atlanta-boston").devices(load_layout("atlanta-boston").nodes[0])
    assert format_rdevs(device.rdev for device in rdevs) == "6000-6003,6020-6023"
    assert format_rdevs(device.rdev for device in rdevs[::-3]) == "6023,6020,6001"
