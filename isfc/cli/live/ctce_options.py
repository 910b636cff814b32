"""Which CTCs ``isfc ctce`` serves, where, and on what: by options, files or a ``ctce.toml``.

::

    listen = "127.0.0.1:32880"
    [ctce.MVSA]
    configuration = "MVSA.cnf"
    [ctce.MVSB]
    configuration = "MVSB.cnf"

Names of files are as seen from the folder of this one.
"""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer
from msgspec import Struct, structs

from ctc.address import ChpidId, Rdev, format_rdev, parse_rdevs
from ctc.order_fibre import FibreKind
from isfc.cli.options.layout import LinkOption, complete_layout, open_collection, open_layout
from isfc.cli.options.option import valued
from isfc.ctce.exchange import ExchangeDefinition
from isfc.ctce.join import (
    JoinedCtc,
    Place,
    check_place,
    join_layout,
    join_statements,
    read_statements,
)
from isfc.ctce.wire import FORMS
from isfc.errors import ConfigurationError
from isfc.layout.build import CtcChoice, build_layout
from isfc.layout.catalogue import shipped_layouts
from isfc.layout.checked_toml import (
    check_table_name,
    convert,
    decode,
    holds,
    read_bytes,
    show_key,
    within,
)
from isfc.layout.collection import Cec
from isfc.layout.in_words import exact
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import named_pieces
from isfc.layout.write import format_layout
from isfc.link.name import NodeName


class CtcePace(StrEnum):
    """How fast the CTCs are."""

    NONE = "none"
    MODEL = "model"


ALL: Final = "all"
"""The piece that is every CTC."""


@dataclass(frozen=True, slots=True)
class CtceHardware:
    """What CTCs are on, and which of them go with each piece that has a name."""

    definition: ExchangeDefinition
    pieces: Mapping[str, frozenset[int]]


class HardwareOptions(Struct, frozen=True):
    """What is between two Hercules: the times of a layout, and what goes wrong."""

    link: LinkOption = None
    layout: Annotated[
        str | None,
        typer.Option(
            metavar="LAYOUT",
            help="With two files: the layout that has their CTCs, by RDEV: for --pace, and for "
            "the pieces that commands name.",
            autocompletion=complete_layout,
        ),
    ] = None
    pace: Annotated[
        CtcePace | None,
        typer.Option(
            help="none (if not said): as fast as the machine; model: with the times of the "
            "layout's features and distances."
        ),
    ] = None
    commands: Annotated[
        Path | None,
        valued(
            "FILE",
            "What goes wrong, and when: lines such as 'at 5s lose director:61'. The same is "
            "typed while it runs: lose, restore, delay, stall, resume.",
        ),
    ] = None

    def open(self, ctcs: Sequence[JoinedCtc]) -> CtceHardware:
        """The hardware of a layout, if there is one."""
        layout = self.layout
        paced = self.pace is CtcePace.MODEL
        if layout is None:
            if paced:
                raise ConfigurationError("--pace model: expected --layout, which has the features")
            return without_layout(ctcs)
        opened = open_collection(layout)
        with within(opened.source):
            found = opened.collection.link(self.link, "--link")
            return of_layout(ctcs, found, opened.collection.cecs, paced=paced)


def without_layout(ctcs: Sequence[JoinedCtc]) -> CtceHardware:
    """CTCs of which nothing is known but their devices: one fibre that takes no time."""
    return CtceHardware(ExchangeDefinition(on=(0,) * len(ctcs)), _devices(ctcs))


