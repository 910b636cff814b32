"""A comma, a blank or a mark that a continued statement lost never gives another layout silently.

Every single one of them is taken out of the configurations and decks here, and one is put where
there was none: the layout is the same, or the statement is refused, or something else is said.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from isfc.deck.activation import parse_activations
from isfc.deck.active import choose_from
from isfc.errors import ConfigurationError
from isfc.layout.file import parse_collection
from tests.properties.test_mutated_decks import SITES, TEXTS, Site, imported

LAYOUT: Final = parse_collection(
    """\
[fibre.1]
feature = "FICON Express8S"
chpid = { VMA = "40", VMB = "50" }
[[ctc]]
fibre = "1"
rdevs = { VMA = "5000-5007", VMB = "5000-5007" }
[[ctc]]
fibre = "1"
rdevs = { VMA = "6020-6023", VMB = "7020-7023" }
""",
    "layout",
)
CONFIGURATIONS: Final = (
    """\
VMA: ACTIVATE ISLINK 5000 5001,
                     5002, 5003,  /* two */
      /* more */

                     NODE VMB
VMB: ACTIVATE ISLINK 5000 5001 ,   /* first */
   5002, 5003,
   NODE, VMA
""",
    """\
EQUATE PAIR VMA,
       VMB
EQUATE SOUTH, VMA
PAIR: ACTIVATE ISLINK 5000, 5001,
 5002 BUFFERS 8
SOUTH: BEGIN
 CP_OWNED SLOT 1 M01RES
 ACTIVATE ISLINK,
   6020
SOUTH: END
VMB: BEGIN
ACTIVATE ISLINK 7020 /* a */
VMB: END
PAIR: ACTIVATE ISLINK 5004-5007
VMA VMB: DEACTIVE ISLINK 5007,
  5006
SOUTH: DEACTIVE ISLINK ALL,
  NODE SERVER
System_Identifier * * VMA
""",
    """\
SSI CLUSTER1 PDR_VOLUME VMCOM1,
  SLOT 1 VMA,
  SLOT 2 VMB
VMA: ,
ACTIVATE,
ISLINK,
5000,
5001,
NODE,
VMB
VMB: ACTIVATE ISLINK 5000,
5001 /* last,
of all */
/* end */
""",
)


def chosen(text: str) -> tuple[Any, Any]:
    """The CTCs that are kept, and what is said."""
    kept, remarks = choose_from(LAYOUT, parse_activations(text, "config"))
    said = {re.sub(r"config:\d+:\d+", "", remark) for remark in remarks}
    return {ctc.rdevs for link in kept.links for ctc in link.ctcs}, said


def less(text: str, lost: str) -> Iterator[str]:
    """The text without each of what is ``lost``, in turn, and with a comma at each line's end."""
    for found in re.finditer(lost, text):
        yield text[: found.start()] + text[found.end() :]
        for other in {"\n": " ", " ": "\n"}.get(found[0][0], ""):
            yield text[: found.start()] + other + text[found.end() :]
    for end in re.finditer(r"(?<=[^\s,])(?=\n)", text):
        yield f"{text[: end.start()]},{text[end.start() :]}"


def refusals(texts: Iterator[str], read: Callable[[str], tuple[Any, Any]], text: str) -> list[str]:
    """How the texts are refused that are; the others are read as ``text``, or something is said."""
    intact = read(text)
    found = []
    for changed in texts:
        try:
            kept, said = read(changed)
        except ConfigurationError as error:
            found.append(str(error))
        else:
            assert kept == intact[0] or said != intact[1], changed
    return found


@pytest.mark.parametrize("text", CONFIGURATIONS, ids=["two", "blocks", "lines"])
def test_a_configuration_that_lost_one_sign_is_the_same_or_refused(text: str) -> None:
    lost = r",|:|/\*|\*/|\n| +|\b(?:BEGIN|END|NODE|ACTIVATE|ISLINK|EQUATE)\b"
    found = refusals(less(text, lost), chosen, text)
    assert len(found) > 20
    assert all(re.search(r"^ *config:\d+:\d+: ", each, re.MULTILINE) for each in found)


def continued(text: str) -> Iterator[str]:
    """A deck with one comma, mark or run of blanks less in a card that goes on, or goes on itself.

    A comma and its mark are lost together, too, and a mark is put on a card that ends a statement.
    """
    cards = text.split("\n")
    for at, card in enumerate(cards):
        body = card[:71].rstrip()
        if not body or card.startswith("*"):
            continue
        changed = {
            card[: found.start()] + card[found.end() :]
            for found in re.finditer(r",|(?<=\S) +", card)
        }
        changed |= {
            card[:71],
            body.removesuffix(","),
            f"{body},",
            body.removesuffix(",").ljust(71) + "X",
        }
        for each in changed - {card}:
            yield "\n".join((*cards[:at], each, *cards[at + 1 :]))


@pytest.mark.parametrize(
    "site",
    [
        site
        for site in SITES
        if site[1][0] in ("cross-css.iocp", "three-systems.iocp", "cec-a.iocp")
    ],
    ids=lambda site: site[1][0],
)
def test_a_deck_that_lost_one_sign_gives_the_same_or_says_so(site: Site) -> None:
    text, *others = (TEXTS[name] for name in site[1])
    assert len(refusals(continued(text), lambda deck: imported(site, [deck, *others]), text)) > 50
