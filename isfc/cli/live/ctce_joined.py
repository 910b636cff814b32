"""What ``isfc ctce`` is to join: a layout's CTCs, or those of two Hercules' files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ctc.address import Rdev
from isfc.cli.options.layout import open_layout
from isfc.ctce.join import JoinedCtc, Place, check_place, join_layout, join_statements
from isfc.ctce.statement import read_statements
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import read_bytes, within

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
