"""How channels are cabled: which director port each sits on, or which two share a cable.

A deck gives for each control unit the port of the *far* channel, never a channel's own. So what a
user does not tell is inferred: of all cablings, those that pair the most devices count, and of
these the ones in which most of what decks say of cabling agrees (`isfc.deck.cabling.agreements`).
If there is one, it is the answer; if there are several, the user is asked.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from isfc.deck.cabling import AGREEMENTS_MAX, Cabling, DeviceGroup, agreements
from isfc.errors import ConfigurationError
from isfc.link.name import NodeName

STEPS_MAX: Final = 50_000
"""Pairs of groups that the search for cablings looks at: less than a second."""

GROUPS_MAX: Final = 64
"""Pairs of chpid and link address at one end. A logical link has at most sixteen CTCs."""

NAMED_MAX: Final = 6
"""Possibilities that a message lists."""


@dataclass(frozen=True, slots=True)
class Matched:
    """Groups that lead to each other, and ``NODE:50`` to ``C1`` for ports that were inferred."""

    pairs: tuple[tuple[DeviceGroup, DeviceGroup], ...]
    inferred: Mapping[str, str]


def match(
    nodes: tuple[NodeName, NodeName],
    sides: tuple[Sequence[DeviceGroup], Sequence[DeviceGroup]],
    cabling: Cabling,
) -> Matched:
    """The one way in which the groups of two systems can lead to each other.

    Raises `ConfigurationError`, with the possibilities, if there are several.
    """
    for node, groups in zip(nodes, sides, strict=True):
        if len(groups) > GROUPS_MAX:
            raise ConfigurationError(
                f"{node}: its devices to the other system are on {len(groups)} pairs of chpid and "
                f"link address; expected at most {GROUPS_MAX}"
            )
    search = _Search(nodes, sides, cabling)
    search.run()
    best = search.found
    if len(best) > 1 or search.exhausted:
        lines = [f"  --ports {options}" for options in search.possibilities()]
        more = ["  ..."] if len(best) > NAMED_MAX or search.exhausted else []
        raise ConfigurationError(
            f"{nodes[0]} and {nodes[1]}: the decks do not say which director port each channel "
            "sits on (or which channels share a cable), and several cablings pair as many "
            "devices; expected the right one of\n" + "\n".join([*lines, *more])
        )
    pairs = best[0] if best else ()
    return Matched(pairs, search.told(pairs))


_Pairs = tuple[tuple[DeviceGroup, DeviceGroup], ...]


class _Search:
    """Depth first through the groups of the first system, with bounds on steps and results."""

    def __init__(
        self,
        nodes: tuple[NodeName, NodeName],
        sides: tuple[Sequence[DeviceGroup], Sequence[DeviceGroup]],
        cabling: Cabling,
    ) -> None:
        self._nodes = nodes
        self._given = cabling
        self._here = sorted(sides[0], key=lambda group: -len(group.devices))
        self._there = list(sides[1])
        self._steps = 0
        self._best = 0
        self.found: list[_Pairs] = []
        self.exhausted = False

    def run(self) -> None:
        """Find all cablings that are worth the most, or enough to name some."""
        at_most = [
            max((_worth(here, there) for there in self._there), default=0) for here in self._here
        ]
        self._rest = [sum(at_most[index:]) for index in range(len(at_most) + 1)]
        self._go(0, 0, (), self._given)

    def told(self, pairs: _Pairs) -> dict[str, str]:
        """What ``pairs`` imply that the user has not said, as ``--ports`` takes it."""
        told: dict[str, str] = {}
        known = {*self._given.ports, *self._given.cables}
        for here, there in pairs:
            cable = f"{self._nodes[1]}:{there.channel}"
            ends = (
                (self._nodes[0], here.channel, there.link or cable),
                (self._nodes[1], there.channel, here.link),
            )
            for node, channel, port in ends:
                if port and id(channel) not in known:
                    known.add(id(channel))
                    told[f"{node}:{channel}"] = port
        return told

    def possibilities(self) -> list[str]:
        """Some of what was found, as ``--ports`` takes it: one end's ports if they tell enough."""
        told = [self.told(pairs) for pairs in sorted(self.found, key=_straight)[:NAMED_MAX]]
        near = [
            _options(
                {key: port for key, port in each.items() if key.startswith(f"{self._nodes[0]}:")}
            )
            for each in told
        ]
        return near if len(set(near)) == len(told) else list(map(_options, told))

    def _go(self, index: int, score: int, pairs: _Pairs, cabling: Cabling) -> None:
        self._steps += len(self._there)
        self.exhausted = self.exhausted or self._steps > STEPS_MAX
        bound = score + self._rest[index]
        enough = len(self.found) > NAMED_MAX and bound <= self._best
        if self.exhausted or bound < self._best or bound == 0 or enough:
            return
        if index == len(self._here):
            if score > self._best:
                self._best, self.found = score, []
            self.found.append(pairs)
            return
        here = self._here[index]
        taken = {id(there) for _, there in pairs}
        for there in sorted(self._there, key=lambda other: other.channel is here.channel):
            worth = _worth(here, there)
            if worth and id(there) not in taken and (more := cabling.lead(here, there)):
                self._go(index + 1, score + worth, (*pairs, (here, there)), more)
        self._go(index + 1, score, pairs, cabling)


def _straight(pairs: _Pairs) -> int:
    """How many pairs have one channel at both ends, which is possible and seldom meant."""
    return sum(here.channel is there.channel for here, there in pairs)


def _worth(here: DeviceGroup, there: DeviceGroup) -> int:
    """How good it is to pair two groups: by devices, then by SWITCH; 0 without a common device."""
    common = len(here.devices.keys() & there.devices.keys())
    return common * _DEVICE_WORTH + agreements(here, there) if common else 0


_DEVICE_WORTH: Final = AGREEMENTS_MAX * GROUPS_MAX + 1
"""One device more counts for more than all agreements together."""


def _options(told: Mapping[str, str]) -> str:
    return ",".join(f"{key}={value}" for key, value in sorted(told.items()))
