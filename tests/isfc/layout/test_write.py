"""Layout files, written: what is read from them again."""

from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import Layout
from isfc.layout.write import format_collection, format_layout, format_rdevs, with_comments
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


GIVEN = """\
# Change 4711, by Ann.
# Ask her first.

[fibre.1]  # the old card
feature = "FICON Express8"
chpid = { ATLANTA = "40", BOSTON = "50" }  # moved in May

# Leads to the "far # room".
[fibre."b # 2"]
feature = "FICON Express8"
chpid = { ATLANTA = "41", BOSTON = "51" }

# Two of them.
[[ctc]]
fibre = "b # 2"
rdevs = { ATLANTA = "6010-6011", BOSTON = "6010-6011" }
[[ctc]]
fibre = "1"
# from the first drawer
rdevs = { ATLANTA = "6000-6001", BOSTON = "6000-6001" }
# The end.
"""


def test_comments_stand_at_the_tables_that_they_stood_at() -> None:
    collection = parse_collection(GIVEN)
    written = with_comments(format_collection(collection), GIVEN)
    assert parse_collection(written) == collection
    lines = [line for line in written.splitlines() if line]
    assert lines[:2] == ["# Change 4711, by Ann.", "# Ask her first."]
    below = dict(pairwise(lines))
    assert (below["# the old card"], below["# moved in May"]) == ("# moved in May", "[fibre.1]")
    assert below['# Leads to the "far # room".'] == '[fibre."b # 2"]'
    for comment, fibre in (("# from the first drawer", "1"), ("# Two of them.", "b # 2")):
        assert lines[lines.index(comment) + 1 :][:2] == ["[[ctc]]", f'fibre = "{fibre}"']
    assert lines[-1] == "# The end."
    assert with_comments(format_collection(collection), written) == written


def test_comments_of_tables_that_are_gone_are_at_the_end() -> None:
    written = with_comments("[fibre.2]\n", "# Top.\n\n[fibre.1]  # old\n[fibre.2]\n")
    assert written == "# Top.\n\n[fibre.2]\n\n# old\n"
