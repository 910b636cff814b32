"""A run as both of its ends saw it, of the whole and in parts: what every table is made from.

Several published tables show the same run, from one end or the other, as a whole or minute by
minute. It is run once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from isfc.link.counters import LinkEndSnapshot
from scenarios.report import MeasuredRun
from scenarios.run import NS_PER_S, Experiment, Sample, look, sample_of

PARTS: Final = 3
"""Samples of one run: IBM shows three minutes of H001709C."""


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
    begin_ns = int(experiment.warmup * NS_PER_S)
    end_ns = int((experiment.warmup + experiment.seconds) * NS_PER_S)
    step_ns = -(-(end_ns - begin_ns) // PARTS) if interval is None else round(interval * NS_PER_S)
    client, server = map(_see, zip(*look(experiment, step_ns), strict=True))
    return Recording(experiment, client, server)


def _see(snapshots: Sequence[LinkEndSnapshot]) -> Seen:
    """What one end saw, from its looks."""
    parts = tuple(sample_of(before, after) for before, after in pairwise(snapshots))
    return Seen(sample_of(snapshots[0], snapshots[-1]), parts)
