"""Hints in comments: what a deck has no keyword for."""

import pytest

from ctc.address import ChpidId
from isfc.deck.hint import hinted_fibres, hinted_ports, read_hints
from isfc.deck.iocp import Deck, parse_deck
from isfc.deck.partition import choose_systems
from isfc.errors import ConfigurationError

DECK = """\
* an ordinary comment
*ISFC CHPID=50,FEATURE='FICON Express4',GBPS=2
*ISFC CHPID=50,PORT=C1
*ISFC CHPID=50,FIBRE='it''s one'
*ISFC CHPID=51,CABLE=LP2:61
*ISFC CHPID=52,CABLE=LP9:61
 RESOURCE PARTITION=((LP1,1),(LP2,2))
 CHPID PATH=(50,51,61),TYPE=FC
"""


def deck(text: str = DECK) -> Deck:
    return parse_deck(text, "deck")


def test_comments_tell_feature_speed_fibre_and_port() -> None:
    hints = read_hints(deck().remarks)
    assert list(hints) == [0x50, 0x51, 0x52]
    profile = hints[0x50].profile  # type: ignore[index]
    assert profile is not None
    assert (profile.feature, profile.link_gbps) == ("FICON Express4", 2)
    assert (hints[0x50].fibre, hints[0x50].port) == ("it's one", "C1")  # type: ignore[index]


def test_ports_are_those_of_the_systems_that_are_asked_for() -> None:
    systems = choose_systems("LP1,LP2", [deck()])
    assert hinted_ports(systems, []) == [
        "LP1:50=C1", "LP1:51=LP2:61", "LP2:50=C1", "LP2:51=LP2:61"
    ]  # fmt: skip
    assert "LP1:50=C1" not in hinted_ports(systems, ["lp1:50=C2,LP1:51=C3"])


def test_fibres_have_what_either_end_says() -> None:
    systems = choose_systems("LP1,LP2", [deck()])
    chpids = {systems[0].node: ChpidId(0x99), systems[1].node: ChpidId(0x50)}
    hint = hinted_fibres(systems)(chpids)
    assert hint.fibre == "it's one"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("*ISFC PORT=C1", "deck:1:7: *ISFC has no CHPID; expected CHPID=40"),
        ("*ISFC CHPID=50,PROT=C1", "deck:1:7: *ISFC PROT: no such keyword; expected one of CHPID,"),
        ("*ISFC CHPID=5G", "deck:1:13: *ISFC CHPID '5G'; expected 1 or 2 hex digits"),
        ("*ISFC CHPID=50,FEATURE=X", "deck:1:24: *ISFC FEATURE 'X'; expected a feature"),
        ("*ISFC CHPID=50,GBPS=0,FEATURE=X", "deck:1:21: *ISFC GBPS '0'; expected a number"),
    ],
)
def test_a_bad_hint_is_named_with_its_place(text: str, what: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read_hints(deck(text).remarks)
    assert str(caught.value).startswith(what)
