"""Collisions over the plane of offered loads, for ISFC's rule and for others.

Both systems send at rates of their own, whatever arrives: messages of one length, at times drawn
from a seed. Of each pair of rates and each rule it is measured how often two writes collide, how
much of the CTCs' time that takes, and what is carried.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import pairwise
from operator import attrgetter
from random import Random
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from ctc.address import Rdev
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.layout.definition import define_link_end, make_fabric
from isfc.layout.layout import Layout
from isfc.link.counters import LinkEndSnapshot
from isfc.link.events import LinkEvent, Offer, TraceRecord
from isfc.link.message import Message
from isfc.link.parameters import LinkParameters, LinkRules
from isfc.link.scan import LinkDevice, scan_order
from isfc.link.schedule import WriteScheduler
from isfc.system.system import System
from scenarios.runs.experiment import NS_PER_S, WARMUP
from scenarios.runs.result import MIB, means, sent_between
from scenarios.runs.steady import BATCHES, drifts

MESSAGE_LENGTH: Final = 32_768
"""Bytes of a message if nothing else is said: those of HY, the published suite that is alike both
ways."""
CONVERSATIONS: Final = 50
"""Conversations that the messages of a side are spread over: they do not wait for each other."""
LOAD_MAX: Final = 2_000.0
"""Most MB/s that can be offered: more than any layout carries."""
SEEDS: Final = 3
"""Runs of each rule at each pair of loads, if nothing else is said: their spread says how far a
figure is known."""


STEPS_MAX: Final = 16
SECONDS_MAX: Final = 60.0


class Scan(Enum):
    """In which order the two ends look for a free CTC."""

    OPPOSITE = "opposite"
    """ISFC's: one end upward, the other downward."""
    UPWARD = "upward"
    RANDOM = "random"
    """Every time any of those that are free."""


class WriteRule(Struct, frozen=True):
    """How an end chooses a CTC; ``stop_short`` CTCs at the end of its scan are the partner's."""

    scan: Scan
    stop_short: int = 0

    @property
    def name(self) -> str:
        """As a table shows it."""
        return f"stop-short {self.stop_short}" if self.scan is Scan.OPPOSITE else self.scan.value


SCANS: Final = (
    *(WriteRule(Scan.OPPOSITE, count) for count in range(4)),
    WriteRule(Scan.UPWARD),
    WriteRule(Scan.RANDOM),
)


@dataclass(frozen=True, slots=True)
class CollisionTrial:
    """One run: a layout, a rule and what both sides offer, in MB/s of 2^20 bytes; times in s."""

    layout: Layout
    rule: WriteRule
    offered_out: float
    offered_in: float
    seconds: float = 0.5
    message_length: int = MESSAGE_LENGTH
    seed: int = 1
    warmup: float = WARMUP

    def __post_init__(self) -> None:
        for option, load in (("--offer-out", self.offered_out), ("--offer-in", self.offered_in)):
            if not 0 <= load <= LOAD_MAX:
                raise ConfigurationError(f"{option} {load:g}: expected 0 to {LOAD_MAX:g} MB/s")


class CollisionOutcome(Struct, frozen=True):
    """What came of a trial, from the end of its warm-up, or the mean of several seeds.

    "out" is sent by the layout's first system.
    """

    rule: str
    offered_out: float
    """MB/s"""
    offered_in: float
    collisions_per_s: float
    wasted_percent: float
    """time that CTCs lose to collisions, of the time they have: from the start of a write that
    collides until the first one that is made again"""
    mb_per_s_out: float
    mb_per_s_in: float
    packages_per_s: float
    collisions_per_s_spread: float = 0.0
    """how far the seeds differ: the greatest less the least"""
    mb_per_s_spread: float = 0.0
    """the same of both directions together"""
    drifts: bool = False
    """collisions or MB/s had a trend until the end with every seed, so that a longer run may give
    others"""

    @property
    def mb_per_s(self) -> float:
        """MB/s of both directions together."""
        return self.mb_per_s_out + self.mb_per_s_in

    def to_dict(self) -> dict[str, Any]:
        """Its record in ``isfc collide --json``, flat, as a data frame takes it."""
        return asdict(self)


