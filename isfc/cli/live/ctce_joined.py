"""What the arguments of ``isfc ctce`` join: a layout's CTCs, or those of two Hercules' files."""

from collections.abc import Sequence
from pathlib import Path

from isfc.cli.options.layout import open_layout
from isfc.ctce.join import JoinedCtc, Place, check_place, join_layout, join_statements
from isfc.ctce.statement import read_statements
from isfc.errors import ConfigurationError

FILE_LENGTH_MAX = 1_048_576
"""Bytes of a Hercules' configuration file."""


def joined_ctcs(
    sources: Sequence[str], listen: str, at: Sequence[str], link: str | None
) -> list[JoinedCtc]:
    """The CTCs to be served. Raises `ConfigurationError` for what does not fit together."""
    place = check_place("--listen", listen)
    if len(sources) == 1:
        layout = open_layout(sources[0], link)
        names = (str(layout.nodes[0]), str(layout.nodes[1]))
        return join_layout(names, (c.rdevs for c in layout.ctcs), _places(at, names, place), place)
    if len(sources) != 2:
        raise ConfigurationError(
            f"{len(sources)} files: expected a layout, or the configuration files of two Hercules"
        )
    if link is not None:
        raise ConfigurationError("--link: names a link of a layout; expected a layout")
    first, second = map(Path, sources)
    names = (first.stem, second.stem)
    if names[0] == names[1]:
        raise ConfigurationError(f"{first} and {second}: expected two names, as they name systems")
    statements = (
        read_statements(_text(first), sources[0]),
        read_statements(_text(second), sources[1]),
    )
    return join_statements(names, statements, _places(at, names, place, needed=False), place)


def _places(
    at: Sequence[str], names: tuple[str, str], listen: Place, *, needed: bool = True
) -> dict[str, Place]:
    """Where each system is, by its name."""
    found = {} if needed else dict.fromkeys(names, Place("127.0.0.1", listen.port))
    for text in at:
        name, separator, where = text.partition("=")
        if not separator or name not in names:
            raise ConfigurationError(
                f"--at {text}: expected {names[0]}=HOST:PORT or {names[1]}=HOST:PORT"
            )
        found[name] = check_place(f"--at {name}", where)
    for name in names:
        if name not in found:
            raise ConfigurationError(
                f"--at: expected --at {name}=HOST:PORT too, where that Hercules is, and the port "
                "of its first device"
            )
    return found


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(FILE_LENGTH_MAX + 1)
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror}") from None
    if len(data) > FILE_LENGTH_MAX:
        raise ConfigurationError(f"{path}: expected at most {FILE_LENGTH_MAX:,} bytes")
    return data.decode("latin-1")