def of_layout(
    ctcs: Sequence[JoinedCtc], layout: Layout, cecs: Sequence[Cec] = (), *, paced: bool
) -> CtceHardware:
    """The fibres that a layout has for CTCs with these device numbers.

    Raises `ConfigurationError` for a CTC that the layout does not have.
    """
    own = {ctc.rdevs: (ctc.fibre, False) for ctc in layout.ctcs}
    own = {ctc.rdevs[::-1]: (ctc.fibre, True) for ctc in layout.ctcs} | own
    found = [own.get((first.rdev, second.rdev)) for first, second in ctcs]
    on: list[tuple[Fibre, bool]] = []
    for (first, second), each in zip(ctcs, found, strict=True):
        if each is None:
            raise ConfigurationError(
                f"{first} = {second}: the layout has no CTC with these RDEVs: expected one of "
                + ", ".join(" = ".join(map(format_rdev, ctc.rdevs)) for ctc in layout.ctcs[:2])
            )
        on.append(each)
    fibres = list(dict.fromkeys(fibre for fibre, _ in on))
    definition = ExchangeDefinition(
        tuple(_kind(fibre) if paced else FibreKind() for fibre in fibres),
        tuple(fibres.index(fibre) for fibre, _ in on),
        tuple(turned for _, turned in on),
        both_fail=paced,
    )
    pieces = {
        name: frozenset(index for index, (fibre, _) in enumerate(on) if fibre in gone)
        for name, gone in named_pieces(layout, cecs).items()
    }
    return CtceHardware(definition, pieces | _devices(ctcs))


def _kind(fibre: Fibre) -> FibreKind:
    return FibreKind(fibre.line_profile, fibre.way_ns, fibre.disks, fibre.route(0))


def made_layout(ctcs: Sequence[JoinedCtc]) -> str:
    """A layout with these CTCs, to be changed: a Hercules knows neither fibres nor features.

    A device's chpid is the first half of its number, as Hercules shows it to guests.
    """
    nodes = [NodeName(end.system.upper()) for end in ctcs[0]]
    choices = [
        CtcChoice((ChpidId(a.rdev >> 8), ChpidId(b.rdev >> 8)), (a.rdev, b.rdev)) for a, b in ctcs
    ]
    layout = build_layout((nodes[0], nodes[1]), choices, lambda _: None)
    heading = [
        f"The CTCs of {nodes[0]} and {nodes[1]}, for isfc ctce --layout.",
        "Chpids and feature are assumed: change them to the hardware that is to be modelled.",
    ]
    return format_layout(layout, heading=heading, explained=True)


def _devices(ctcs: Sequence[JoinedCtc]) -> dict[str, frozenset[int]]:
    """Each CTC by the name of either device, and all of them together."""
    named = {
        f"{end.system}:{format_rdev(end.rdev)}": frozenset({index})
        for index, ctc in enumerate(ctcs)
        for end in ctc
    }
    return named | {ALL: frozenset(range(len(ctcs)))}


LISTEN_DEFAULT: Final = "127.0.0.1:32880"

FILE_LENGTH_MAX: Final = 1_048_576
"""Bytes of a Hercules' configuration file."""


@dataclass(frozen=True, slots=True)
class CtceSources:
    """Where the CTCs are described: in a ``layout``, two ``files`` of Hercules', or by ``rdevs``.

    ``names`` are those of the two systems, empty where the layout or the files name them; ``at``
    says where a system is, ``wires`` in which form alone it speaks.
    """

    listen: str = LISTEN_DEFAULT
    layout: str | None = None
    link: str | None = None
    files: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    rdevs: tuple[tuple[Rdev, ...], ...] = ()
    at: tuple[str, ...] = ()
    wires: Mapping[str, str] = field(default_factory=dict)
    prefix: str = "--"
    """What makes an option of a key, in messages."""
    pace: CtcePace | None = None
    commands: Path | None = None

    def joined(self) -> list[JoinedCtc]:
        """The CTCs. Raises `ConfigurationError` for what does not fit together."""
        wires = self.wires
        return [
            (a._replace(wire=wires.get(a.system, "")), b._replace(wire=wires.get(b.system, "")))
            for a, b in self._joined()
        ]

    def _joined(self) -> list[JoinedCtc]:
        place = check_place(f"{self.prefix}listen", self.listen)
        if self.files:
            return self._of_files(place)
        if self.rdevs:
            names = (self.names[0], self.names[1])
            rdevs = list(zip(*self.rdevs, strict=True))
        else:
            assert self.layout is not None
            layout = open_layout(self.layout, self.link)
            names = (str(layout.nodes[0]), str(layout.nodes[1]))
            if self.names and {*self.names} != {*names}:
                raise ConfigurationError(
                    f"ctce {' and '.join(self.names)}: the layout joins {' and '.join(names)}"
                )
            rdevs = [ctc.rdevs for ctc in layout.ctcs]
        return join_layout(names, rdevs, self._places(names), place)

    def _of_files(self, listen: Place) -> list[JoinedCtc]:
        if len(self.files) != 2:
            raise ConfigurationError(
                f"{len(self.files)} files: expected a layout, a ctce.toml, or the configuration "
                "files of two Hercules"
            )
        first, second = self.files
        names = (Path(first).stem, Path(second).stem)
        if self.names:
            names = (self.names[0], self.names[1])
        elif names[0] == names[1]:
            raise ConfigurationError(
                f"{first} and {second}: expected two names, as they name systems"
            )
        statements = (
            read_statements(statement_text(first), first),
            read_statements(statement_text(second), second),
        )
        nearby = Place("127.0.0.1", listen.port)
        places = self._places(names, dict.fromkeys(names, nearby))
        return join_statements(names, statements, places, listen)

    def _places(
        self, names: tuple[str, str], found: Mapping[str, Place] | None = None
    ) -> dict[str, Place]:
        """Where each system is, by its name."""
        places = dict(found or {})
        for text in self.at:
            name, separator, where = text.partition("=")
            if not separator or name not in names:
                raise ConfigurationError(
                    f"{self.prefix}at {text}: expected {names[0]}=HOST:PORT or {names[1]}=HOST:PORT"
                )
            places[name] = check_place(f"{self.prefix}at {name}", where)
        for name in names:
            if name not in places:
                raise ConfigurationError(
                    f"{self.prefix}at: expected {name}=HOST:PORT too, where that Hercules is, and "
                    "the port of its first device"
                )
        return places


