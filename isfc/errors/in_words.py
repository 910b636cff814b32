"""Names and lists as messages and findings have them: what is alike, what goes together."""

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from errno import EDQUOT, ENOSPC
from pathlib import Path
from typing import Final, TypeVar

from isfc.errors import ConfigurationError

_Name = TypeVar("_Name", bound=str)


def reason_of(error: OSError) -> str:
    """What a system says of an error, and what helps where a disk is full."""
    reason = error.strerror or str(error)
    return f"{reason}; make room there, or write elsewhere" if error.errno in _FULL else reason


_FULL: Final = (ENOSPC, EDQUOT)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an error of writing name the file that was wanted, in the words of the system."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise OSError(f"{path}: {error}") from None
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from None


def exact(value: float) -> str:
    """``1,027.5``: what was counted or given, with all its digits."""
    return f"{value:,.15g}"


def number(value: float, places: int = 0) -> str:
    """``1,027.5``: to so many places."""
    return f"{value:,.{places}f}"


def counted(count: int, what: str) -> str:
    """``1 CTC``, ``4 CTCs``."""
    return f"{count} {what}{'s' * (count != 1)}"


def listed(items: Iterable[object], word: str = "and") -> str:
    """``2, 4 and 8``, or with another word before the last."""
    *most, last = (f"{item:g}" if isinstance(item, float) else str(item) for item in items)
    return f"{', '.join(most)} {word} {last}" if most else last


def first_listed(items: Sequence[str], most: int, parting: str = ", ") -> str:
    """``40, 41 and 3 more``: no more than the first ``most``; all with commas if there are few."""
    more = len(items) - most
    return parting.join(items[:most]) + (f" and {more} more" if more > 0 else "")


_LINKS_MAX: Final = 6
"""Links that a cell of a table names: those of four members."""


def link_names(names: Sequence[str]) -> str:
    """Links by their names, or how many if they are many."""
    return f"{len(names)} links" if len(names) > _LINKS_MAX else ", ".join(names) or "none"


_LISTED_MAX: Final = 12
"""Names in a message. More would hide the message among them."""

_SHOWN_MAX: Final = 3
"""Names that are said to be alike."""


def expected(given: str, names: Iterable[str], others: str = "") -> str:
    """The remedy of an error message about a name: ``did you mean A or B?``, or ``expected ...``.

    ``others`` is what else may stand there, in words: ``a path``. Case does not count.
    """
    like = {name.casefold(): name for name in names}
    near = get_close_matches(given.casefold()[:80], like, n=_SHOWN_MAX)
    if near:
        return f"did you mean {' or '.join(like[name] for name in near)}?"
    first = ", ".join([*like.values()][:_LISTED_MAX])
    more = f" or one of {len(like) - _LISTED_MAX} more" if len(like) > _LISTED_MAX else ""
    return f"expected {f'{others} or ' * bool(others)}one of {first}{more}"


def check_known(what: str, given: str, known: Iterable[str]) -> None:
    """Raise `ConfigurationError` unless ``given``, the value of ``what``, is one that is known."""
    names = [*known]
    if given not in names:
        raise ConfigurationError(f"{what} {given[:40]!r}: {expected(given, names)}")


def check_between(what: str, value: float, least: float, most: float) -> None:
    """Raise `ConfigurationError` unless ``value``, that of ``what``, is from ``least`` to ``most``.

    What is not a number is not.
    """
    if not least <= value <= most:
        raise ConfigurationError(f"{what} {value:.15g}: expected {least:.15g} to {most:.15g}")


def no_node(what: str, name: str, nodes: Iterable[str]) -> ConfigurationError:
    """That ``name``, which ``what`` gives, is none of ``nodes``."""
    return ConfigurationError(
        f"{what} {name[:40]}: not a node of this layout; expected {listed(nodes, 'or')}"
    )


def find_node(what: str, name: str, nodes: Iterable[_Name]) -> _Name:
    """The one of ``nodes`` that ``name``, in any case, means; raises `no_node` if it means none."""
    known = tuple(nodes)
    for node in known:
        if node == name.upper():
            return node
    raise no_node(what, name, known)


_Key = TypeVar("_Key", bound=Hashable)
_T = TypeVar("_T")


def grouped(pairs: Iterable[tuple[_Key, _T]]) -> dict[_Key, list[_T]]:
    """The items of each key, both in the order in which they come."""
    found: dict[_Key, list[_T]] = {}
    for key, item in pairs:
        found.setdefault(key, []).append(item)
    return found


def runs(items: Iterable[_T], goes_on: Callable[[_T, _T], bool]) -> Iterator[list[_T]]:
    """Items, taken together as long as each ``goes_on`` after the last one."""
    run: list[_T] = []
    for each in items:
        if run and not goes_on(run[-1], each):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def ranges(addresses: Iterable[int]) -> Iterator[tuple[int, int]]:
    """First and count of each range that the addresses make."""
    for run in runs(sorted(addresses), lambda last, each: each == last + 1):
        yield run[0], len(run)
