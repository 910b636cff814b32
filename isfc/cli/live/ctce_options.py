"""The options of ``isfc ctce`` that say which CTCs it serves, and where."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Annotated

import typer
from msgspec import Struct, structs

from isfc.cli.live.ctce_file import is_ctce_file, read_ctce_file
from isfc.cli.live.ctce_hardware import HardwareOptions
from isfc.cli.live.ctce_joined import LISTEN_DEFAULT, CtceSources
from isfc.ctce.join import JoinedCtc
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import within


class SourceOptions(Struct, frozen=True):
    """Where both Hercules are, and where they find their partner."""

    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Where Hercules finds its partner: an address of this machine, and the first "
            f"of the ports, four for each CTC; {LISTEN_DEFAULT} if not said.",
        ),
    ] = None
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=HOST:PORT",
            help="Where a system's Hercules is, and the port of its first device. May be given "
            "again.",
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
    return said.sources, structs.replace(
        hardware,
        layout=said.sources.layout,
        pace=hardware.pace or said.pace,
        commands=hardware.commands or said.commands,
    )
