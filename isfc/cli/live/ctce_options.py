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
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Struct

from ctc.address import ChpidId, Rdev, format_rdev, parse_rdevs
from ctc.order import FibreKind
from isfc.cli.options.layout import complete_layout, open_collection, open_layout
from isfc.cli.options.option import LinkOption, valued
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
from isfc.layout.layout import Fibre, Layout
from isfc.layout.loss import named_pieces
from isfc.layout.parts import Cec
from isfc.layout.write import format_layout
from isfc.link.name import NodeName
from isfc.live.ctce.exchange import ExchangeDefinition
from isfc.live.ctce.join import (
    CtceStatement,
    HostPort,
    JoinedCtc,
    check_place,
    join_layout,
    join_statements,
    read_statements,
)
from isfc.live.ctce.wire import FORMS


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


def of_layout(
    ctcs: Sequence[JoinedCtc], layout: Layout, cecs: Sequence[Cec] = (), *, paced: bool
) -> CtceHardware:
    """The fibres that a layout has for CTCs with these device numbers.

    Raises `ConfigurationError` for a CTC that the layout does not have.
    """
    own = {ctc.rdevs: (ctc.fibre, False) for ctc in layout.ctcs}
    own = {ctc.rdevs[::-1]: (ctc.fibre, True) for ctc in layout.ctcs} | own
    on: list[tuple[Fibre, bool]] = []
    for first, second in ctcs:
        if (each := own.get((first.rdev, second.rdev))) is None:
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

_KIND: Final = "a ctce.toml"
_WIRE: Final = " or ".join(f'"{form}"' for form in FORMS)
_SYSTEMS: Final = "a table [ctce.NAME] for each of two systems"


class CtceSystem(Struct):
    """A table ``[ctce.NAME]``."""

    at: Annotated[str, holds("HOST:PORT, where this Hercules listens for its first device")] = ""
    configuration: Annotated[
        str, holds("the configuration file of this Hercules, with its CTCE devices")
    ] = ""
    rdevs: Annotated[str, holds('device numbers, such as "0E20-0E23,0E30"')] = ""
    wire: Annotated[str, holds(_WIRE)] = ""


class CtceFile(Struct, kw_only=True):
    """A ``ctce.toml``, or what options and other arguments say in its place."""

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
    ctce: Annotated[dict[str, CtceSystem], holds(_SYSTEMS)]

    def hardware(self, ctcs: Sequence[JoinedCtc]) -> CtceHardware:
        """The hardware of its layout, if there is one."""
        paced = self.pace is CtcePace.MODEL
        if self.layout is None:
            if paced:
                raise ConfigurationError("--pace model: expected --layout, which has the features")
            definition = ExchangeDefinition(on=(0,) * len(ctcs))  # a fibre that takes no time
            return CtceHardware(definition, _devices(ctcs))
        opened = open_collection(self.layout)
        with within(opened.source):
            found = opened.collection.link(self.link, "--link")
            return of_layout(ctcs, found, opened.collection.cecs, paced=paced)


def is_ctce_file(name: str) -> bool:
    """Whether an argument is such a file: TOML that has a key ``ctce``."""
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return False
    with within(name):
        return "ctce" in decode(read_bytes(path, _KIND), _KIND)


def read_ctce_file(name: str) -> CtceFile:
    """Such a file, with the files that it names as seen from here.

    Raises `ConfigurationError` with file, place and remedy.
    """
    with within(name):
        said = convert(decode(read_bytes(Path(name), _KIND), _KIND), CtceFile, "")
        if len(said.ctce) != 2:
            named = ", ".join(map(show_key, [*said.ctce][:4])) or "none"
            raise ConfigurationError(f"ctce: {named}; expected {_SYSTEMS}")
        _check_systems(said)
    folder = Path(name).parent
    for system in said.ctce.values():
        if system.configuration:
            system.configuration = str(folder / system.configuration)
    if said.layout is not None and said.layout not in shipped_layouts():
        said.layout = str(folder / said.layout)
    if said.commands is not None:
        said.commands = str(folder / said.commands)
    return said


def _check_systems(said: CtceFile) -> None:
    """Raise `ConfigurationError` for tables of two systems that do not fit together."""
    systems: dict[str, CtceSystem] = {}
    for name, system in said.ctce.items():
        place = f"[ctce.{show_key(name)}]"
        check_table_name(place, name, "a system")
        systems[place] = system
        if system.wire not in ("", *FORMS):
            raise ConfigurationError(f"{place} wire {system.wire[:40]!r}: expected {_WIRE}")
    for key in ("configuration", "rdevs"):
        having = [place for place, system in systems.items() if getattr(system, key)]
        if len(having) == 1:
            (other,) = systems.keys() - having
            raise ConfigurationError(f"{other} {key}: missing, as {having[0]} has it")
    system = next(iter(said.ctce.values()))
    if system.configuration and system.rdevs:
        raise ConfigurationError("[ctce] has rdevs and configuration: expected one of them")
    if not (system.configuration or system.rdevs or said.layout):
        raise ConfigurationError(
            "says of no device: expected rdevs or configuration for each system, or a layout"
        )


