"""``ctce.toml``: what ``isfc ctce`` is to serve, written down.

::

    listen = "127.0.0.1:32880"
    [ctce.MVSA]
    configuration = "MVSA.cnf"
    [ctce.MVSB]
    configuration = "MVSB.cnf"

Names of files are as seen from the folder of this one.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from ctc.address import Rdev, parse_rdevs
from isfc.cli.live.ctce_hardware import CtcePace
from isfc.cli.live.ctce_joined import LISTEN_DEFAULT, CtceSources
from isfc.ctce.wire import FORMS
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import shipped_layouts
from isfc.layout.checked_toml import (
    check_table_name,
    convert,
    decode,
    read_bytes,
    show_key,
    within,
)

_KIND: Final = "a ctce.toml"


class _System(msgspec.Struct):
    at: str = ""
    configuration: str = ""
    rdevs: str = ""
    wire: str = ""


class _Root(msgspec.Struct):
    ctce: dict[str, dict[str, Any]]
    listen: str = LISTEN_DEFAULT
    layout: str | None = None
    link: str | None = None
    pace: CtcePace | None = None
    commands: str | None = None


_EXPECTED: Final = {
    "listen": "HOST:PORT, where both Hercules find their partner",
    "layout": "a layout, for the times and the pieces of its hardware",
    "link": "the link of a layout that has several, such as ATLANTA-BOSTON",
    "pace": '"none" or "model"',
    "commands": "a file of commands",
    "ctce": "a table [ctce.NAME] for each of two systems",
}
_EXPECTED_OF_SYSTEM: Final = {
    "at": "HOST:PORT, where this Hercules listens for its first device",
    "configuration": "the configuration file of this Hercules, with its CTCE devices",
    "rdevs": 'device numbers, such as "0E20-0E23,0E30"',
    "wire": " or ".join(f'"{form}"' for form in FORMS),
}


@dataclass(frozen=True, slots=True)
class CtceFile:
    """The content of a ``ctce.toml``."""

    sources: CtceSources
    pace: CtcePace | None
    commands: Path | None


def is_ctce_file(name: str) -> bool:
    """Whether an argument is such a file: TOML that has a key ``ctce``."""
    path = Path(name)
    if path.suffix != ".toml" or not path.is_file():
        return False
    with within(name):
        return "ctce" in decode(read_bytes(path, _KIND), _KIND)


def read_ctce_file(name: str) -> CtceFile:
    """What such a file says; raises `ConfigurationError` with file, place and remedy."""
    with within(name):
        root = convert(decode(read_bytes(Path(name), _KIND), _KIND), _Root, "", _EXPECTED)
        if len(root.ctce) != 2:
            named = ", ".join(map(show_key, [*root.ctce][:4])) or "none"
            raise ConfigurationError(f"ctce: {named}; expected {_EXPECTED['ctce']}")
        for system in root.ctce:
            check_table_name(f"[ctce.{show_key(system)}]", system, "a system")
        systems = {
            system: convert(table, _System, f"[ctce.{show_key(system)}]", _EXPECTED_OF_SYSTEM)
            for system, table in root.ctce.items()
        }
        folder = Path(name).parent
        commands = None if root.commands is None else folder / root.commands
        sources = _sources(root, systems, folder)
        return CtceFile(sources, root.pace, commands)


def _sources(root: _Root, systems: dict[str, _System], folder: Path) -> CtceSources:
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
                f"[ctce.{show_key(name)}] wire {system.wire[:40]!r}: expected "
                + _EXPECTED_OF_SYSTEM["wire"]
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
