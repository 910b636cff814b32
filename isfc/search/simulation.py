"""A run from Python: a layout, a workload and pairs of guests in, a `Simulation` out.

What ``isfc run`` does for people, `simulate` does for programs; the figures are the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final

from msgspec import structs

from isfc.arguments import checked
from isfc.layout.catalogue import AnyLayout
from isfc.layout.note import Note
from isfc.layout.shown import html_plot, html_table
from isfc.link.name import NodeName
from scenarios.figures.figure import Figure
from scenarios.figures.ranges import run_figures
from scenarios.runs.at_site import GivenSite, link_at
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import run_notes
from scenarios.runs.result import EndSamples, Result, Sample
from scenarios.runs.run import Recording, check_interval, run
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import Workload, find_workload

_SHOWN: Final = {
    "MB/s": "mb_per_s",
    "messages/s": "messages_per_s",
    "RDEV util %": "rdev_util_percent",
    "collisions/s": "collisions_per_s",
}
"""What is worth a glance, by its heading: measures of `scenarios.runs.result.Result`."""


@dataclass(frozen=True, slots=True, repr=False)
class Simulation:
    """What both ends of a link saw of one run.

    ``client`` and ``server`` each have ``whole``, the figures of the measured time as one
    `Sample`, and ``parts``, one `Sample` for each interval. A sample's ``result`` has every
    figure (MB are 2^20 bytes, "out" is written by that end) and its ``devices``.
    """

    recording: Recording

    @property
    def experiment(self) -> Experiment:
        """What was run: layout, workload, pairs, seconds, warm-up and seed."""
        return self.recording.experiment

    @property
    def client(self) -> EndSamples:
        """What the system of the clients saw."""
        return self.recording.client

    @property
    def server(self) -> EndSamples:
        """What the system of the servers saw."""
        return self.recording.server

    @property
    def result(self) -> Result:
        """The figures of the whole measured time, seen from the clients' system."""
        return self.client.whole.result

    @property
    def mb_per_s(self) -> float:
        """MB/s (2^20) both ways, of the whole measured time."""
        return self.result.mb_per_s

    @property
    def mb_per_s_out(self) -> float:
        """MB/s (2^20) that the clients' system wrote."""
        return self.result.mb_per_s_out

    @property
    def messages_per_s(self) -> float:
        """Messages both ways."""
        return self.result.messages_per_s

    @property
    def rdev_util_percent(self) -> float:
        """Utilisation of its CTCs as the clients' system sees it, summed."""
        return self.result.rdev_util_percent

    @property
    def collisions_per_s(self) -> float:
        """Write collisions that the clients' system saw."""
        return self.result.collisions_per_s

    @property
    def figures(self) -> dict[str, Figure]:
        """What `result` has, by the same names, each with its range or why it has none."""
        return run_figures(self.experiment, _figures(self.result))

    @property
    def notes(self) -> tuple[Note, ...]:
        """What belongs to these figures, such as that the model is extrapolated."""
        run = self.experiment
        return run_notes(run.layout, run.workload, run.pairs, self.mb_per_s)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each interval and system, as a data frame takes them.

        ``until_s`` is when the interval ended, in seconds of virtual time with the warm-up.
        """
        return [{"until_s": sample.until, **_figures(sample.result)} for sample in self._samples()]

    def device_rows(self) -> list[dict[str, Any]]:
        """A flat record for each interval, system and RDEV; times in ms for each I/O."""
        return [
            {"until_s": sample.until, "node": sample.result.node, **asdict(device)}
            for sample in self._samples()
            for device in sample.result.devices
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as one JSON document; names and meanings of the keys stay."""
        experiment = self.experiment
        return {
            "nodes": list(experiment.layout.nodes),
            **experiment.settings(),
            "systems": [
                {**asdict(seen.whole.result), "intervals": [_interval(part) for part in seen.parts]}
                for seen in (self.client, self.server)
            ],
            "ranges": {
                name: each.range.to_dict() for name, each in self.figures.items() if each.range
            },
            "notes": [structs.asdict(note) for note in self.notes],
        }

    def _samples(self) -> Iterator[Sample]:
        """The intervals in the order of time, the clients' system first."""
        for pair in zip(self.client.parts, self.server.parts, strict=True):
            yield from pair

    def __repr__(self) -> str:
        figures = ", ".join(
            f"{heading} {getattr(self.result, measure):,.1f}" for heading, measure in _SHOWN.items()
        )
        return f"<Simulation {self._title()}: {figures}>"

    def _repr_html_(self) -> str:
        """A table with a column for each system, and MB/s by interval, for a notebook."""
        ends = [seen.whole.result for seen in (self.client, self.server)]
        rows = [
            (heading, *(getattr(end, measure) for end in ends))
            for heading, measure in _SHOWN.items()
        ]
        if within := self.figures["mb_per_s"].range:
            rows.append(("MB/s in four of five cases", str(within.likely), ""))
        plot = html_plot("MB/s by interval", [part.result.mb_per_s for part in self.client.parts])
        return html_table(self._title(), ("", *(end.node for end in ends)), rows) + plot

    def _title(self) -> str:
        experiment = self.experiment
        first, second = experiment.layout.nodes
        return (
            f"{first} - {second}, {experiment.workload.name}, {experiment.pairs} pairs, "
            f"{experiment.seconds:g} s"
        )


@checked
def simulate(
    layout: AnyLayout,
    workload: Workload | str,
    *,
    pairs: int,
    seconds: float = 10.0,
    warmup: float = WARMUP,
    interval: float = 1.0,
    seed: int = 1,
    client: str | None = None,
    progress: Callable[[float], None] | None = None,
    profile: GivenSite = None,
) -> Simulation:
    """Run a workload over a layout in virtual time, and return what both ends measured.

    ``layout`` is a `Layout`, the name of a shipped one or the path of a file; ``workload`` a
    `Workload` or a name such as ``"HL"`` or ``"CDU:1000"``. Times are seconds of virtual time:
    ``seconds`` are measured after ``warmup``, in parts of ``interval``. ``client`` names the
    system of the clients, the layout's first if it is None. ``progress`` is told now and then how
    many seconds of virtual time have passed, those of the warm-up included. ``profile`` is a
    site's, as `isfc.measured.fit` gives it, or the path of its file. The same arguments give the
    same figures, on every machine. Raises `ConfigurationError` for what cannot be run.
    """
    check_interval(interval)
    found = link_at(layout, profile)
    experiment = Experiment.of(
        found,
        find_workload(workload),
        pairs=pairs,
        seconds=seconds,
        warmup=warmup,
        seed=seed,
        client=None if client is None else NodeName(client.upper()),
    )
    return Simulation(run(experiment, interval, progress=progress).link())


def _figures(result: Result) -> dict[str, Any]:
    """The figures of the link as a whole, without its devices."""
    figures = asdict(result)
    del figures["devices"]
    return figures


def _interval(sample: Sample) -> dict[str, Any]:
    figures = asdict(sample.result)
    del figures["node"]
    return {"until_s": sample.until, **figures}