class CtceOptions(Struct, frozen=True):
    """Where both Hercules are and find their partner, the times of a layout, and what goes wrong.

    An option takes precedence over a ``ctce.toml``.
    """

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
        str | None,
        valued(
            "FILE",
            "What goes wrong, and when: lines such as 'at 5s lose director:61'. The same is "
            "typed while it runs: lose, restore, delay, stall, resume.",
        ),
    ] = None

    def join(self, sources: Sequence[str]) -> tuple[list[JoinedCtc], CtceFile]:
        """The CTCs of the arguments, and all that these and the options say.

        Raises `ConfigurationError` for what does not fit together.
        """
        said, prefix = self._read(sources)
        for name in ("listen", "link", "pace", "commands"):
            if (value := getattr(self, name)) is not None:
                setattr(said, name, value)
        if said.link is not None and said.layout is None:
            raise ConfigurationError("--link: names a link of a layout; expected a layout")
        at = [f"{name}={system.at}" for name, system in said.ctce.items() if system.at]
        with nullcontext() if prefix else within(sources[0]):
            return _joined(said, [*at, *(self.at or ())], prefix), said

    def _read(self, sources: Sequence[str]) -> tuple[CtceFile, str]:
        """What the arguments say, and what makes an option of a key in messages about that."""
        if len(sources) == 1:
            if self.layout is not None:
                raise ConfigurationError("--layout: goes with two configuration files")
            if is_ctce_file(sources[0]):
                return read_ctce_file(sources[0]), ""
            return CtceFile(layout=sources[0], ctce={}), "--"
        if len(sources) != 2:
            raise ConfigurationError(
                f"{len(sources)} files: expected a layout, a ctce.toml, or the configuration "
                "files of two Hercules"
            )
        systems = {Path(file).stem: CtceSystem(configuration=file) for file in sources}
        if len(systems) == 1:
            raise ConfigurationError(
                f"{' and '.join(sources)}: expected two names, as they name systems"
            )
        return CtceFile(layout=self.layout, ctce=systems), "--"


def _joined(said: CtceFile, at: Sequence[str], prefix: str) -> list[JoinedCtc]:
    """The CTCs of two systems, ``at`` their places, each in the form that its Hercules speaks."""
    listen = check_place(f"{prefix}listen", said.listen)
    systems = [*said.ctce.items()]
    if systems and systems[0][1].configuration:
        (first, one), (second, other) = systems
        names = (first, second)
        statements = _statements(one.configuration), _statements(other.configuration)
        nearby = dict.fromkeys(names, HostPort("127.0.0.1", listen.port))
        ctcs = join_statements(names, statements, _places(names, nearby, at, prefix), listen)
    else:
        if systems and systems[0][1].rdevs:
            names, rdevs = (systems[0][0], systems[1][0]), _rdevs(said.ctce)
        else:
            assert said.layout is not None, "no device"
            layout = open_layout(said.layout, said.link)
            names = (str(layout.nodes[0]), str(layout.nodes[1]))
            rdevs = [ctc.rdevs for ctc in layout.ctcs]
            if systems and {*said.ctce} != {*names}:
                raise ConfigurationError(
                    f"ctce {' and '.join(said.ctce)}: the layout joins {' and '.join(names)}"
                )
        ctcs = join_layout(names, rdevs, _places(names, {}, at, prefix), listen)
    wires = {name: system.wire for name, system in systems}
    return [
        (a._replace(wire=wires.get(a.system, "")), b._replace(wire=wires.get(b.system, "")))
        for a, b in ctcs
    ]


def _rdevs(systems: Mapping[str, CtceSystem]) -> list[tuple[Rdev, Rdev]]:
    """The devices of each CTC: the first of one system is joined to the first of the other."""
    found: dict[str, Sequence[Rdev]] = {}
    for name, system in systems.items():
        place = f"[ctce.{show_key(name)}]"
        with within(f"{place} rdevs"):
            found[place] = parse_rdevs(system.rdevs)
    (first, ours), (second, theirs) = found.items()
    if len(ours) != len(theirs):
        raise ConfigurationError(
            f"{second} rdevs: {len(theirs)}, {first} has {len(ours)}: expected as many of both"
        )
    return [*zip(ours, theirs, strict=True)]


def _statements(name: str) -> list[CtceStatement]:
    """The CTCE devices of a Hercules' configuration file."""
    with within(name):
        data = read_bytes(Path(name), "a configuration file of Hercules")
    return read_statements(data.decode("latin-1"), name)


def _places(
    names: tuple[str, str], found: Mapping[str, HostPort], at: Sequence[str], prefix: str
) -> dict[str, HostPort]:
    """Where each system is, by its name."""
    places = dict(found)
    for text in at:
        name, separator, where = text.partition("=")
        if not separator or name not in names:
            raise ConfigurationError(
                f"{prefix}at {text}: expected {names[0]}=HOST:PORT or {names[1]}=HOST:PORT"
            )
        places[name] = check_place(f"{prefix}at {name}", where)
    for name in names:
        if name not in places:
            raise ConfigurationError(
                f"{prefix}at: expected {name}=HOST:PORT too, where that Hercules is, and "
                "the port of its first device"
            )
    return places
