"""A run as it is asked for: what is looked at and done meanwhile, and which record comes of it."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Struct
from msgspec.structs import asdict, replace

from isfc.answers.faults_run import FaultsRun, faults_run
from isfc.answers.given import called
from isfc.answers.limit import limit_of_run
from isfc.answers.link_run import LinkRun, limit_fields, link_run
from isfc.answers.links_run import LinksRun, links_run
from isfc.answers.views import (
    Interval,
    RunView,
    Shown,
    View,
    check_view,
    find_view,
    sample_seconds,
    view_title,
)
from isfc.errors import ConfigurationError
from isfc.errors.arguments import SEED_MAX, Argument, check_fields, spelt
from isfc.errors.in_words import check_known, listed
from isfc.layout.catalogue import AnyLayout, Decks
from isfc.link.message import Traffic
from isfc.link.name import NodeName
from isfc.link.parameters import RELEASES
from isfc.reports.figure import Unit
from isfc.reports.units import shown
from scenarios.faults.fault import DRAWN_COUNT, Fault, draw_faults, read_faults
from scenarios.figures.limit import find_limit, rests_on
from scenarios.figures.ranges import link_ratio
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import Transcript, read_script
from scenarios.runs.report import MeasuredRun, cluster_rows, make_name, measured
from scenarios.runs.result import Result, mean, repetitions
from scenarios.runs.run import Outcome
from scenarios.runs.run import run as run_links
from scenarios.runs.timeline import record_timelines
from scenarios.search.workers import each_by, told

if TYPE_CHECKING:
    from isfc.io.configuration import IoConfiguration

TRACED_MAX: Final = 60.0
"""Seconds of a run whose every I/O is kept: a minute of a busy link has some 600,000, as much as
Perfetto takes with ease."""

_APART: Final = {
    "trace": ("report", "seeds"),
    "cp": ("seeds",),
    "faults": ("report", "seeds", "cp", "trace"),
    "fault_seed": ("report", "seeds", "cp", "trace", "faults"),
}
"""What does not go with what: every run with a seed would have responses of its own."""


def check_traced(experiment: Experiment, *, trace: bool) -> None:
    """Raise `ConfigurationError` for a run too long to keep every I/O, if that is to be."""
    if trace and experiment.seconds > TRACED_MAX:
        raise ConfigurationError(
            f"{spelt('trace')} with {experiment.seconds:g} s: expected {spelt('seconds')} "
            f"{TRACED_MAX:g} or less"
        )


NEWEST: Final = max(RELEASES)
"""The z/VM of runs if nothing else is said (derived)."""


class Look(Struct, frozen=True):
    """What is looked at in a run, what is kept of it, and on which z/VM."""

    side: Annotated[
        str | None, Argument("NODE", "The node to measure at; the clients' if not given.")
    ] = None
    report: Shown = None
    interval: Interval = None
    why: Annotated[
        bool,
        Argument("", "Show also which constants of the model the rate rests on: it takes runs."),
    ] = False
    trace: Annotated[bool, Argument("", "Keep every I/O, as the answer's timelines.")] = False
    release: Annotated[
        str,
        Argument(
            "R",
            "6.1 for the link as z/VM 6.1 drove it, with APPC/VM over its first CTC alone, and "
            f"what an upgrade brings; {NEWEST} if not said.",
        ),
    ] = NEWEST

    def __post_init__(self) -> None:
        check_fields(self)


class Meanwhile(Struct, frozen=True):
    """What happens while links run: an operator's commands, or faults."""

    cp: Annotated[
        str | Path | None,
        Argument("FILE", "Give CP commands at times of the run: lines 'at 2.5s [NODE:] COMMAND'."),
    ] = None
    faults: Annotated[
        str | Path | None,
        Argument("FILE", "Let things go wrong at times of the run: a TOML file of [[fault]]."),
    ] = None
    fault_seed: Annotated[
        int | None,
        Argument(
            "N", f"The same with {DRAWN_COUNT} faults that are drawn from a seed.", 0, SEED_MAX
        ),
    ] = None

    def __post_init__(self) -> None:
        check_fields(self)

    def faults_of(self, experiment: Experiment) -> list[Fault] | None:
        """The faults, from a file or drawn; None if there are to be none."""
        where = experiment.collection
        if self.faults is not None:
            end = experiment.client_node, experiment.end_ns
            return read_faults(str(self.faults), where, *end)
        if self.fault_seed is None:
            return None
        return draw_faults(self.fault_seed, where, experiment.begin_ns, experiment.end_ns)

    def transcript_of(self, experiment: Experiment) -> Transcript | None:
        """What is to hold the responses to CP commands; None if there are no commands."""
        if self.cp is None:
            return None
        try:
            return Transcript(read_script(str(self.cp), experiment))
        except ConfigurationError as error:
            raise ConfigurationError(f"{spelt('cp')} {error}") from None


