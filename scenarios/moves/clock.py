"""The time of guests, by that of what runs: it goes on while a part of their passes is passed over.

And where links send more in a run than is to be counted on, as `isfc.layout.capacity` has it, it is
as much longer: guests begin, are changed, stopped and given up by it, and so is all that is counted
of them and of what is beside them.
"""

from collections.abc import Iterable, Mapping
from math import ceil
from typing import final

from isfc.layout.capacity import End, StatedOfChpids
from isfc.layout.layout import Layout
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.result import MIB
from scenarios.runs.steady import Rate


@final
class GuestClock:
    """Read by the engine's time; what is beyond that goes by without jumps, in what is run next."""

    def __init__(self, at_ns: int = 0) -> None:
        self.looked_ns, self._beyond_ns = at_ns, 0
        """By the engine, when it was looked at last."""
        self._owed_ns = self._faster = 0.0

    def time_ns(self, engine_ns: int) -> int:
        """The time of guests."""
        return engine_ns + self._beyond_ns + round((engine_ns - self.looked_ns) * self._faster)

    def engine_ns(self, time_ns: int) -> int:
        """That of the engine at which it is so late, as far as is known."""
        since_ns = time_ns - self._beyond_ns - self.looked_ns
        return self.looked_ns + ceil(since_ns / (1 + self._faster))

    def pass_over(self, ns: int) -> None:
        """So much time goes by without a run."""
        self._beyond_ns += ns

    def look(self, engine_ns: int, share: float) -> float:
        """What was run since the last look had such a share that is to be counted on.

        Return how many ns of guests it took.
        """
        ran_ns = engine_ns - self.looked_ns
        if not ran_ns:
            return 0.0
        beyond_ns = ran_ns * (1 / share - 1)
        given_ns = self.time_ns(engine_ns) - engine_ns - self._beyond_ns
        self.looked_ns, self._beyond_ns = engine_ns, self._beyond_ns + given_ns
        self._owed_ns += beyond_ns - given_ns
        self._faster = max(0.0, beyond_ns + self._owed_ns) / ran_ns
        return ran_ns + beyond_ns


@final
class CountedLinks:
    """What of that which some links send is to be counted on."""

    def __init__(self, links: Iterable[Layout]) -> None:
        self._links = [*links]
        self._ceiling = StatedOfChpids(self._links)

    def shares(self, sent_bytes: Mapping[End, float], ns: float) -> dict[End, float]:
        """Of each end, of what was sent in so many ns.

        Of both ends of a link it is the less, as answers and requests wait for each other.
        """
        sent = {end: Rate(each * NS_PER_S / ns / MIB) for end, each in sent_bytes.items() if each}
        counted = self._ceiling(sent)
        found = {end: counted[end].mb_per_s / rate.mb_per_s for end, rate in sent.items()}
        return {end: min(found.get(end, 1.0), found.get(end[::-1], 1.0)) for end in sent_bytes}