def statement_text(name: str) -> str:
    """The text of a Hercules' configuration file."""
    with within(name):
        data = read_bytes(Path(name), "a configuration file of Hercules", FILE_LENGTH_MAX)
        if len(data) > FILE_LENGTH_MAX:
            raise ConfigurationError(f"expected at most {exact(FILE_LENGTH_MAX)} bytes")
    return data.decode("latin-1")


_KIND: Final = "a ctce.toml"


_WIRE: Final = " or ".join(f'"{form}"' for form in FORMS)
_SYSTEMS: Final = "a table [ctce.NAME] for each of two systems"


class _System(msgspec.Struct):
    at: Annotated[str, holds("HOST:PORT, where this Hercules listens for its first device")] = ""
    configuration: Annotated[
        str, holds("the configuration file of this Hercules, with its CTCE devices")
    ] = ""
    rdevs: Annotated[str, holds('device numbers, such as "0E20-0E23,0E30"')] = ""
    wire: Annotated[str, holds(_WIRE)] = ""


class _Root(msgspec.Struct, kw_only=True):
    listen: Annotated[str, holds("HOST:PORT, where both Hercules find their partner")] = (
        LISTEN_DEFAULT
    )
    layout: Annotated[
        str | None, holds("a layout, for the times and the pieces of its hardware")
    ] = None
    link: Annotated[
        str | None, holds("the link of a layout that has several, such as ATLANTA-BOSTON")
    ] = None
    pace: Annotated[CtcePace | None, holds('"none" or "model"')] = None
    commands: Annotated[str | None, holds("a file of commands")] = None
    ctce: Annotated[dict[str, _System], holds(_SYSTEMS)]


def is_ctce_file(name: str) -> bool:
    """Whether an argument is such a file: TOML that has a key ``ctce``."""
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return False
    with within(name):
        return "ctce" in decode(read_bytes(path, _KIND), _KIND)


def read_ctce_file(name: str) -> CtceSources:
    """What such a file says; raises `ConfigurationError` with file, place and remedy."""
    with within(name):
        root = convert(decode(read_bytes(Path(name), _KIND), _KIND), _Root, "")
        if len(root.ctce) != 2:
            named = ", ".join(map(show_key, [*root.ctce][:4])) or "none"
            raise ConfigurationError(f"ctce: {named}; expected {_SYSTEMS}")
        for system in root.ctce:
            check_table_name(f"[ctce.{show_key(system)}]", system, "a system")
        return _sources(root, Path(name).parent)