class Source:
    """A program that sends messages at a rate, and listens to nothing."""

    def __init__(self, mb_per_s: float, length: int, until_ns: int, random: Random) -> None:
        self._mean_ns = length / (mb_per_s * MIB) * NS_PER_S if mb_per_s else None
        self._length = length
        self._until_ns = until_ns
        self._random = random

    def start(self, now_ns: int) -> Iterable[Offer]:
        """All there is to be sent, each message at its time."""
        if self._mean_ns is None:
            return
        at_ns, conversation = float(now_ns), 0
        while True:
            at_ns += self._random.expovariate(1 / self._mean_ns)
            if at_ns >= self._until_ns:
                return
            yield int(at_ns), [Message(conversation, self._length)]
            conversation = (conversation + 1) % CONVERSATIONS

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Nothing follows from what arrives."""
        return ()


class TimeLost:
    """A trace that adds up the time of CTCs that collisions take, as one system sees them.

    From the start of a write that collides until a write begins again there, whoever makes it.
    """

    def __init__(self, node: str, since_ns: int) -> None:
        self.wasted_ns = 0
        self._node = node
        self._since_ns = since_ns
        self._began_ns: dict[int, int] = {}
        self._collided: set[int] = set()

    def __call__(self, record: TraceRecord) -> None:
        """Receive one record of a trace."""
        now_ns, node, rdev, verb, _ = record
        if node != self._node:
            return
        if verb == "Collided":
            self._collided.add(rdev)
        elif verb in ("WRITE", "Attention", "DeviceLost"):
            if rdev in self._collided:
                self._collided.discard(rdev)
                self.wasted_ns += max(0, now_ns - max(self._since_ns, self._began_ns[rdev]))
            self._began_ns[rdev] = now_ns


def trials(
    layout: Layout,
    loads_out: Sequence[float],
    loads_in: Sequence[float],
    seconds: float,
    message_length: int,
    seeds: Sequence[int],
) -> list[CollisionTrial]:
    """Every rule over every pair of loads, with each seed: those of one pair follow each other.

    Rules that would leave no CTC to write on are left out.
    With one CTC both ends have to write on it, so that every rule is the same.
    """
    count = len(layout.ctcs)
    return [
        CollisionTrial(layout, rule, out, back, seconds, message_length, seed)
        for rule in SCANS
        if rule.stop_short < count
        for out in loads_out
        for back in loads_in
        for seed in seeds
    ]


def loads_up_to(most: float, steps: int) -> list[float]:
    """So many loads up to the most, in equal steps; one where there is nothing to offer."""
    return sorted({most * step / steps for step in range(1, steps + 1)})


def mean_outcomes(outcomes: Sequence[CollisionOutcome], seeds: int) -> list[CollisionOutcome]:
    """The mean of each ``seeds`` outcomes that follow each other."""
    return [mean_outcome(outcomes[at : at + seeds]) for at in range(0, len(outcomes), seeds)]


def mean_outcome(outcomes: Sequence[CollisionOutcome]) -> CollisionOutcome:
    """The mean of trials that differ by their seed alone, and how far the seeds differ."""
    first, collisions = outcomes[0], [each.collisions_per_s for each in outcomes]
    carried = [each.mb_per_s for each in outcomes]
    names = "collisions_per_s", "wasted_percent", "mb_per_s_out", "mb_per_s_in", "packages_per_s"
    return replace(
        first,
        **means(outcomes, names),
        collisions_per_s_spread=max(collisions) - min(collisions),
        mb_per_s_spread=max(carried) - min(carried),
        drifts=all(each.drifts for each in outcomes),
    )


def collide(trial: CollisionTrial) -> CollisionOutcome:
    """Run one trial."""
    layout, warmup_ns = trial.layout, round(trial.warmup * NS_PER_S)
    end_ns = warmup_ns + round(trial.seconds * NS_PER_S)
    waste = TimeLost(layout.nodes[0], warmup_ns)
    fabric = make_fabric([layout])
    randoms = [Random(f"{trial.seed} {here}") for here in range(len(layout.nodes))]
    systems = [
        System(
            [define_link_end(layout, name, LinkParameters())],
            waste,
            fabric=fabric,
            rules=link_rules(trial.rule, random),
        )
        for name, random in zip(layout.nodes, randoms, strict=True)
    ]
    ends = [system.ends[0] for system in systems]
    programs = [
        Source(load, trial.message_length, end_ns, random)
        for load, random in zip((trial.offered_out, trial.offered_in), randoms, strict=True)
    ]
    engine = VirtualEngine(systems, programs)
    looks: list[list[LinkEndSnapshot]] = []
    for batch in range(BATCHES + 1):
        engine.run(warmup_ns + (end_ns - warmup_ns) * batch // BATCHES)
        looks.append([end.snapshot(engine.now_ns) for end in ends])
    before, after = looks[0], looks[-1]

    def per_s(counts: Iterable[int]) -> float:
        return sum(counts) / trial.seconds

    return CollisionOutcome(
        rule=trial.rule.name,
        offered_out=trial.offered_out,
        offered_in=trial.offered_in,
        collisions_per_s=per_s([after[0].collision_count - before[0].collision_count]),
        wasted_percent=100 * waste.wasted_ns / (len(layout.ctcs) * (end_ns - warmup_ns)),
        mb_per_s_out=per_s([sent_between(before[0], after[0])]) / MIB,
        mb_per_s_in=per_s([sent_between(before[1], after[1])]) / MIB,
        packages_per_s=per_s(
            last.write_package_count - first.write_package_count
            for first, last in zip(before, after, strict=True)
        ),
        drifts=_drifts(looks),
    )


def _drifts(looks: Sequence[Sequence[LinkEndSnapshot]]) -> bool:
    """Whether collisions or what is carried had a trend until the end."""
    collisions = [here.collision_count for here, _ in looks]
    carried = [sum(end.sent_length for end in ends) for ends in looks]
    return any(drifts([b - a for a, b in pairwise(seen)]) for seen in (collisions, carried))


def link_rules(rule: WriteRule, random: Random) -> LinkRules:
    """The rules of a link's end that chooses its CTCs by ``rule``."""

    def make(
        devices: Sequence[LinkDevice], lesser: bool, parameters: LinkParameters
    ) -> WriteScheduler:
        opposite = rule.scan is Scan.OPPOSITE
        return WriteScheduler(
            scan_order(devices, lesser=lesser) if opposite else _upward(devices, lesser),
            parameters.opening_rule,
            keep=lambda count: min(rule.stop_short, count - 1),
            choose=partial(_any_of, random) if rule.scan is Scan.RANDOM else None,
        )

    return LinkRules(scheduler=make)


def _upward(devices: Sequence[LinkDevice], lesser: bool) -> tuple[Rdev, ...]:
    """The devices of one end in the order of the lesser end's numbers, for either end."""
    ordered = sorted(devices, key=attrgetter("rdev" if lesser else "partner_rdev"))
    return tuple(device.rdev for device in ordered)


def _any_of(random: Random, free: int) -> int:
    """One of the bits that are set, each with the same probability."""
    return random.choice([1 << place for place in range(free.bit_length()) if free >> place & 1])
