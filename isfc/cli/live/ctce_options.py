"""Which CTCs ``isfc ctce`` serves, and where: by options, Hercules' files or a ``ctce.toml``.

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
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Struct, structs

from ctc.address import Rdev, parse_rdevs
from isfc.cli.live.ctce_hardware import CtcePace, HardwareOptions
from isfc.cli.options.layout import open_layout
from isfc.cli.options.option import valued
from isfc.ctce.join import JoinedCtc, Place, check_place, join_layout, join_statements
from isfc.ctce.statement import read_statements
from isfc.ctce.wire import FORMS
from isfc.errors import ConfigurationError
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
    pace: CtcePace | None = None
    commands: Path | None = None
    """What makes an option of a key, in messages."""

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
        names = (self.names[0], self.names[1]) if self.names else file_names(first, second)
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


def file_names(first: str, second: str) -> tuple[str, str]:
    """The names of two systems, after their files."""
    names = (Path(first).stem, Path(second).stem)
    if names[0] == names[1]:
        raise ConfigurationError(f"{first} and {second}: expected two names, as they name systems")
    return names


def statement_text(name: str) -> str:
    """The text of a Hercules' configuration file."""
    with within(name):
        data = read_bytes(Path(name), "a configuration file of Hercules", FILE_LENGTH_MAX)
        if len(data) > FILE_LENGTH_MAX:
            raise ConfigurationError(f"expected at most {FILE_LENGTH_MAX:,} bytes")
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
    if not is_ctce_file(name):
        return CtceSources(layout=name), structs.replace(hardware, layout=name)
    said = read_ctce_file(name)
    return said, structs.replace(
        hardware,
        layout=said.layout,
        pace=hardware.pace or said.pace,
        commands=hardware.commands or said.commands,
    )
