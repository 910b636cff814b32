"""What runs in processes of its own. Layouts come as text, so that each reads what it needs."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import msgspec

import isfc
from isfc.answers.opened import saturated_limit
from isfc.cli.studio.work import Tell

SOURCE: Final = "layout"
_KEPT: Final = 16
"""Layouts that stay read: the one that is shown, the one as opened, and what undo goes back to."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: a layout as text, without the fibres that are struck out."""

    text: str
    struck: frozenset[str] = frozenset()

    def read(self) -> isfc.Collection:
        """The links. Raises `ConfigurationError` for text that is no layout."""
        return _read(self)

    def plans(self) -> dict[str, isfc.Plan]:
        """The judgement of each link by the rules, by its name."""
        return _plans(self)


class Shown(msgspec.Struct, frozen=True):
    """The layout that the page shows, the fibres struck out of it, and the one it began with."""

    text: str
    struck: list[str] = []
    opened: str = ""

    @property
    def subject(self) -> Subject:
        """It, without what is struck out."""
        return Subject(self.text, frozenset(self.struck))


def node_of(links: isfc.Collection, way: str) -> tuple[isfc.Layout, str]:
    """The link and the sending node of ``ALPHA-BETA BETA``, as the page names a direction."""
    name, _, node = way.rpartition(" ")
    return links.link(name, "link"), node


@lru_cache(_KEPT)
def _read(subject: Subject) -> isfc.Collection:
    collection = isfc.parse_links(subject.text, SOURCE)
    if not subject.struck:
        return collection
    left = isfc.without(collection, subject.struck)
    return isfc.parse_links(isfc.format_collection(left), SOURCE)


@lru_cache(_KEPT)
def _plans(subject: Subject) -> dict[str, isfc.Plan]:
    collection = subject.read()
    return {
        link.name: isfc.plan(link, collection.beside(link), collection) for link in collection.links
    }


@dataclass(frozen=True, slots=True)
class Question:
    """What one node of a link can send: saturated, and with ``pairs`` of guests."""

    subject: Subject
    link: str
    sender: str
    pairs: int


def questions(subject: Subject, pairs: int) -> list[Question]:
    """What is to be known of a layout: what each node of each link can send."""
    return [
        Question(subject, link.name, sender, pairs)
        for link in subject.read().links
        for sender in link.nodes
    ]


def ask(_: Tell, question: Question) -> isfc.ModelledRate:
    """What the model says: the figures of ``isfc plan``, and what was seen of the same runs."""
    link = question.subject.read().link(question.link)
    sender = next(node for node in link.nodes if node == question.sender)
    (carried,) = isfc.carried(link, sender, pairs=question.pairs)
    return carried


Said = tuple[str, str]
"""What is said of a link below its figures, and the same in brief for their table."""


@dataclass(frozen=True, slots=True)
class Why:
    """What limits a link over which one of its nodes sends so many MB/s (2^20), saturated."""

    subject: Subject
    link: str
    sender: str
    mb_per_s: float

    def find(self) -> Said:
        """It, in a sentence."""
        return saturated_limit(self.subject.read().link(self.link), self.sender, self.mb_per_s)


@dataclass(frozen=True, slots=True)
class Beside:
    """What a link carries while other links are busy that decks have on its chpids."""

    subject: Subject
    link: str

    def find(self) -> Said:
        """It, or why it cannot be run, as ``isfc plan`` says it; nothing without such links."""
        notes = isfc.others_busy(self.subject.read(), self.link)
        return " ".join(note.text for note in notes), ""


def asides(
    subject: Subject, pairs: int, known: Callable[[Question], isfc.ModelledRate | None]
) -> list[Why | Beside]:
    """What is to be asked of each link of which all is known: why, of its slower direction first.

    Then of each link of a file whose decks have others.
    """
    answers: dict[str, list[isfc.ModelledRate]] = defaultdict(list)
    for question in questions(subject, pairs):
        if (answer := known(question)) is not None:
            answers[question.link].append(answer)
    ways = [
        sorted(both, key=lambda each: each.saturated.value)
        for both in answers.values()
        if len(both) > 1
    ]
    whys = [
        Why(subject, each.layout.name, each.sender, each.saturated.value)
        for place in (0, 1)
        for each in (both[place] for both in ways)
    ]
    collection = subject.read()
    return [*whys, *(Beside(subject, link.name) for link in collection.links if collection.others)]


def find_said(_: Tell, asked: Why | Beside) -> Said:
    """What is said of a link below its figures."""
    return asked.find()
