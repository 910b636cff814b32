"""A run as both of its ends saw it, of the whole and in parts: what every table is made from.

Several published tables show the same run, from one end or the other, as a whole or minute by
minute. It is run once.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from isfc.engine.virtual import VirtualEngine
from isfc.link.counters import LinkEndSnapshot
from isfc.system.link_end import LinkEnd
from scenarios.report import MeasuredRun
from scenarios.run import NS_PER_S, Experiment, Sample, build, measure

PARTS: Final = 3
"""Samples of one run: IBM shows three minutes of H001709C."""
ROUNDING_NS: Final = 1_000
"""A last part would have to be longer: seconds were rounded to nanoseconds."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What one end saw of a run: the whole, and one sample after the other."""

    whole: Sample
    parts: tuple[Sample, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """What both ends saw of one run of an experiment."""

    experiment: Experiment
    client: Seen
    server: Seen

    def whole(self, name: str, side: str) -> MeasuredRun:
        """The run as one sample, taken at ``side``: ``client`` or ``server``."""
        return MeasuredRun(name, self.experiment, (self._seen(side).whole,))

    def parts(self, name: str, side: str) -> MeasuredRun:
        """The run as samples of equal length."""
        return MeasuredRun(name, self.experiment, self._seen(side).parts)

    def _seen(self, side: str) -> Seen:
        return {"client": self.client, "server": self.server}[side]


def record(experiment: Experiment, interval: float | None = None) -> Recording:
    """Run an experiment to its end, and look at both ends now and then. That changes nothing.

    The parts are ``interval`` seconds long, the last maybe shorter; thirds if it is None.
    """
    engine, systems = build(experiment)
    ends = [system.ends[0] for system in systems]
    begin_ns = int(experiment.warmup * NS_PER_S)
    end_ns = int((experiment.warmup + experiment.seconds) * NS_PER_S)
    step_ns = -(-(end_ns - begin_ns) // PARTS) if interval is None else round(interval * NS_PER_S)
    between = range(begin_ns + step_ns, end_ns - ROUNDING_NS, step_ns)
    snapshots = [_look(engine, ends, moment_ns) for moment_ns in (begin_ns, *between, end_ns)]
    client, server = (
        _see(end, [pair[index] for pair in snapshots]) for index, end in enumerate(ends)
    )
    return Recording(experiment, client, server)


def _look(engine: VirtualEngine, ends: list[LinkEnd], moment_ns: int) -> list[LinkEndSnapshot]:
    engine.run(moment_ns)
    return [end.snapshot(engine.now_ns) for end in ends]


def _see(end: LinkEnd, snapshots: list[LinkEndSnapshot]) -> Seen:
    def sample(before: LinkEndSnapshot, after: LinkEndSnapshot) -> Sample:
        return Sample(after.now_ns / NS_PER_S, measure(end.name, before, after))

    parts = pairwise(snapshots)
    return Seen(sample(snapshots[0], snapshots[-1]), tuple(sample(*pair) for pair in parts))