def _sources(root: _Root, folder: Path) -> CtceSources:
    systems = root.ctce
    names = tuple(systems)
    for key in ("configuration", "rdevs"):
        having = [name for name, system in systems.items() if getattr(system, key)]
        if len(having) == 1:
            other = next(name for name in names if name not in having)
            raise ConfigurationError(
                f"[ctce.{show_key(other)}] {key}: missing, as [ctce.{show_key(having[0])}] has it"
            )
    for name, system in systems.items():
        if system.wire not in ("", *FORMS):
            raise ConfigurationError(
                f"[ctce.{show_key(name)}] wire {system.wire[:40]!r}: expected {_WIRE}"
            )
    files = [str(folder / system.configuration) for system in systems.values()]
    given = all(system.configuration for system in systems.values())
    rdevs = _rdevs(systems)
    if given and rdevs:
        raise ConfigurationError("[ctce] has rdevs and configuration: expected one of them")
    if not given and not rdevs and root.layout is None:
        raise ConfigurationError(
            "says of no device: expected rdevs or configuration for each system, or a layout"
        )
    layout = root.layout
    if layout is not None and layout not in shipped_layouts():
        layout = str(folder / layout)
    return CtceSources(
        root.listen,
        layout,
        root.link,
        tuple(files) if given else (),
        names,
        rdevs,
        tuple(f"{name}={system.at}" for name, system in systems.items() if system.at),
        {name: system.wire for name, system in systems.items()},
        prefix="",
        pace=root.pace,
        commands=None if root.commands is None else folder / root.commands,
    )


def _rdevs(systems: dict[str, _System]) -> tuple[tuple[Rdev, ...], ...]:
    """The devices of each system, the first of one being joined to the first of the other."""
    found: list[tuple[Rdev, ...]] = []
    for name, system in systems.items():
        if system.rdevs:
            with within(f"[ctce.{show_key(name)}] rdevs"):
                found.append(tuple(parse_rdevs(system.rdevs)))
    if found and len(found[0]) != len(found[1]):
        first, second = systems
        raise ConfigurationError(
            f"[ctce.{show_key(second)}] rdevs: {len(found[1])}, [ctce.{show_key(first)}] has "
            f"{len(found[0])}: expected as many of both"
        )
    return tuple(found)


class SourceOptions(Struct, frozen=True):
    """Where both Hercules are, and where they find their partner."""

    listen: Annotated[
        str | None,
        valued(
            "HOST:PORT",
            "Where Hercules finds its partner: an address of this machine, and the first "
            f"of the ports, four for each CTC; {LISTEN_DEFAULT} if not said.",
        ),
    ] = None
    at: Annotated[
        list[str] | None,
        valued(
            "NAME=HOST:PORT",
            "Where a system's Hercules is, and the port of its first device. May be given again.",
        ),
    ] = None

    def join(
        self, sources: Sequence[str], hardware: HardwareOptions
    ) -> tuple[list[JoinedCtc], HardwareOptions]:
        """The CTCs of the arguments, and the hardware's options with what a file says besides.

        An option takes precedence over a ``ctce.toml``.
        """
        wanted, hardware = _read(sources, hardware)
        wanted = replace(
            wanted,
            at=(*wanted.at, *(self.at or [])),
            listen=self.listen or wanted.listen,
            link=hardware.link or wanted.link,
        )
        hardware = structs.replace(hardware, link=wanted.link)
        if wanted.link is not None and hardware.layout is None:
            raise ConfigurationError("--link: names a link of a layout; expected a layout")
        with within(sources[0]) if wanted.names else nullcontext():
            return wanted.joined(), hardware


def _read(sources: Sequence[str], hardware: HardwareOptions) -> tuple[CtceSources, HardwareOptions]:
    if len(sources) != 1:
        return CtceSources(files=tuple(sources)), hardware
    if hardware.layout is not None:
        raise ConfigurationError("--layout: goes with two configuration files")
    (name,) = sources
    said = read_ctce_file(name) if is_ctce_file(name) else CtceSources(layout=name)
    return said, structs.replace(
        hardware,
        layout=said.layout,
        pace=hardware.pace or said.pace,
        commands=hardware.commands or said.commands,
    )
