"""The options that describe a guest that is relocated, and what they come to.

A file of guests has the same names as columns: `isfc.cli.options.guest_file`.
"""

from collections.abc import Callable
from typing import Annotated

from msgspec import Struct

from isfc.arguments import read_size
from isfc.cli.options.option import valued
from isfc.errors import ConfigurationError
from scenarios.moves.guest import MEMORY_MAX, MEMORY_MIN
from scenarios.moves.guest_memory import KNOWN_GUESTS, GuestMemory


def as_option(name: str) -> str:
    """What an error calls a value of the command line."""
    return f"--{name.replace('_', '-')}"


class GuestOptions(Struct, frozen=True):
    """What was given of a guest, as text; None is not given."""

    memory: Annotated[str | None, valued("SIZE", "Memory of a guest, such as 64G.")] = None
    change_rate: Annotated[
        str | None,
        valued("SIZE", "How much of it changes in a second, spread evenly, such as 400M."),
    ] = None
    touched: Annotated[
        str | None,
        valued(
            "SIZE",
            "What the guest has ever touched: the first pass moves it; all memory if not given.",
        ),
    ] = None
    hot_set: Annotated[
        str | None,
        valued("SIZE", "A set of memory that is written at random, such as a heap of 3G."),
    ] = None
    write_rate: Annotated[
        str | None, valued("SIZE", "How much is written to it in a second, as 1G.")
    ] = None
    like: Annotated[
        str | None,
        valued(
            "KIND",
            f"A guest as IBM measured: {', '.join(KNOWN_GUESTS)}. Options that describe the "
            "guest go before.",
        ),
    ] = None

    def read(self, named: Callable[[str], str] = as_option) -> GuestMemory:
        """The guest's memory; an error names the value as ``named`` says."""
        known = self._known(named)
        if known is None and (self.memory is None or not self._changes):
            raise ConfigurationError(
                f"expected {named('memory')}, and {named('change_rate')} or {named('hot_set')}, "
                f"or {named('like')} KIND"
            )
        size = _size(named("memory"), self.memory, known.size if known else 0)
        if self.memory is not None and size < MEMORY_MIN and self.memory[-1:].isdigit():
            raise ConfigurationError(_no_unit(named("memory"), self.memory, "16G"))
        if not MEMORY_MIN <= size <= MEMORY_MAX:
            raise ConfigurationError(f"{named('memory')} {self.memory}: expected 1M to 16T")
        touched = _size(named("touched"), self.touched, min(known.touched, size) if known else size)
        even = _rate(named("change_rate"), self.change_rate, known.change_rate if known else 0)
        hot_set = _size(named("hot_set"), self.hot_set, known.hot_set if known else 0)
        written = _rate(named("write_rate"), self.write_rate, known.write_rate if known else 0)
        if not 1 <= touched <= size:
            raise ConfigurationError(
                f"{named('touched')} {self.touched}: expected 1 byte to the memory, "
                f"{size / 2**30:g} GiB"
            )
        if hot_set > touched:
            raise ConfigurationError(self._too_hot(named, hot_set, touched))
        if bool(written) != bool(hot_set):
            raise ConfigurationError(self._half(named, is_hot=bool(hot_set)))
        return GuestMemory(
            size=size, touched=touched, change_rate=even, hot_set=hot_set, write_rate=written
        )

    @property
    def _changes(self) -> bool:
        """Whether something is said of how memory changes."""
        return bool(self.change_rate or self.hot_set or self.write_rate)

    def _too_hot(self, named: Callable[[str], str], hot_set: int, touched: int) -> str:
        """What is wrong with a hot set, given or that of a known guest, beyond what is touched."""
        if self.hot_set:
            return (
                f"{named('hot_set')} {self.hot_set[:40]}: expected at most what is touched, "
                f"{touched / 2**30:g} GiB"
            )
        return (
            f"{named('like')} {self.like}: has a hot set of {hot_set / 2**30:g} GiB, and "
            f"{touched / 2**30:g} GiB are touched; expected {named('hot_set')} and "
            f"{named('write_rate')} of that memory as well, or more memory"
        )

    def _half(self, named: Callable[[str], str], *, is_hot: bool) -> str:
        """What is wrong with a set of memory without its rate, or a rate without its set."""
        hot, rate = named("hot_set"), named("write_rate")
        if is_hot and self.hot_set:
            missing = f"{rate}, how much of it is written in a second"
            return f"{hot} {self.hot_set[:40]}: expected also {missing}"
        if self.write_rate and not is_hot:
            missing = f"{hot}, how much memory is written to"
            return f"{rate} {self.write_rate[:40]}: expected also {missing}"
        return f"{hot} and {rate}: expected both, or none"

    def _known(self, named: Callable[[str], str]) -> GuestMemory | None:
        if self.like is None:
            return None
        if self.like not in KNOWN_GUESTS:
            raise ConfigurationError(
                f"{named('like')} {self.like[:40]}: expected one of {', '.join(KNOWN_GUESTS)}"
            )
        return KNOWN_GUESTS[self.like].memory


def _size(name: str, text: str | None, default: int) -> int:
    return default if text is None else read_size(name, text)


def _no_unit(name: str, text: str, example: str) -> str:
    return f"{name} {text[:40]}: expected a unit, K, M, G or T, as {example}"


def _rate(name: str, text: str | None, default: int) -> int:
    """A rate needs its unit: so many bytes a second are hardly meant."""
    if text is None:
        return default
    rate = read_size(name, text)
    if rate and text[-1].isdigit():
        raise ConfigurationError(_no_unit(name, text, "400M"))
    if rate > MEMORY_MAX:
        raise ConfigurationError(f"{name} {text[:40]}: expected at most 16T")
    return rate
