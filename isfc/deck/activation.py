"""ACTIVATE and DEACTIVE ISLINK, from a SYSTEM CONFIG file or a console: which devices are meant.

Everything else in the file is passed over. The operands are published (z/VM 7.3, ACTIVATE ISLINK);
general knowledge is what SYSTEM CONFIG adds: ``/* comments */``, a comma at the end of a line that
goes on, and ``NODE:`` or ``NODE: BEGIN`` to ``NODE: END`` for statements of some systems
(`isfc.deck.qualifier`). A statement goes on over lines that are blank but for comments.
"""

import re
from collections.abc import Collection as AnyOf
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from ctc.address import Rdev, format_rdev, parse_rdevs
from isfc.cp.words import ALL, BUFFERS, ISLINK, NODE, matches
from isfc.deck.number import to_node
from isfc.deck.operand import OperandWord
from isfc.deck.place import Place, lines_of, shown
from isfc.deck.qualifier import Nicknames, Qualifier, find_qualifier
from isfc.errors import ConfigurationError
from isfc.layout.foreign_text import refuse_iocp_report
from isfc.layout.layout import Collection, Layout
from isfc.layout.sharing import in_use
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.link.schedule import CTCS_MAX

_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_UNENDED: Final = re.compile(r"/\*(?:(?!\*/).)*\Z", re.DOTALL)
_WORD: Final = re.compile(r"[^\s,]+")
_EQUATE: Final = "EQUATE"
_IMBED: Final = "IMBED"
_VERBS: Final = {"ACTivate": True, "DEActive": False, "DEACTIVATe": False}
"""Whether a verb puts devices into the link."""
_NO_VERB: Final = re.compile(r"ISLI(?:NK?)?\b", re.IGNORECASE)
_VERB: Final = re.compile(r"ACTIVATE|DEACTIVE|DEACTIVATE", re.IGNORECASE)
_DEVICE: Final = re.compile(r"[0-9A-F]{4}(?:-[0-9A-F]{4})?", re.IGNORECASE)
_LOOKS: Final = re.compile(
    r"#?(?:CP)?Q(?:U|UE|UER|UERY)?|IND(?:I|IC|ICA|ICAT|ICATE)?", re.IGNORECASE
)
"""Commands that show ISLINK, and do nothing to it."""

_OPERAND: Final = "a device number, NODE with a name, or the end"


Mates = Mapping[NodeName, Mapping[Rdev, tuple[NodeName, Rdev]]]
"""By node, its devices, each with the node that it leads to and its number there."""


@dataclass(frozen=True, slots=True)
class Activation:
    """One statement. ``systems`` are those it is qualified for, ``partner`` its NODE operand.

    ``member`` is the system on which AT runs it, whosever console that is. DEACTIVE without device
    numbers means all of them.
    """

    active: bool
    rdevs: tuple[Rdev, ...]
    partner: NodeName | None
    systems: Qualifier | None
    place: Place
    member: NodeName | None = None


@dataclass(slots=True)
class Chosen:
    """By node, the devices that its statements leave active, and remarks on the others."""

    active: dict[NodeName, set[Rdev]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)


def parse_activations(text: str, file: str) -> tuple[Activation, ...]:
    """The statements in ``text``; raise `ConfigurationError`, with their place, for bad ones."""
    found = tuple(_statements(text, file))
    if not found:
        refuse_iocp_report(text, file)
        raise Place(file, 1).error(
            "there is no ACTIVATE ISLINK", "at least one, such as ACTIVATE ISLINK 6000 6001"
        )
    return found


def imbedded(text: str, file: str) -> Iterator[str]:
    """What to say of IMBED statements: the files that they name may choose devices too."""
    for line in _joined(text, file):
        if line.words and line.words[0].text.upper() == _IMBED:
            named = " ".join(word.text for word in line.words[1:])
            yield (
                f"{line.words[0].place}: IMBED {shown(named)[1:-1]} is not followed: give that "
                "file as well if it has ACTIVATE ISLINK"
            )


def choose(
    activations: Sequence[tuple[NodeName | None, Activation]],
    devices: Mates,
) -> Chosen:
    """What the statements, each with the node whose file it is from, choose of ``devices``.

    A file that names no node tells by its qualifiers, by NODE, or by devices that only one node
    has. A device is not chosen if its mate is not, or if NODE is not where it leads; remarks say
    so. Raises `ConfigurationError` for a statement that may be either node's.
    """
    chosen = Chosen()
    for given, activation in activations:
        if activation.member is not None and activation.member not in devices:
            chosen.remarks.append(
                f"{activation.place}: is run on {activation.member}, which is no system here: "
                "passed over"
            )
            continue
        if activation.member is not None:
            _apply(activation, activation.member, devices, chosen)
            continue
        if given is not None and given not in devices:
            raise ConfigurationError(
                f"{given}={activation.place.file}: there is no {given} here; expected one of "
                f"{', '.join(devices)}"
            )
        for node in _nodes_of(given, activation, devices, chosen):
            _apply(activation, node, devices, chosen)
    _tell_of_the_others(activations, devices, chosen)
    chosen.remarks += _one_ended(chosen.active, devices)
    return chosen


