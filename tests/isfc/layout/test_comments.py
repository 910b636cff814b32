"""Comments of a layout file stay in the file that is made from it."""

from itertools import pairwise

from isfc.layout.comments import with_comments
from isfc.layout.file import parse_collection
from isfc.layout.write import format_collection

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
