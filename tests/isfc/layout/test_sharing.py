"""Links beside those of a layout: read and written, kept while their channels are, and counted."""

import pytest

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection
from isfc.layout.collection import Collection
from isfc.layout.edit import RemoveCtc, edit
from isfc.layout.file import parse_collection
from isfc.layout.plan import find_all
from isfc.layout.sharing import LINKS_MAX, carried_by, others_on, say_others, with_others
from isfc.layout.write import format_collection

EIGHT = format_collection(given_collection("published-8"))  # CLIENT 40 and 41, SERVER 50 and 51


def layout(*tables: str) -> Collection:
    """The layout of eight CTCs with some tables of other links."""
    return parse_collection(EIGHT + "".join(f"\n[[other_link]]\n{table}\n" for table in tables))


def other(nodes: str, *ctcs: str) -> str:
    named = ", ".join(f'"{each}" = 3' for each in ctcs)
    return f"nodes = {nodes.split(',')}\nctcs = {{ {named} }}".replace("'", '"')


BOTH = layout(
    other("THIRD,SERVER", "CLIENT:40=SERVER:50", "CLIENT:41=SERVER:51"),
    other("CLIENT,FOURTH", "CLIENT:40=FOURTH:60"),
)


def test_other_links_come_back_from_the_file_that_is_written() -> None:
    assert parse_collection(format_collection(BOTH)) == BOTH
    assert [each.nodes for each in BOTH.others] == [("THIRD", "SERVER"), ("CLIENT", "FOURTH")]


@pytest.mark.parametrize(
    ("table", "place"),
    [
        (other("CLIENT,SERVER", "CLIENT:40=SERVER:50"), "nodes: CLIENT and SERVER have a link"),
        (other("THIRD,THIRD", "CLIENT:40=SERVER:50"), "nodes: expected two systems"),
        (other("THIRD", "CLIENT:40=SERVER:50"), "ctcs: expected a channel for each"),
        (other("THIRD,FOURTH"), "ctcs: expected a channel for each"),
        (other("THIRD", "CLIENT"), "ctcs: 'CLIENT'"),
        (other("THIRD", "CLIENT:XX"), "ctcs:"),
        (other("NAME-TOO-LONG", "CLIENT:40"), "nodes:"),
        ('nodes = ["THIRD"]\nctcs = { "CLIENT:40" = 0 }', "ctcs"),
    ],
)
def test_what_no_other_link_is_like_is_refused_with_its_place(table: str, place: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"layout: \[\[other_link\]\] #1 {place}"):
        layout(table)


def test_an_edit_keeps_them_as_long_as_a_chpid_of_theirs_has_ctcs() -> None:
    changed = BOTH
    (link,) = BOTH.links
    for ctc in link.ctcs:
        if ctc.fibre.name == "1":
            changed = edit(changed, RemoveCtc(link.name, ctc.rdev_names[0]))
    # chpids 40 and 50 are gone, and with them the link that is on chpid 40 alone
    assert [each.nodes for each in changed.others] == [("THIRD", "SERVER")]
    (left,) = others_on(changed, changed.links[0])
    assert [each.count for each in left.ctcs] == [3]


def test_ctcs_and_links_are_counted_once_in_a_finding() -> None:
    (link,) = BOTH.links
    (found,) = (f for f in find_all(link, (), BOTH) if f.id == "chpid-carries-others")
    assert found.text == "By the decks these chpids also carry 9 CTCs of 2 other links."
    assert say_others(BOTH.others[1:]).endswith("carry 3 CTCs of 1 other link")
    bare = layout()
    assert "chpid-carries-others" not in [f.id for f in find_all(bare.links[0], (), bare)]


def test_other_links_are_built_on_the_channels_that_they_share() -> None:
    whole = with_others(BOTH, BOTH.links[0])
    assert [(each.name, len(each.ctcs)) for each in whole.links] == [
        ("CLIENT-FOURTH", 3),
        ("CLIENT-SERVER", 8),
        ("SERVER-THIRD", 6),
    ]
    shared = {
        "=".join(map(str, channel)): [link.name for link in links]
        for channel, links in carried_by(whole).items()
        if len(links) > 1
    }
    assert shared == {
        "CLIENT 40=THIRD 40": ["CLIENT-FOURTH", "CLIENT-SERVER", "SERVER-THIRD"],
        "CLIENT 41=THIRD 41": ["CLIENT-SERVER", "SERVER-THIRD"],
        "SERVER 50": ["CLIENT-SERVER", "SERVER-THIRD"],
        "SERVER 51": ["CLIENT-SERVER", "SERVER-THIRD"],
    }
    features = {fibre.profile.feature for link in whole.links for fibre in link.fibres}
    assert features == {"FICON Express2"}


def test_a_fibre_between_the_same_channels_is_as_long_and_another_is_of_no_length() -> None:
    far = parse_collection(format_collection(BOTH).replace("chpid =", "km = 20\nchpid ="))
    lengths = {
        link.name: {fibre.km for fibre in link.fibres}
        for link in with_others(far, far.links[0]).links
    }
    assert lengths == {"CLIENT-FOURTH": {0}, "CLIENT-SERVER": {20}, "SERVER-THIRD": {20}}


def test_what_cannot_be_built_says_why() -> None:
    one_ended = layout(other("THIRD", "CLIENT:40"))
    with pytest.raises(ConfigurationError, match="1 of these links end in decks"):
        with_others(one_ended, one_ended.links[0])
    many = layout(*(other(f"N{n},SERVER", "CLIENT:40=SERVER:50") for n in range(LINKS_MAX)))
    with pytest.raises(ConfigurationError, match=f"at most {LINKS_MAX} are run"):
        with_others(many, many.links[0])