def _nodes_of(
    given: NodeName | None,
    activation: Activation,
    devices: Mates,
    chosen: Chosen,
) -> Sequence[NodeName]:
    """The nodes that a statement is of; a statement of none is noted."""
    if activation.systems is None:
        return [given or _node_of(activation, devices)]
    named = activation.systems.chosen(devices)
    if not named:
        chosen.remarks.append(f"{activation.place}: is of {activation.systems.text}: passed over")
    return [node for node in devices if node in named and given in (None, node)]


def _apply(
    activation: Activation,
    node: NodeName,
    devices: Mates,
    chosen: Chosen,
) -> None:
    """Do to the devices of ``node`` what a statement says."""
    if activation.partner is not None and activation.partner not in devices:
        chosen.remarks.append(
            f"{activation.place}: is for the link to {activation.partner}: passed over"
        )
        return
    active = chosen.active.setdefault(node, set())
    if not activation.rdevs:
        ends = devices[node]
        active -= {r for r in active if activation.partner in (None, ends[r][0])}
    elsewhere: dict[NodeName, list[Rdev]] = {}
    for rdev in activation.rdevs:
        far = devices[node][rdev][0] if rdev in devices[node] else None
        if far is not None and activation.partner not in (None, far):
            elsewhere.setdefault(far, []).append(rdev)
        elif far is None:
            chosen.remarks.append(
                f"{activation.place}: {format_rdev(rdev)} leads from {node} to no other system "
                "here: passed over"
            )
        elif activation.active:
            active.add(rdev)
        else:
            active.discard(rdev)
    chosen.remarks += [
        f"{activation.place}: {format_rdevs(rdevs)} {_leads(rdevs)} from {node} to {far}, not to "
        f"{activation.partner}: passed over"
        for far, rdevs in elsewhere.items()
    ]


def _one_ended(active: Mapping[NodeName, AnyOf[Rdev]], devices: Mates) -> Iterator[str]:
    """What to say of devices that are activated at one end alone, for each node and partner."""
    for node, chosen in active.items():
        alone: dict[NodeName, list[Rdev]] = {}
        for rdev in sorted(chosen):
            far, mate = devices[node][rdev]
            if far in active and mate not in active[far]:
                alone.setdefault(far, []).append(rdev)
        for far, rdevs in alone.items():
            mates = format_rdevs(devices[node][rdev][1] for rdev in rdevs)
            yield (
                f"{node}: {format_rdevs(rdevs)} {_leads(rdevs)} to {mates} at {far}, which no "
                "statement activates: left out"
            )


def _leads(rdevs: Sequence[Rdev]) -> str:
    return "leads" if len(rdevs) == 1 else "lead"


def _tell_of_the_others(
    activations: Sequence[tuple[NodeName | None, Activation]],
    devices: Mates,
    chosen: Chosen,
) -> None:
    """Say which nodes keep all devices.

    Raises `ConfigurationError` if all do, for a name that is not known.
    """
    undefined = [
        each
        for _, each in activations
        if each.systems is not None and not each.systems.chosen(devices)
    ]
    if undefined and not chosen.active:
        first = undefined[0]
        assert first.systems is not None, "it is qualified"
        raise first.place.error(
            f"{first.systems.text} is no system here, and no EQUATE statement of this file says "
            "which systems it stands for, so that the statements choose nothing",
            f"{' or '.join(devices)}, or the EQUATE statement",
        )
    for node in devices:
        if activations and node not in chosen.active:
            chosen.remarks.append(f"{node}: no statement is of it: it keeps all its devices")


def choose_from(
    collection: Collection, activations: Sequence[tuple[NodeName | None, Activation]]
) -> tuple[Collection, tuple[str, ...]]:
    """``collection`` with the devices alone that the statements leave active, and remarks.

    A link of which none is left is left out. Raises `ConfigurationError` if no link is left.
    """
    pairs = [(link.nodes, ctc.rdevs) for link in collection.links for ctc in link.ctcs]
    chosen = choose(activations, mates_of(collection.systems, pairs))
    links = tuple(left for link in collection.links if (left := _left(link, chosen)).ctcs)
    if not links:
        nodes = ", ".join(" and ".join(link.nodes) for link in collection.links)
        raise ConfigurationError(
            f"the statements leave no CTC between {nodes}; expected at least one that both activate"
            + "".join(f"\n  {remark}" for remark in chosen.remarks)
        )
    left_out = {link.nodes for link in collection.links} - {link.nodes for link in links}
    chosen.remarks += [
        f"{link.name}: the statements leave no CTC of it: left out, with its traffic"
        for link in collection.links
        if link.nodes in left_out
    ]
    return in_use(replace(collection, links=links)), tuple(chosen.remarks)


def mates_of(
    nodes: Iterable[NodeName],
    pairs: Iterable[tuple[tuple[NodeName, NodeName], tuple[Rdev, Rdev]]],
) -> Mates:
    """The devices of ``nodes``, from pairs of device numbers, each of a link of two nodes."""
    mates: dict[NodeName, dict[Rdev, tuple[NodeName, Rdev]]] = {node: {} for node in nodes}
    for (first, second), (here, there) in pairs:
        mates[first][here] = second, there
        mates[second][there] = first, here
    return mates


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
    return link.with_ctcs(ctcs)


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


