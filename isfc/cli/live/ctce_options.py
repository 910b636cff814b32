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
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import Annotated, Final

import typer
from msgspec import Struct

from ctc.address import Rdev, parse_rdevs
from isfc.cli.live.ctce_hardware import CtceHardware, check_two, named_devices, of_layout
from isfc.cli.options.layout import complete_layout, open_collection
from isfc.cli.options.option import LinkOption, valued
from isfc.cli.output.streams import show_error
from isfc.errors import ConfigurationError
from isfc.errors.in_words import listed
from isfc.layout.catalogue import shipped_layouts
from isfc.layout.checked_toml import (
    check_table_name,
    convert,
    decode,
    holds,
    in_utf8,
    read_bytes,
    show_key,
    within,
)
from isfc.layout.layers import plain
from isfc.live.ctce.exchange import ExchangeDefinition
from isfc.live.ctce.join import (
    CtcEnd,
    HostPort,
    JoinedCtc,
    check_joined,
    check_place,
    join_layout,
    join_statements,
)
from isfc.live.ctce.statements import HerculesConfiguration
from isfc.live.ctce.wire import FORMS


class CtcePace(StrEnum):
    """How fast the CTCs are."""

    NONE = "none"
    MODEL = "model"


LISTEN_DEFAULT: Final = "127.0.0.1:32880"

_KIND: Final = "a ctce.toml"
_WIRE: Final = " or ".join(f'"{form}"' for form in FORMS)
_SYSTEMS: Final = "a table [ctce.NAME] for each of two systems, or of several with configurations"


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
            return CtceHardware(definition, named_devices(ctcs))
        links = open_collection(self.layout)
        with within(str(self.layout)):
            check_two(ctcs, "--layout")
            return of_layout(ctcs, links.link(self.link, "--link"), links.cecs, paced=paced)


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
        files = any(system.configuration for system in said.ctce.values())
        if len(said.ctce) < 2 or (len(said.ctce) > 2 and not files):
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
    """Raise `ConfigurationError` for tables of systems that do not fit together."""
    systems: dict[str, CtceSystem] = {}
    for name, system in said.ctce.items():
        place = f"[ctce.{show_key(name)}]"
        check_table_name(place, name, "a system")
        systems[place] = system
        if system.wire not in ("", *FORMS):
            raise ConfigurationError(f"{place} wire {system.wire[:40]!r}: expected {_WIRE}")
    for key in ("configuration", "rdevs"):
        having = [place for place, system in systems.items() if getattr(system, key)]
        if having and (lacking := [place for place in systems if place not in having]):
            raise ConfigurationError(f"{lacking[0]} {key}: missing, as {having[0]} has it")
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
                raise ConfigurationError("--layout: goes with configuration files")
            if is_ctce_file(sources[0]):
                return read_ctce_file(sources[0]), ""
            return CtceFile(layout=sources[0], ctce={}), "--"
        systems = {Path(file).stem: CtceSystem(configuration=file) for file in sources}
        if len(systems) < len(sources):
            raise ConfigurationError(
                f"{listed(sources)}: expected a name for each, as they name systems"
            )
        return CtceFile(layout=self.layout, ctce=systems), "--"


def _joined(said: CtceFile, at: Sequence[str], prefix: str) -> list[JoinedCtc]:
    """The CTCs of systems, ``at`` their places, each in the form that its Hercules speaks."""
    listen = check_place(f"{prefix}listen", said.listen)
    systems = [*said.ctce.items()]
    if systems and systems[0][1].configuration:
        found = [_configuration(name, system.configuration) for name, system in systems]
        devices = [device for each in found for device in each.devices.values()]
        ctcs, remarks = join_statements(devices, _places([*said.ctce], at, prefix), listen)
        for remark in chain(*(each.remarks for each in found), remarks):
            show_error(remark)
    else:
        if systems and systems[0][1].rdevs:
            names, rdevs = (systems[0][0], systems[1][0]), _rdevs(said.ctce)
        else:
            assert said.layout is not None, "no device"
            layout = open_collection(said.layout).link(said.link, "--link")
            names = (str(layout.nodes[0]), str(layout.nodes[1]))
            rdevs = [ctc.rdevs for ctc in layout.ctcs]
            if systems and {*said.ctce} != {*names}:
                raise ConfigurationError(
                    f"ctce {' and '.join(said.ctce)}: the layout joins {' and '.join(names)}"
                )
        places = _places(names, at, prefix)
        for name in names:
            if name not in places:
                raise ConfigurationError(
                    f"{prefix}at: expected {name}=HOST:PORT too, where that Hercules is, and "
                    "the port of its first device"
                )
        ctcs = join_layout(names, rdevs, places, listen)
    wires = {name: system.wire for name, system in systems}

    def wired(end: CtcEnd) -> CtcEnd:
        return end._replace(wire=wires.get(end.system) or end.wire)

    return check_joined([(wired(a), wired(b)) for a, b in ctcs])


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


def _configuration(system: str, name: str) -> HerculesConfiguration:
    """The CTCE devices of a Hercules' configuration file; it includes files from its folder."""

    def lines_of(path: Path) -> list[str]:
        with within(str(path)):
            data = read_bytes(path, "a configuration file of Hercules")
        return plain(in_utf8(data).decode("utf-8-sig", "replace")).lines

    found = HerculesConfiguration(system, lambda other: lines_of(Path(name).parent / other))
    found.read(lines_of(Path(name)), name)
    return found


def _places(names: Sequence[str], at: Sequence[str], prefix: str) -> dict[str, HostPort]:
    """Where systems are said to be, by their names."""
    places: dict[str, HostPort] = {}
    for text in at:
        name, separator, where = text.partition("=")
        if not separator or name not in names:
            forms = listed((f"{each}=HOST:PORT" for each in names), "or")
            raise ConfigurationError(f"{prefix}at {text}: expected {forms}")
        places[name] = check_place(f"{prefix}at {name}", where)
    return places
