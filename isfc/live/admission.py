"""Whose connections may greet while partners are there: a stranger's so many, a partner's any.

Before it is known who is there, a connection costs the loop up to a millisecond, most of it for
TLS; and one loop serves all links of a node. So an address has an allowance of greetings, and all
addresses together have one. Beyond it a connection is closed as soon as it is accepted, which costs
microseconds. Addresses from which a partner has come are free of it. While a partner is missing
nobody is bound by it (`isfc.live.node_port`): the partner may come from an address of strangers.
"""

from collections import OrderedDict
from collections.abc import Callable
from typing import Final

GREETINGS_PER_S: Final = 20.0
"""Greetings that an address may begin each second, when it has used up its first `GREETINGS`."""

GREETINGS: Final = 64.0
"""Greetings together, for each link of the node: four for each CTC of the largest link."""

ADDRESSES: Final = 8
"""All strangers together may greet as often as so many addresses."""

ADDRESSES_MAX: Final = 256
"""Addresses that are remembered, of strangers and of partners each."""


class Allowance:
    """Greetings that may begin: at most ``most`` of them together, ``per_s`` more each second."""

    def __init__(self, most: float, per_s: float, now_s: float) -> None:
        self._most = self._left = most
        self._per_s = per_s
        self._since_s = now_s

    def has_any(self, now_s: float) -> bool:
        """Whether one more may begin."""
        self._left = min(self._most, self._left + self._per_s * (now_s - self._since_s))
        self._since_s = now_s
        return self._left >= 1.0

    def take(self) -> None:
        """One more begins."""
        self._left -= 1.0


class Admission:
    """Admits addresses to a node of ``link_count`` links; ``clock`` gives seconds."""

    def __init__(self, link_count: int, clock: Callable[[], float]) -> None:
        self._most = GREETINGS * max(1, link_count)
        self._clock = clock
        self._all = Allowance(ADDRESSES * self._most, ADDRESSES * GREETINGS_PER_S, clock())
        self._strangers: OrderedDict[str, Allowance] = OrderedDict()
        self._partners: OrderedDict[str, None] = OrderedDict()

    def know(self, address: str) -> None:
        """A partner has come from there."""
        self._partners[address] = None
        self._partners.move_to_end(address)
        _forget_oldest(self._partners)

    def admits(self, address: str) -> bool:
        """Whether a connection from there may greet."""
        if address in self._partners:
            self._partners.move_to_end(address)
            return True
        now_s = self._clock()
        own = self._strangers.get(address)
        if own is None:
            own = self._strangers[address] = Allowance(self._most, GREETINGS_PER_S, now_s)
            _forget_oldest(self._strangers)
        self._strangers.move_to_end(address)
        if not (own.has_any(now_s) and self._all.has_any(now_s)):
            return False
        own.take()
        self._all.take()
        return True


def _forget_oldest(known: OrderedDict[str, Allowance] | OrderedDict[str, None]) -> None:
    if len(known) > ADDRESSES_MAX:
        known.popitem(last=False)
