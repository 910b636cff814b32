"""Items taken together: by what they have in common, or as runs of which each goes on."""

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

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
