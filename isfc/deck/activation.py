"""ACTIVATE and DEACTIVE ISLINK, from a SYSTEM CONFIG file or a console: which devices are meant.

Everything else in the file is passed over. The operands are published (z/VM 7.3, ACTIVATE ISLINK);
general knowledge is what SYSTEM CONFIG adds: ``/* comments */``, a comma at the end of a line that
goes on, and ``NODE:`` or ``NODE: BEGIN`` to ``NODE: END`` for statements of one system.
"""

import re
from collections.abc import Collection as AnyOf
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ctc.address import Rdev, format_rdev, parse_rdevs
from ctc.errors import CtcError
from isfc.cp.words import ALL, BUFFERS, NODE, matches
from isfc.deck.place import Place, lines_of, shown
from isfc.errors import ConfigurationError
from isfc.layout.layout import Collection, Layout
from isfc.link.name import NodeName
from isfc.link.schedule import CTCS_MAX

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_QUALIFIER: Final = re.compile(r"\s*([A-Za-z0-9$#@_]{1,8})\s*:(?=\s|$)", re.ASCII)
_WORD: Final = re.compile(r"[^\s,]+")
_ISLINK: Final = "ISLINK"
_VERBS: Final = {"ACTivate": True, "DEACTive": False, "DEACTIVATe": False}
"""Whether a verb puts devices into the link."""


@dataclass(frozen=True, slots=True)
class Activation:
    """One statement. ``system`` is the one it is qualified for, ``partner`` its NODE operand.

    DEACTIVE without device numbers means all of them.
    """

    active: bool
    rdevs: tuple[Rdev, ...]
    partner: NodeName | None
    system: NodeName | None
    place: Place