class AskedRun(Struct, frozen=True):
    """A run as it is asked for: of one link, or of several ``together``.

    ``layout`` is what was given as that, ``disks`` are those of its file.
    """

    experiment: Experiment
    together: bool
    layout: AnyLayout
    disks: "IoConfiguration | None"
    side: NodeName | None
    look: Look
    seeds: int | None
    jobs: int
    upgraded: Experiment | None = None
    """The same on the newest release of z/VM, of a run of an older one."""

    def on_release(self) -> "AskedRun":
        """The same as the release of z/VM drove links: an older one's had APPC/VM over one CTC."""
        newest, name, release = self.experiment, spelt("release"), self.look.release
        check_known(name, release, RELEASES)
        if release == NEWEST:
            return self
        if self.together or newest.workload.traffic is Traffic.TRANSPORT:
            raise ConfigurationError(
                f"{name} {release}: it had no ISFC Transport; expected APPC/VM over one link, such "
                f"as {spelt('workload')} CDU:1000000"
            )
        first = newest.layout.with_ctcs(newest.layout.device_list()[:1])
        older = dataclasses.replace(newest.over(first), link=RELEASES[release])
        return replace(self, experiment=older, upgraded=newest)

    def answer(self, meanwhile: Meanwhile) -> LinkRun | LinksRun | FaultsRun | RunView:
        """What it gives, if all that is asked for goes together."""
        view, experiment = find_view(self.look.report), self.experiment
        interval = sample_seconds(view, self.look.interval, self.seeds)
        self._check(view, meanwhile)
        if (faults := meanwhile.faults_of(experiment)) is not None:
            from scenarios.faults.run import run_with_faults  # most runs have none

            outcome = self._watched(run_with_faults, faults, together=self.together)
            return faults_run(experiment, outcome, together=self.together)
        more: dict[str, Any] = {}
        operation = None
        if (transcript := meanwhile.transcript_of(experiment)) is not None:
            operation, more["cp"] = transcript.operation, transcript.entries
        if self.seeds is not None:
            found = [*each_by(self.jobs)(run_links, repetitions(experiment, self.seeds))]
        elif self.look.trace:
            more["timelines"], outcome = self._watched(record_timelines, operation=operation)
            found = [outcome]
        elif self._shares_with_disks and transcript is None and view is None:
            from isfc.answers.shared import shared_by  # few links share with disks
            from scenarios.runs.shared_channel import run_shared

            shared = self._watched(run_shared, self.disks)
            found, more["disks"] = [shared.beside], shared_by(shared, self.side)
        else:
            found = [self._watched(run_links, interval, operation=operation)]
        if view is not None:
            return self._viewed(view, found, sampled=interval is not None, **more)
        return self._rates(found, **more)

    @property
    def _shares_with_disks(self) -> bool:
        """Whether disks are on a chpid of the links."""
        if self.disks is None:
            return False
        from isfc.io.shared import find_shared  # most files name no disks

        return bool(find_shared(self.disks, *self.experiment.collection.links))

    def _check(self, view: View | None, meanwhile: Meanwhile) -> None:
        """Raise `ConfigurationError` for what does not go together."""
        look, experiment, seeds = self.look, self.experiment, self.seeds
        wanted = {"report": view, "seeds": seeds, "trace": look.trace or None, **asdict(meanwhile)}
        for name, others in _APART.items():
            if wanted[name] is not None and any(wanted[each] is not None for each in others):
                without = listed(map(spelt, others))
                raise ConfigurationError(f"{spelt(name)}: expected without {without}")
        if look.why and (self.together or view is not None):
            raise ConfigurationError(
                f"{spelt('why')}: of one link as a whole; expected neither traffic nor view"
            )
        check_traced(experiment, trace=look.trace)
        if view is not None:
            check_view(view, experiment.each_alone)
            if self.together and (seeds or 1) > 1:
                both = f"{spelt('seeds')} and {spelt('report')}"
                raise ConfigurationError(f"{both}: expected one of them of several links")

    def _watched(self, work: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """What ``work`` makes of the experiment; whoever wants to know is told how far it is."""
        total, unit = self.experiment.warmup + self.experiment.seconds, "s of virtual time"

        def interrupted(done: float) -> str:
            return f"interrupted after {shown(done, Unit.SECONDS)} of {total:g} {unit}"

        with told(total, unit, interrupted) as advance:
            return work(self.experiment, *arguments, progress=advance, **more)

    def _rates(self, found: Sequence[Outcome], **more: Any) -> LinkRun | LinksRun:
        """What was carried, and what limits it, unless an operator changed the links meanwhile."""
        experiment, why = found[0].experiment, self.look.why
        limit = find_limit(experiment) if why else None
        if limit is None and "cp" not in more and self.upgraded is None:
            limit = limit_of_run(experiment, self.seeds)
        if why:
            more["rests_on"] = rests_on(experiment)
        if self.together:
            rows = cluster_rows(found)
            more |= limit_fields(limit, rows[-1].mb_per_s)
            return links_run(experiment, rows, self.seeds, **more)
        results = [*map(self._at_side, found)]
        more |= limit_fields(limit, mean(results).mb_per_s)
        if self.upgraded is not None:
            seeds = (one.experiment.seed for one in found)
            newest = [run_links(dataclasses.replace(self.upgraded, seed=seed)) for seed in seeds]
            gain = mean([*map(self._at_side, newest)]).mb_per_s / max(1e-9, mean(results).mb_per_s)
            both, loads = (experiment.layout, self.upgraded.layout), experiment.loads
            more["upgrade"] = link_ratio(gain, *both, loads=loads)
        repeated = self.seeds is not None
        decks = isinstance(self.layout, Decks)
        name = str(self.layout) if decks else called(self.layout, "") or None
        return link_run(self.experiment, results, name, repeated=repeated, **more)

    def _at_side(self, outcome: Outcome) -> Result:
        return outcome.link().at(self.side).whole.result

    def _viewed(
        self, view: View, found: Sequence[Outcome], *, sampled: bool, **more: Any
    ) -> RunView:
        """A view: of one link at its side, of several at each clients' end."""
        runs = []
        for link in found[0].links:
            seen, name = link.at(self.side), make_name(link.experiment)
            if sampled:
                runs.append(MeasuredRun(name, link.experiment, seen.parts))
            elif self.together:
                runs.append(MeasuredRun(name, link.experiment, (seen.whole,)))
            else:
                result = mean([*map(self._at_side, found)])
                runs.append(measured(name, link.experiment, result))
        title = view_title(self.experiment, runs, self.seeds)
        return RunView.of(view, title, runs, **more)
