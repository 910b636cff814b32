"""A deck or a listing that was not left as it was never gives another layout silently.

What is said of it, a notice, a remark or a device that is not paired, is then said differently, or
the deck is refused, or the layout is the intact deck's.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

from hypothesis import event, given
from hypothesis import strategies as st

from isfc.deck.active import wire
from isfc.deck.deck import choose_systems
from isfc.deck.listing import read_deck
from isfc.deck.pairing import never_paired, pair_all
from isfc.errors import ConfigurationError
from tests.decks import DECKS
from tests.properties.mutations import MUTATIONS, dates, drop_column, mutated, separators

Site = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Partitions, decks, and the ports that are given."""

SITES: Final[tuple[Site, ...]] = (
    ("ALPHA,BETA", ("cross-css.iocp",), ()),
    ("EAST,WEST", ("one-cec.iocp",), ("EAST:20=A0,EAST:21=A1,EAST:22=A2",)),
    ("EAST,WEST", ("one-cec.listing",), ("EAST:20=A0,EAST:21=A1,EAST:22=A2",)),
    ("VMA,VMB,VMC", ("three-systems.iocp",), ("VMA:50=01",)),
    (
        "ATLANTA,BOSTON",
        ("cec-a.iocp", "cec-b.iocp"),
        ("ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2",),
    ),
    ("ATLANTA,BOSTON", ("two-by-eight-a.iocp", "two-by-eight-b.iocp"), ("ATLANTA:40=BOSTON:50",)),
    ("CHICAGO,DENVER", ("mistakes.iocp",), ()),
)
TEXTS: Final = {name: (DECKS / name).read_text("utf-8") for _, names, _ in SITES for name in names}


def imported(site: Site, texts: Sequence[str]) -> tuple[Any, Any]:
    """The links of a site, each with its CTCs; and all that is said."""
    partitions, _, ports = site
    decks = [read_deck(text, f"deck {n}") for n, text in enumerate(texts)]
    pairings = pair_all(choose_systems(partitions, decks), ports)
    wired = [wire(pairing, lambda _: None, {}) for pairing in pairings]
    links = [
        (link.nodes, sorted((ctc.fibre.chpids, ctc.rdevs) for ctc in link.ctcs)) for link in wired
    ]
    said = (
        sorted((each.node, each.device.rdev, each.reason) for each in never_paired(pairings)),
        sorted(remark for each in pairings for remark in each.remarks),
        sorted(notice.text for deck in decks for notice in deck.notices),
    )
    return links, said


@st.composite
def shuffled(draw: st.DrawFn, text: str) -> str:
    """The deck with one card, or two, not where it was."""
    cards = text.split("\n")
    at = draw(st.integers(0, len(cards) - 1))
    match draw(st.sampled_from(["drop", "swap", "right", "left", "double"])):
        case "drop":
            del cards[at]
        case "swap":
            other = draw(st.integers(0, len(cards) - 1))
            cards[at], cards[other] = cards[other], cards[at]
        case "right":
            cards[at] = " " * draw(st.integers(1, 60)) + cards[at]
        case "left":
            blanks = len(cards[at]) - len(cards[at].lstrip(" "))
            cards[at] = cards[at][draw(st.integers(0, blanks)) :]
        case _:
            cards.insert(at, cards[at])
    return "\n".join(cards)


# other dates and marks of thousands make other numbers of a deck, as does a column that is gone
BY_MAIL: Final = tuple(each for each in MUTATIONS if each not in (dates, separators, drop_column))


def check(site: Site, data: st.DataObject, change: Callable[[str], st.SearchStrategy[str]]) -> None:
    """The layout of changed decks is the intact ones', or something else is said."""
    texts = [TEXTS[name] for name in site[1]]
    intact = imported(site, texts)
    which = data.draw(st.integers(0, len(texts) - 1))
    texts[which] = data.draw(change(texts[which]))
    try:
        links, said = imported(site, texts)
    except ConfigurationError:
        event("refused")
        return
    event("the same" if links == intact[0] else "said")
    assert links == intact[0] or said != intact[1]


@given(st.sampled_from(SITES), st.data())
def test_a_deck_with_cards_elsewhere_never_gives_another_layout_silently(
    site: Site, data: st.DataObject
) -> None:
    check(site, data, shuffled)


@given(st.sampled_from(SITES), st.data())
def test_a_deck_that_mail_changed_never_gives_another_layout_silently(
    site: Site, data: st.DataObject
) -> None:
    check(site, data, lambda text: mutated(text, BY_MAIL).map(lambda changed: changed[0]))