@dataclass(slots=True)
class Chosen:
    """By node, the devices that its statements leave active, and remarks on the others."""

    active: dict[NodeName, set[Rdev]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def parse_activations(text: str, file: str) -> tuple[Activation, ...]:
    """The statements in ``text``; raise `ConfigurationError`, with their place, for bad ones."""
    found = tuple(_statements(text, file))
    if not found:
        raise Place(file, 1).error(
            "there is no ACTIVATE ISLINK", "at least one, such as ACTIVATE ISLINK 6000 6001"
        )
    return found


def choose(
    activations: Sequence[tuple[NodeName | None, Activation]],
    devices: Mapping[NodeName, AnyOf[Rdev]],
) -> Chosen:
    """What the statements, each with the node whose file it is from, choose of ``devices``.

    A file that names no node tells by its qualifiers, by NODE, or by devices that only one node
    has. Raises `ConfigurationError` for a statement that may be either node's.
    """
    chosen = Chosen()
    for given, activation in activations:
        if given is not None and given not in devices:
            raise ConfigurationError(
                f"{given}={activation.place.file}: there is no {given} here; expected one of "
                f"{', '.join(devices)}"
            )
        if activation.system is not None and activation.system not in devices:
            chosen.remarks.append(f"{activation.place}: is of {activation.system}: passed over")
            continue
        node = activation.system or given or _node_of(activation, devices)
        if given is not None and node != given:
            continue
        if activation.partner is not None and activation.partner not in devices:
            chosen.remarks.append(
                f"{activation.place}: is for the link to {activation.partner}: passed over"
            )
            continue
        active = chosen.active.setdefault(node, set())
        if not activation.rdevs:
            active.clear()
        for rdev in activation.rdevs:
            if rdev not in devices[node]:
                chosen.remarks.append(
                    f"{activation.place}: {format_rdev(rdev)} leads from {node} to no other system "
                    "here: passed over"
                )
            elif activation.active:
                active.add(rdev)
            else:
                active.discard(rdev)
    return chosen


def choose_from(
    collection: Collection, activations: Sequence[tuple[NodeName | None, Activation]]
) -> tuple[Collection, tuple[str, ...]]:
    """``collection`` with the devices alone that the statements leave active, and remarks.

    A link of which none is left is left out. Raises `ConfigurationError` if no link is left.
    """
    ends: dict[NodeName, list[Rdev]] = {node: [] for node in collection.systems}
    for link in collection.links:
        for end, node in enumerate(link.nodes):
            ends[node] += [ctc.rdevs[end] for ctc in link.ctcs]
    chosen = choose(activations, ends)
    links = tuple(left for link in collection.links if (left := _left(link, chosen)).ctcs)
    if not links:
        pairs = ", ".join(" and ".join(link.nodes) for link in collection.links)
        raise ConfigurationError(
            f"the statements leave no CTC between {pairs}; expected at least one that both activate"
        )
    return replace(collection, links=links), tuple(chosen.remarks)


def _left(link: Layout, chosen: Chosen) -> Layout:
    """What is left of a link: the CTCs that are active at both ends."""
    ctcs = tuple(
        ctc
        for ctc in link.ctcs
        if all(
            rdev in chosen.active.get(node, (rdev,))
            for node, rdev in zip(link.nodes, ctc.rdevs, strict=True)
        )
    )
    used = {ctc.fibre.name for ctc in ctcs}
    fibres = tuple(fibre for fibre in link.fibres if fibre.name in used)
    return Layout(link.nodes, fibres, ctcs)


def _node_of(activation: Activation, devices: Mapping[NodeName, AnyOf[Rdev]]) -> NodeName:
    """The node that an unqualified statement is of, as far as it and its devices tell."""
    may = [node for node in devices if node != activation.partner]
    if len(may) > 1:
        may = [node for node in may if set(activation.rdevs) <= set(devices[node])] or may
    if len(may) != 1:
        raise activation.place.error(
            f"this may be of {' or of '.join(may)}",
            f"the node in front of the file, as in {may[0]}={activation.place.file}"
            if may
            else "another NODE",
        )
    return may[0]


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    place: Place


def _statements(text: str, file: str) -> Iterator[Activation]:
    block: NodeName | None = None
    words: list[_Word] = []
    system: NodeName | None = None
    for number, line in enumerate(lines_of(_COMMENT.sub(_blanked, text)), start=1):
        start = 0
        if not words:
            system = block
            if qualifier := _QUALIFIER.match(line):
                system, start = NodeName(qualifier[1].upper()), qualifier.end()
                rest = line[start:].strip().upper()
                if rest in ("BEGIN", "END"):
                    block = system if rest == "BEGIN" else None
                    continue
        words += [
            _Word(word[0], Place(file, number, word.start() + 1))
            for word in _WORD.finditer(line, start)
        ]
        if not line.rstrip().endswith(","):
            yield from _statement(words, system)
            words = []
    yield from _statement(words, system)


def _statement(words: Sequence[_Word], system: NodeName | None) -> Iterator[Activation]:
    """The statement in ``words``, if it is one; a console may have put words before it."""
    for index, word in enumerate(words[:-1]):
        verb = next((verb for verb in _VERBS if matches(verb, word.text.upper())), None)
        if verb is not None and words[index + 1].text.upper() == _ISLINK:
            yield _activation(_VERBS[verb], word, words[index + 2 :], system)
            return


def _activation(
    active: bool, verb: _Word, operands: Sequence[_Word], system: NodeName | None
) -> Activation:
    rdevs: dict[Rdev, None] = {}
    partner: NodeName | None = None
    rest = iter(operands)
    for word in rest:
        if matches(NODE, word.text.upper()) or matches(BUFFERS, word.text.upper()):
            value = next(rest, None)
            if value is None:
                raise word.place.error(f"{word.text.upper()} has no value", "NODE and a name")
            if matches(NODE, word.text.upper()):
                partner = _node(value)
        elif active or word.text.upper() != ALL:
            rdevs |= dict.fromkeys(_rdevs(word))
        if len(rdevs) > CTCS_MAX:
            raise word.place.error(
                f"{verb.text.upper()} ISLINK has more than {CTCS_MAX} device numbers",
                f"1 to {CTCS_MAX} of them",
            )
    if active and not rdevs:
        raise verb.place.error(
            f"{verb.text.upper()} ISLINK has no device number", f"1 to {CTCS_MAX} of them"
        )
    return Activation(active, tuple(rdevs), partner, system, verb.place)


def _node(word: _Word) -> NodeName:
    try:
        return NodeName(word.text.upper())
    except ConfigurationError:
        raise word.place.error(f"NODE {shown(word.text)}", "a name of 1 to 8 characters") from None


def _rdevs(word: _Word) -> tuple[Rdev, ...]:
    try:
        return parse_rdevs(word.text)
    except CtcError:
        raise word.place.error(
            f"ISLINK {shown(word.text)}", "a device number, NODE with a name, or the end"
        ) from None


def _blanked(comment: re.Match[str]) -> str:
    """A comment as blanks, so that what is behind it keeps its line and its column."""
    return "".join("\n" if c == "\n" else " " for c in comment[0])
