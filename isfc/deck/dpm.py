"""Partition links of a machine in DPM mode, which has no deck: as JSON of the HMC's Web Services.

A link of type ``ctc`` has ``paths``, each between two adapter ports, with pairs of endpoints: a
partition and its device numbers. A request names the ports by ``adapter-port-uri`` and
``connecting-adapter-port-uri`` (published: python-zhmcclient, `Partition.attach_ctc_link`); what is
read back has ``-info`` with an ``adapter-uri`` in place of each ``-uri`` (published: its end-to-end
test of partition links). That the first endpoint of a pair is on the first of the two is inferred.
All is in one CPC, so a chpid is one channel.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Final

from msgspec import Struct, structs

from ctc.address import ChpidId, CtcError, Rdev, format_chpid, parse_chpid, parse_rdev
from ctc.features import FEATURES, ChpidProfile
from isfc.deck import imported
from isfc.deck.cec import with_cecs
from isfc.deck.imported import Features, Imported, NamedText, Tell, nobody, remembered
from isfc.deck.place import shown
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked
from isfc.errors.in_words import counted, first_listed, listed
from isfc.layout.build import CtcChoice, SaidFibre, build_layout
from isfc.layout.checked_toml import AnyText, read_json, within
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.machines import on_type
from isfc.layout.sharing import only
from isfc.link.name import NodeName, Nodes

_PORT: Final = re.compile(r"/(?:storage|network)-ports/\d+$")
_BUS_ID: Final = re.compile(r"(?:0\.0\.)?([0-9A-F]{4})", re.IGNORECASE)
_CARD: Final = re.compile(r"ficon-express-?(\d\w*)(-plus|-\dp)?", re.IGNORECASE)
_NAMED_MAX: Final = 6
_EXPORT: Final = "'zhmc cpc dpm-export CPC -d FILE -f json' writes"

_ASSUMED: Final = FEATURES["FICON Express32S"]
"""The feature of a card that is not known. Assumed: that of z16, whose SE, 2.16, is the first that
has partition links (published: python-zhmcclient)."""

_LINKS: Final = "/partition-links/"
_KEPT: Final = {
    "/adapters/": ("channel-path-id", "detected-card-type"),
    "/partitions/": ("name",),
    "/cpcs/": ("machine-type",),
    _LINKS: ("paths",),
}
"""What counts of an object, by what its URI holds."""


class _Adapter(Struct, frozen=True):
    """A FICON adapter: its chpid, and the type of its card, if that is said."""

    chpid: ChpidId
    card: str

    @property
    def profile(self) -> ChpidProfile | None:
        """The feature of a card such as ``ficon-express-16s-plus``, if it is known."""
        found = _CARD.fullmatch(self.card)
        if found is None:
            return None
        more = (found[2] or "").upper().replace("-PLUS", "+")
        return FEATURES.get(f"FICON Express{found[1].upper().removesuffix('G')}{more}")


_Fibres = dict[frozenset[tuple[NodeName, ChpidId]], tuple[_Adapter, _Adapter]]
"""The adapters of each fibre, by its ends."""


class _Machine(Struct):
    """What the files say, beside the systems' names by their partitions'."""

    names: Mapping[str, NodeName]
    said: dict[tuple[str, str], Any] = {}
    """of objects, by their URIs and by key"""
    links: list[tuple[Mapping[str, Any], str]] = []
    partitions: dict[NodeName, str] = {}
    """names of those that links have, by system"""
    ctcs: dict[Nodes, dict[CtcChoice, None]] = {}
    fibres: _Fibres = {}
    others: int = 0
    """partition links of other types"""
    notes: list[str] = []

    def is_new(self, uri: str, key: str, value: Any, place: str) -> bool:
        """Whether nothing was said of it; raises `ConfigurationError` if something else was."""
        known = (uri, key) in self.said
        if self.said.setdefault((uri, key), value) != value:
            raise ConfigurationError(
                f"{place}: {key} is not what it is elsewhere in these files; expected the same"
            )
        return not known

    def on_its_type(self, collection: Collection) -> Collection:
        """The collection on the machine of the CPC's type, if that is said and known."""
        types = [said for (_, key), said in self.said.items() if key == "machine-type"]
        machine = on_type(types[0]) if len({*types}) == 1 else None
        cecs = tuple(structs.replace(cec, machine=machine) for cec in collection.cecs)
        return replace(collection, cecs=cecs, whole=False)

    def all_notes(self) -> Iterator[str]:
        """What is left out, and what is inferred."""
        yield from dict.fromkeys(self.notes)
        if self.others:
            yield f"passed over: {counted(self.others, 'partition link')} of other types"
        unlike = (sorted(ends) for ends in self.fibres if len({chpid for _, chpid in ends}) > 1)
        crossed = [f"{node} {format_chpid(chpid)}" for ends in unlike for node, chpid in ends]
        if crossed:
            yield (
                "the first partition of a pair is taken to be on adapter-port, the second on "
                f"connecting-adapter-port ({first_listed(crossed, _NAMED_MAX)})"
            )


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

    It has no deck: 'zhmc cpc dpm-export CPC -d FILE -f json' writes all of it, 'zhmc -o json
    partitionlink show NAME' a link, and 'zhmc -o json adapter list CPC --all' the chpids of its
    adapters.

    Raises `ConfigurationError` for what cannot be read. A file is a path or a text; ``tell`` is
    told what the record keeps.
    """
    texts = [*map(imported.read_text, files)]
    machine = _Machine(_names(systems))
    for each in texts:
        _read(each, machine)
    for link, where in machine.links:
        _join(link, where, machine)
    sources = ", ".join(each.file for each in texts)
    if not machine.ctcs:
        what = f"no partition link of type ctc; expected what {_EXPORT}"
        if machine.notes:
            left = first_listed(machine.notes, _NAMED_MAX, "; ")
            what = f"no CTC joins two partitions; {left}; expected two attached to a link"
        raise ConfigurationError(f"{sources}: {what}")
    if unknown := machine.names.keys() - {*machine.partitions.values()}:
        raise ConfigurationError(
            f"--systems {shown(min(unknown))}: no partition of that name in these files"
        )
    said = imported.parse_features(feature)

    def of_fibre(ends: Mapping[NodeName, ChpidId]) -> SaidFibre:
        known = filter(None, (each.profile for each in machine.fibres[frozenset(ends.items())]))
        slower = min(known, key=lambda each: each.link_gbps, default=_ASSUMED)
        return SaidFibre(said(ends) or slower)

    def assumed(link: Layout) -> Iterator[str]:
        for fibre in link.fibres:
            ends = dict(zip(link.nodes, fibre.chpids, strict=True))
            for each in machine.fibres[frozenset(ends.items())]:
                if not (said(ends) or each.profile):
                    yield (
                        f"chpid {format_chpid(each.chpid)}: card type {shown(each.card)} is not "
                        f"known; {fibre.profile.feature} is assumed: --feature says otherwise"
                    )

    with within(sources):
        links = tuple(build_layout(nodes, ctcs, of_fibre) for nodes, ctcs in machine.ctcs.items())
        together = Collection(links)
        alone = with_cecs(together, [f"CPC={','.join(together.systems)}"])
        collection = machine.on_its_type(alone)
    imported.tell_notes(machine.all_notes(), tell)
    remarks = [tuple(dict.fromkeys(assumed(link))) for link in links]
    imported.tell_remarks(links, remarks, tell)
    return Imported.of(texts, collection, [only(collection, each) for each in links], remarks)


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
    try:
        document = read_json(text, text.file)
    except ConfigurationError as error:
        raise ConfigurationError(f"{error}; expected what {_EXPORT}") from None
    for record in _records(document, text.file):
        uri = _text(record, "object-uri") or _text(record, "element-uri")
        where = f"{text.file}: {_called(record)}"
        kind = next((each for each in _KEPT if each in uri), "" if uri else _LINKS)
        kept = {key: record.get(key) for key in _KEPT.get(kind, ())}
        said = {key: each for key, each in kept.items() if key == "paths" or isinstance(each, str)}
        is_new = [machine.is_new(uri, *each, where) for each in said.items() if uri and each[1]]
        if kind != _LINKS:
            continue
        if record.get("type", "ctc") in ("smc-d", "hipersockets"):
            machine.others += 1
        elif record.get("type", "ctc") != "ctc":
            raise ConfigurationError(
                f"{where}: type {shown(str(record['type']))}; expected ctc, smc-d or hipersockets"
            )
        elif is_new != [False]:
            machine.links.append((record, where))


def _records(document: object, file: str) -> Iterator[Mapping[str, Any]]:
    """The objects of a document: it is a list of them, one, or lists by name."""
    left = [document]
    while left:
        each = left.pop()
        if isinstance(each, list):
            if len({isinstance(item, dict | list) for item in each}) > 1:
                raise ConfigurationError(f"{file}: a list has objects and others; expected objects")
            left += each[::-1]
        elif isinstance(each, dict) and {"object-uri", "element-uri", "paths"} & each.keys():
            yield each
        elif isinstance(each, dict):
            left += [*each.values()][::-1]


def _text(record: Mapping[str, Any], key: str) -> str:
    """A text that an object has; empty if it has none."""
    found = record.get(key)
    return found if isinstance(found, str) else ""


def _called(record: Mapping[str, Any]) -> str:
    return shown(_text(record, "name") or _text(record, "object-uri") or "no name")[1:-1]


def _join(link: Mapping[str, Any], where: str, machine: _Machine) -> None:
    """Take the CTCs of a partition link, and what it leaves to say."""
    paths = {f"path {n}": path for n, path in enumerate(_list(link, "paths", where), start=1)}
    devices = {name: _list(path, "devices", f"{where}: {name}") for name, path in paths.items()}
    called, state = f"the link {_called(link)}", _text(link, "state")
    if not any(devices.values()):
        if state == "complete":
            raise ConfigurationError(f"{where}: is complete, with no devices; expected some")
        machine.notes.append(f"{called} is incomplete, and is passed over")
        return
    if empty := [name for name in paths if not devices[name]]:
        machine.notes.append(f"{called} has no devices on {listed(empty)}")
    if state in ("incomplete", "updating"):
        machine.notes.append(f"{called} is {state}: what it has so far is read")
    machine.is_new("", "cpc-uri", link.get("cpc-uri"), where)
    for name, path in paths.items():
        place = f"{where}: {name}"
        for device in devices[name]:
            pair = _list(device, "endpoint-pair", place)
            if len(pair) != 2:
                raise ConfigurationError(f"{place}: {len(pair)} endpoints; expected two of a pair")
            first = _adapter(path, "adapter-port", place, machine)
            second = _adapter(path, "connecting-adapter-port", place, machine)
            ends = tuple(_node(each, place, machine) for each in pair)
            numbers = [_rdevs(each, place) for each in pair]
            if len(numbers[0]) != len(numbers[1]) or ends[0] == ends[1]:
                raise ConfigurationError(
                    f"{place}: {ends[0]} has {len(numbers[0])} device numbers, {ends[1]} "
                    f"{len(numbers[1])}; expected as many for each of two partitions"
                )
            chpids = first.chpid, second.chpid
            machine.fibres[frozenset(zip(ends, chpids, strict=True))] = first, second
            turned = ends[1].precedes(ends[0])
            found = machine.ctcs.setdefault((ends[turned], ends[not turned]), {})
            for ctc in (CtcChoice(chpids, rdevs) for rdevs in zip(*numbers, strict=True)):
                found[ctc.turned() if turned else ctc] = None


def _list(record: Mapping[str, Any], key: str, place: str) -> list[Mapping[str, Any]]:
    found = record.get(key)
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise ConfigurationError(f"{place}: no list of {key}; expected that of a ctc link")
    return found


def _adapter(path: Mapping[str, Any], key: str, place: str, machine: _Machine) -> _Adapter:
    """The adapter at an end of a path, in either form."""
    info = path.get(f"{key}-info")
    inner = info if isinstance(info, dict) else {}
    said = _text(path, f"{key}-uri"), _text(inner, "adapter-uri"), _text(inner, "element-uri")
    uris = {_PORT.sub("", each) for each in said if each}
    if len(uris) != 1:
        raise ConfigurationError(
            f"{place}: {len(uris)} adapters; expected one, as {key}-uri or as adapter-uri of "
            f"{key}-info"
        )
    (uri,) = uris
    if not (chpid := machine.said.get((uri, "channel-path-id"))):
        raise ConfigurationError(
            f"{place}: no adapter {shown(uri)} with a channel-path-id, as text; expected its "
            "record in one of the files"
        )
    card = machine.said.get((uri, "detected-card-type"), "")
    with within(f"{place}: {shown(uri)}: channel-path-id"):
        return _Adapter(parse_chpid(chpid.removeprefix("0x")), card)


def _node(end: Mapping[str, Any], place: str, machine: _Machine) -> NodeName:
    uri = _text(end, "partition-uri")
    name = _text(end, "partition-name")
    if uri and name:
        machine.is_new(uri, "name", name, place)
    name = name or machine.said.get((uri, "name"), "")
    try:
        node = machine.names.get(name) or NodeName(name.upper())
    except (CtcError, ConfigurationError):
        raise ConfigurationError(
            f"{place}: partition {shown(name or uri)} is no name of a system; expected --systems "
            f"NODE={name or uri}, of 1 to 8 letters and digits"
        ) from None
    if machine.partitions.setdefault(node, name) != name:
        raise ConfigurationError(
            f"{place}: {shown(name)} and {shown(machine.partitions[node])} are both called {node}; "
            "expected --systems with a name for each"
        )
    return node


def _rdevs(end: Mapping[str, Any], place: str) -> list[Rdev]:
    found = end.get("device-numbers", [end.get("device-number")])
    listing = found if isinstance(found, list) else []
    matches = [_BUS_ID.fullmatch(each) for each in listing if isinstance(each, str)]
    numbers = [parse_rdev(each[1]) for each in matches if each]
    if not numbers or len({*numbers}) < len(listing):
        raise ConfigurationError(
            f'{place}: device-numbers {shown(str(found))}; expected a list, each once, as "9000"'
        )
    return numbers