@dataclass(slots=True)
class _Line:
    """A statement, of all its lines; ``qualifier`` is what stands before its colon."""

    qualifier: str | None
    words: list[OperandWord]


def _statements(text: str, file: str) -> Iterator[Activation]:
    lines = list(_joined(text, file))
    nicknames = Nicknames()
    for line in lines:
        if line.words and line.words[0].text.upper() == _EQUATE:
            nicknames.equate([word.text for word in line.words[1:]], line.words[0].place)
    is_behind_one = False
    for line in lines:
        if is_behind_one and line.words and all(_DEVICE.fullmatch(w.text) for w in line.words):
            raise line.words[0].place.error(
                f"{shown(line.words[0].text)} stands alone below a statement about links",
                "a comma at the end of the line before, if it goes on",
            )
        systems = None if line.qualifier is None else nicknames.qualifier(line.qualifier)
        found = list(_statement(line.words, systems))
        is_behind_one = bool(found) or (is_behind_one and not line.words)
        yield from found


def _joined(text: str, file: str) -> Iterator[_Line]:
    """The statements of a file, those of several lines in one, with their qualifiers."""
    _check_comments(text, file)
    block: str | None = None
    line = _Line(None, [])
    goes_on = False
    for number, card in enumerate(lines_of(_COMMENT.sub(_blanked, text)), start=1):
        if goes_on and not card.strip():
            continue
        start = 0
        if not goes_on:
            line = _Line(block, [])
            if found := find_qualifier(card):
                line.qualifier, start = found
                rest = card[start:].strip().upper()
                if rest in ("BEGIN", "END"):
                    block = line.qualifier if rest == "BEGIN" else None
                    continue
        line.words += [
            OperandWord(word[0], Place(file, number, word.start() + 1))
            for word in _WORD.finditer(card, start)
        ]
        goes_on = card.rstrip().endswith(",")
        if not goes_on:
            yield line
    if goes_on:
        yield line
        if any(_statement(line.words, None)):
            raise line.words[-1].place.error(
                "the statement ends with a comma, and the file ends", "one more line"
            )


def _check_comments(text: str, file: str) -> None:
    """Refuse a comment that does not end and has a statement about links in it."""
    found = _UNENDED.search(text)
    if found and "ISL" in found[0].upper():
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        raise Place(file, line, column).error(
            "a comment begins here and does not end, and has ISLINK in it", "*/ at its end"
        )


def _statement(words: Sequence[OperandWord], systems: Qualifier | None) -> Iterator[Activation]:
    """The statement in ``words``, if it is one; a console may have put words before it.

    Raises `ConfigurationError` for ISLINK behind no verb that is known, and for a verb with devices
    and no ISLINK: a blank or a word was lost, and what it says would be passed over.
    """
    for index, word in enumerate(words[:-1]):
        verb = next((verb for verb in _VERBS if matches(verb, word.text.upper())), None)
        if verb is not None and matches(ISLINK, words[index + 1].text.upper()):
            found = _activation(_VERBS[verb], word, words[index + 2 :], systems)
            yield replace(found, member=_member(words[:index]))
            return
    for before, word in zip((None, *words), words, strict=False):
        lost = before and _VERB.fullmatch(before.text) and _DEVICE.fullmatch(word.text)
        if lost or (_NO_VERB.search(word.text) and not (before and _LOOKS.fullmatch(before.text))):
            raise word.place.error(
                f"{shown(word.text)} is no statement or command about links",
                "ACTIVATE ISLINK or DEACTIVE ISLINK",
            )


def _member(before: Sequence[OperandWord]) -> NodeName | None:
    """The system on which AT runs the command behind these words; None without AT."""
    for at, member, cmd in zip(before, before[1:], before[2:], strict=False):
        if at.text.upper().lstrip("'\"") == "AT" and cmd.text.upper() in ("CMD", "COMMAND"):
            return member.read(to_node, "AT", "the name of a member")
    return None


def _activation(
    active: bool, verb: OperandWord, operands: Sequence[OperandWord], systems: Qualifier | None
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
                partner = value.read(to_node, "NODE", "a name of 1 to 8 characters")
        elif active or word.text.upper() != ALL:
            rdevs |= dict.fromkeys(word.read(parse_rdevs, "ISLINK", _OPERAND))
        if len(rdevs) > CTCS_MAX:
            raise word.place.error(
                f"{verb.text.upper()} ISLINK has more than {CTCS_MAX} device numbers",
                f"1 to {CTCS_MAX} of them",
            )
    if active and not rdevs:
        raise verb.place.error(
            f"{verb.text.upper()} ISLINK has no device number", f"1 to {CTCS_MAX} of them"
        )
    return Activation(active, tuple(rdevs), partner, systems, verb.place)


def _blanked(comment: re.Match[str]) -> str:
    """A comment as blanks, so that what is behind it keeps its line and its column."""
    return "".join("\n" if c == "\n" else " " for c in comment[0])
