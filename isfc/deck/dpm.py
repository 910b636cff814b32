"""Partition links of a machine in DPM mode, which has no deck: as JSON of the HMC's Web Services.

``zhmc -o json partitionlink list --all`` and ``adapter list --all`` print it. A link of type
``ctc`` has ``paths``, each between two adapter ports, with pairs of endpoints: a partition and its
device numbers (published: python-zhmcclient, `Partition.attach_ctc_link`). That the first endpoint
of a pair is on ``adapter-port-uri`` is inferred. All is in one CPC, so a chpid is one channel.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from ctc.address import ChpidId, CtcError, Rdev, format_chpid, parse_chpid, parse_rdev
from ctc.features import FEATURES, ChpidProfile, find_profile
from isfc.deck.cec import with_cecs
from isfc.deck.imported import (
    Features,
    Imported,
    NamedText,
    Tell,
    nobody,
    parse_features,
    read_text,
    remembered,
)
from isfc.deck.place import shown
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked
from isfc.errors.in_words import first_listed
from isfc.layout.build import CtcChoice, SaidFibre, build_layout
from isfc.layout.checked_toml import AnyText, read_json, within
from isfc.layout.collection import Collection
from isfc.layout.sharing import only
from isfc.link.name import NodeName

_PORT: Final = re.compile(r"/(?:storage|network)-ports/\d+$")
_BUS_ID: Final = re.compile(r"(?:0\.0\.)?([0-9A-F]{4})", re.IGNORECASE)
_CARD: Final = re.compile(r"ficon-express-?(\w+)(-plus)?", re.IGNORECASE)
_NAMED_MAX: Final = 6


@dataclass(frozen=True, slots=True)
class _Adapter:
    """A FICON adapter: its chpid, and the feature that it is, if that is known."""

    chpid: ChpidId
    profile: ChpidProfile | None


@dataclass(slots=True)
class _Machine:
    """What the files say: objects by their URIs."""

    adapters: dict[str, _Adapter] = field(default_factory=dict)
    partitions: dict[str, str] = field(default_factory=dict)
    links: list[tuple[Mapping[str, Any], str]] = field(default_factory=list)
    others: int = 0
    """partition links of other types"""
    named: set[str] = field(default_factory=set)
    """names of partitions that links have"""


_FILES: Final = Argument(
    "FILE...",
    "Partition links of type ctc and adapters, as JSON of the HMC's Web Services API; - is "
    "standard input.",
)
_SYSTEMS: Final = Argument(
    "NODE=PARTITION", "The name of a system whose partition has another. May be repeated."
)


@checked
@remembered
def import_dpm(
    files: Annotated[Sequence[AnyText], _FILES],
    *,
    systems: Annotated[Sequence[str], _SYSTEMS] = (),
    feature: Features = (),
    tell: Tell = nobody,
) -> Imported:
    """Make a layout of partition links of a machine in DPM mode.

    It has no deck: 'zhmc -o json partitionlink list --all' prints its links, and 'zhmc -o json
    adapter list --all' the chpids of its adapters.

    Raises `ConfigurationError` for what cannot be read. A file is a path or a text; ``tell`` is
    told what the record keeps.
    """
    texts = [*map(read_text, files)]
    machine = _Machine()
    for each in texts:
        _read(each, machine)
    if not machine.links:
        raise ConfigurationError(
            f"{', '.join(each.file for each in texts)}: no partition link of type ctc; expected "
            "what 'zhmc -o json partitionlink list --all' prints"
        )
    names = _names(systems)
    found: dict[tuple[NodeName, NodeName], list[CtcChoice]] = {}
    features: dict[frozenset[tuple[NodeName, ChpidId]], ChpidProfile | None] = {}
    for link, where in machine.links:
        for ends, ctc, profile in _ctcs(link, where, machine, names):
            turned = ends[1].precedes(ends[0])
            nodes = ends[::-1] if turned else ends
            choice = ctc.turned() if turned else ctc
            if choice not in found.setdefault((nodes[0], nodes[1]), []):
                found[nodes[0], nodes[1]].append(choice)
            features[frozenset(zip(ends, ctc.chpids, strict=True))] = profile
    if unknown := names.keys() - machine.named:
        raise ConfigurationError(
            f"--systems {shown(min(unknown))}: no partition of that name in these files"
        )
    said = parse_features(feature)

    def of_fibre(ends: Mapping[NodeName, ChpidId]) -> SaidFibre:
        return SaidFibre(said(ends) or features.get(frozenset(ends.items())))

    links = tuple(build_layout(nodes, ctcs, of_fibre) for nodes, ctcs in found.items())
    if machine.others:
        tell(f"isfc: note: {machine.others} partition links of other types are passed over")
    together = Collection(links)
    collection = with_cecs(together, [f"CPC={','.join(together.systems)}"])
    unlike = (sorted(ends) for ends in features if len({chpid for _, chpid in ends}) > 1)
    crossed = [f"{node} {format_chpid(chpid)}" for ends in unlike for node, chpid in ends]
    if crossed:
        tell(
            "isfc: note: the first partition of a pair is taken to be on adapter-port-uri, the "
            f"second on connecting-adapter-port-uri ({first_listed(crossed, _NAMED_MAX)})"
        )
    apart = [only(collection, link) for link in links]
    return Imported.of(texts, collection, apart, (() for _ in links))


def _names(systems: Sequence[str]) -> dict[str, NodeName]:
    """The systems' names by their partitions'."""
    found: dict[str, NodeName] = {}
    for text in systems:
        node, equals, partition = text.partition("=")
        if not equals or not partition.strip():
            raise ConfigurationError(
                f"--systems {shown(text)}: expected a system and its partition, as BOSTON=prod-2"
            )
        found[partition.strip()] = NodeName(node.strip().upper())
    return found


def _read(text: NamedText, machine: _Machine) -> None:
    for record in _records(read_json(text, text.file)):
        uri = str(record.get("object-uri", ""))
        if "paths" in record or str(record.get("type")) in ("ctc", "smc-d", "hipersockets"):
            if record.get("type", "ctc") == "ctc":
                machine.links.append((record, f"{text.file}: {record.get('name') or uri}"))
            else:
                machine.others += 1
        elif record.get("channel-path-id"):
            with within(f"{text.file}: {uri}: channel-path-id"):
                chpid = parse_chpid(str(record["channel-path-id"]).removeprefix("0x"))
            card = str(record.get("detected-card-type") or "")
            machine.adapters[uri] = _Adapter(chpid, _feature(card))
        elif "/partitions/" in uri:
            machine.partitions[uri] = str(record.get("name", ""))


def _records(document: object) -> Iterator[Mapping[str, Any]]:
    """The objects of a document: it is a list of them, one, or lists by name."""
    if isinstance(document, list):
        yield from (each for each in document if isinstance(each, dict))
    elif isinstance(document, dict):
        if "object-uri" in document or "paths" in document:
            yield document
        else:
            for each in document.values():
                yield from _records(each)


def _feature(card: str) -> ChpidProfile | None:
    """The feature of a card such as ``ficon-express-16s-plus``, if it is known."""
    found = _CARD.fullmatch(card)
    if found is None:
        return None
    name = f"FICON Express{found[1].upper()}{'+' if found[2] else ''}"
    return find_profile(name) if name in FEATURES else None


def _ctcs(
    link: Mapping[str, Any], where: str, machine: _Machine, names: Mapping[str, NodeName]
) -> Iterator[tuple[tuple[NodeName, NodeName], CtcChoice, ChpidProfile | None]]:
    """The CTCs of a partition link: its two systems, chpids and numbers, and the feature."""
    for number, path in enumerate(_list(link, "paths", where), start=1):
        place = f"{where}: path {number}"
        first, second = (
            _adapter(path, key, place, machine)
            for key in ("adapter-port-uri", "connecting-adapter-port-uri")
        )
        for device in _list(path, "devices", place):
            pair = _list(device, "endpoint-pair", place)
            if len(pair) != 2:
                raise ConfigurationError(f"{place}: {len(pair)} endpoints; expected two of a pair")
            ends = tuple(_node(each, place, machine, names) for each in pair)
            numbers = [_rdevs(each, place) for each in pair]
            if len(numbers[0]) != len(numbers[1]) or ends[0] == ends[1]:
                raise ConfigurationError(
                    f"{place}: {ends[0]} has {len(numbers[0])} device numbers, {ends[1]} "
                    f"{len(numbers[1])}; expected as many for each of two partitions"
                )
            known = filter(None, (first.profile, second.profile))
            slower = min(known, key=lambda each: each.link_gbps, default=None)
            for here, there in zip(*numbers, strict=True):
                choice = CtcChoice((first.chpid, second.chpid), (here, there))
                yield (ends[0], ends[1]), choice, slower


def _list(record: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    found = record.get(key)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ConfigurationError(f"{place}: no list of {key}; expected that of a ctc link")
    return found


def _adapter(path: Mapping[str, Any], key: str, place: str, machine: _Machine) -> _Adapter:
    uri = _PORT.sub("", str(path.get(key, "")))
    if uri not in machine.adapters:
        raise ConfigurationError(
            f"{place}: no adapter {shown(uri)} with a channel-path-id; expected a file of "
            "'zhmc -o json adapter list --all' too"
        )
    return machine.adapters[uri]


def _node(
    end: Mapping[str, Any], place: str, machine: _Machine, names: Mapping[str, NodeName]
) -> NodeName:
    uri = str(end.get("partition-uri", ""))
    name = str(end.get("partition-name") or machine.partitions.get(uri) or "")
    machine.named.add(name)
    if name in names:
        return names[name]
    try:
        return NodeName(name.upper())
    except (CtcError, ConfigurationError):
        raise ConfigurationError(
            f"{place}: partition {shown(name or uri)} is no name of a system; expected --systems "
            f"NODE={name or uri}, of 1 to 8 letters and digits"
        ) from None


def _rdevs(end: Mapping[str, Any], place: str) -> list[Rdev]:
    found = end.get("device-numbers")
    if found is None and "device-number" in end:
        found = [end["device-number"]]
    if not isinstance(found, list):
        raise ConfigurationError(f"{place}: an endpoint without device-numbers; expected some")
    numbers = []
    for text in map(str, found):
        match = _BUS_ID.fullmatch(text)
        if match is None:
            raise ConfigurationError(f"{place}: device number {shown(text)}; expected one as 9000")
        numbers.append(parse_rdev(match[1]))
    return numbers
