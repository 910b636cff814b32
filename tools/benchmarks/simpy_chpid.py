"""A chpid in SimPy: a processor that starts I/Os, and transfers that share fibre and channel.

The physics is that of `ctc.chpid`, with the same profiles.
"""

import heapq
from itertools import count

import simpy
from msgspec import Struct
from simpy.events import Event, ProcessGenerator

from ctc.features import ChpidProfile
from isfc.link.package import Package


class Direction(Struct):
    """The transfers of one direction of a fibre, and what they want of line and processor.

    The wants are sums of shares of each resource's time: 1 is all of it.
    """

    count: int = 0
    line: float = 0.0
    processor: float = 0.0
    turns_ns: int = 0
    """One turn of each."""

    @property
    def line_pace(self) -> float:
        """How fast the line lets each transfer go; 1 is as if alone."""
        return 1.0 / max(1.0, self.line)


class SimpyChpid:
    """One end of a fibre: a processor that starts I/Os, and transfers that share the rest."""

    def __init__(self, env: simpy.Environment, profile: ChpidProfile) -> None:
        self.outward = Direction()
        self.inward = Direction()
        self._env = env
        self._profile = profile
        self._processor = simpy.Resource(env)
        self._transfers: list[tuple[float, int, Package, Event]] = []
        self._serials = count()
        self._pace = 1.0
        self._done_ns = 0.0
        self._done_at_ns = 0.0
        self._sharing = env.process(self._share())

    @property
    def interrupt_ns(self) -> int:
        """From the end of a transfer until its interrupt; what comes in delays it."""
        return self._profile.interrupt_ns + self.inward.turns_ns

    @property
    def write_interrupt_ns(self) -> int:
        """The same of a write whose end is to be told promptly."""
        return self._profile.write_interrupt_ns + self.inward.turns_ns

    @property
    def notice_ns(self) -> int:
        """From an attention, or the end of SENSE, until CP is told; what goes out delays it."""
        return self.outward.turns_ns

    def start_io(self) -> ProcessGenerator:
        """Start an I/O; it leaves in its turn, after what is under way now, either way."""
        return self._start_io(self.outward.turns_ns + self.inward.turns_ns)

    def _start_io(self, latency_ns: int) -> ProcessGenerator:
        with self._processor.request() as turn:
            yield turn
            yield self._env.timeout(self._profile.io_ns)
        yield self._env.timeout(latency_ns)

    def transfer(self, package: Package) -> Event:
        """Send ``package``; the event comes when all of it is on the fibre."""
        self._advance()
        sent = self._env.event()
        goal_ns = self._done_ns + self._join(self.outward, package, 1)
        heapq.heappush(self._transfers, (goal_ns, next(self._serials), package, sent))
        self._find_pace()
        self._sharing.interrupt()
        return sent

    def observe(self, package: Package, change: int) -> None:
        """``package`` begins (+1) or ceases (-1) to come in."""
        self._advance()
        self._join(self.inward, package, change)
        self._find_pace()
        if self._transfers:
            self._sharing.interrupt()

    def _join(self, direction: Direction, package: Package, change: int) -> float:
        """Let a transfer join (+1) or leave (-1); return the ns it takes when alone."""
        profile, length, pieces = self._profile, package.length, package.count
        line_ns = length * profile.line_ns_per_byte
        processor_ns = (
            length * profile.processor_ns_per_byte + pieces * profile.processor_ns_per_ccw
        )
        solo_ns = max(line_ns, processor_ns) + pieces * profile.latency_ns_per_ccw + 1.0
        direction.count += change
        direction.turns_ns += change * min(profile.turn_ns, int(solo_ns))
        direction.line += change * line_ns / solo_ns
        direction.processor += change * processor_ns / solo_ns
        return solo_ns

    def _advance(self) -> None:
        """Every transfer has come on by the same fraction of its own pace."""
        now_ns = self._env.now
        self._done_ns += (now_ns - self._done_at_ns) * self._pace
        self._done_at_ns = now_ns

    def _find_pace(self) -> None:
        """Find the pace at which the transfers go on: max-min fair between the directions."""
        outward, inward = self.outward, self.inward
        pace = outward.line_pace
        crowding = 1.0 + self._profile.roll_off * max(0, outward.count - 1)
        outward_processor = outward.processor * crowding
        inward_part = inward.line_pace * inward.processor
        if pace * outward_processor + inward_part > 1.0:
            equal = 1.0 / (outward_processor + inward.processor)
            if equal > inward.line_pace:
                equal = (1.0 - inward_part) / outward_processor
            pace = min(pace, equal)
        self._pace = pace

    def _share(self) -> ProcessGenerator:
        """Complete one transfer after the other; compute again when another joins or leaves."""
        while True:
            try:
                if self._transfers:
                    left_ns = max(0.0, self._transfers[0][0] - self._done_ns) / self._pace
                    yield self._env.timeout(int(left_ns) + 1)
                else:
                    yield self._env.event()  # until interrupted
            except simpy.Interrupt:
                continue
            self._advance()
            goal_ns, _, package, sent = heapq.heappop(self._transfers)
            self._done_ns = max(self._done_ns, goal_ns)
            self._join(self.outward, package, -1)
            self._find_pace()
            sent.succeed()
