"""A guest that is relocated as people describe it, by arguments, options or columns of a file."""

from collections.abc import Mapping
from typing import Final

from isfc.arguments import read_size, spelt
from isfc.errors import ConfigurationError
from scenarios.moves.guest import KNOWN_GUESTS, MEMORY_MAX, MEMORY_MIN, GuestMemory

Size = int | str | None
"""Bytes, or bytes a second, as a number or as a text such as 64G; None is not given."""

DESCRIBED: Final = ("memory", "change_rate", "touched", "hot_set", "write_rate")
"""What is said of a guest's memory, beside ``like``."""


def guest_memory(given: Mapping[str, Size], like: str | None = None) -> GuestMemory:
    """The memory of which so much was ``given``, by the names of `DESCRIBED`.

    Raises `ConfigurationError`, which names what is wrong as it is spelt.
    """
    known = _known(like)
    changes = any(given.get(name) for name in ("change_rate", "hot_set", "write_rate"))
    if known is None and (given.get("memory") is None or not changes):
        raise ConfigurationError(
            f"expected {spelt('memory')}, and {spelt('change_rate')} or {spelt('hot_set')}, "
            f"or {spelt('like')} KIND"
        )
    size = _bytes(given, "memory", known.size if known else 0)
    memory = given.get("memory")
    if isinstance(memory, str) and size < MEMORY_MIN and memory[-1:].isdigit():
        raise ConfigurationError(_no_unit("memory", memory, "16G"))
    if not MEMORY_MIN <= size <= MEMORY_MAX:
        raise ConfigurationError(f"{spelt('memory')} {memory}: expected 1M to 16T")
    touched = _bytes(given, "touched", min(known.touched, size) if known else size)
    hot_set = _bytes(given, "hot_set", known.hot_set if known else 0)
    rates = {
        name: _rate(given, name, getattr(known, name) if known else 0)
        for name in ("change_rate", "write_rate")
    }
    if not 1 <= touched <= size:
        raise ConfigurationError(
            f"{spelt('touched')} {given.get('touched')}: expected 1 byte to the memory, "
            f"{size / 2**30:g} GiB"
        )
    if hot_set > touched:
        raise ConfigurationError(_too_hot(given.get("hot_set"), like, hot_set, touched))
    if bool(rates["write_rate"]) != bool(hot_set):
        raise ConfigurationError(_half(given, is_hot=bool(hot_set)))
    return GuestMemory(size=size, touched=touched, hot_set=hot_set, **rates)


def _known(like: str | None) -> GuestMemory | None:
    if like is None:
        return None
    if like not in KNOWN_GUESTS:
        raise ConfigurationError(
            f"{spelt('like')} {like[:40]}: expected one of {', '.join(KNOWN_GUESTS)}"
        )
    return KNOWN_GUESTS[like].memory


def _bytes(given: Mapping[str, Size], name: str, default: int) -> int:
    found = given.get(name)
    if found is None:
        return default
    return read_size(spelt(name), found) if isinstance(found, str) else found


def _rate(given: Mapping[str, Size], name: str, default: int) -> int:
    """As text a rate needs its unit: so many bytes a second are hardly meant."""
    rate, found = _bytes(given, name, default), given.get(name)
    if rate and isinstance(found, str) and found[-1].isdigit():
        raise ConfigurationError(_no_unit(name, found, "400M"))
    if not 0 <= rate <= MEMORY_MAX:
        raise ConfigurationError(f"{spelt(name)} {str(found)[:40]}: expected at most 16T")
    return rate


def _no_unit(name: str, text: str, example: str) -> str:
    return f"{spelt(name)} {text[:40]}: expected a unit, K, M, G or T, as {example}"


def _too_hot(given: Size, like: str | None, hot_set: int, touched: int) -> str:
    """What is wrong with a hot set, given or that of a known guest, beyond what is touched."""
    if given:
        return (
            f"{spelt('hot_set')} {str(given)[:40]}: expected at most what is touched, "
            f"{touched / 2**30:g} GiB"
        )
    return (
        f"{spelt('like')} {like}: has a hot set of {hot_set / 2**30:g} GiB, and "
        f"{touched / 2**30:g} GiB are touched; expected {spelt('hot_set')} and "
        f"{spelt('write_rate')} of that memory as well, or more memory"
    )


def _half(given: Mapping[str, Size], *, is_hot: bool) -> str:
    """What is wrong with a set of memory without its rate, or a rate without its set."""
    hot, rate = spelt("hot_set"), spelt("write_rate")
    if is_hot and given.get("hot_set"):
        missing = f"{rate}, how much of it is written in a second"
        return f"{hot} {str(given['hot_set'])[:40]}: expected also {missing}"
    if given.get("write_rate") and not is_hot:
        missing = f"{hot}, how much memory is written to"
        return f"{rate} {str(given['write_rate'])[:40]}: expected also {missing}"
    return f"{hot} and {rate}: expected both, or none"
