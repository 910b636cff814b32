"""``isfc run --faults`` and ``--fault-seed``: what goes wrong in a run, and what comes of it."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec import UNSET, Struct, UnsetType
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from isfc.cli.output.notes import note_lines
from isfc.cli.output.progress import watch
from isfc.cli.output.streams import show, show_json
from isfc.cli.results.page import run_heading
from isfc.cli.run.together_page import cluster_heading
from isfc.layout.note import Note
from isfc.reports.table import plain_table
from scenarios.faults.fault import Fault
from scenarios.faults.run import FaultEvent, FaultOutcome, Recovery, run_with_faults
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import cluster_notes, run_notes, unranged


def show_fault_run(
    experiment: Experiment, faults: Sequence[Fault], *, json: bool, together: bool = False
) -> None:
    """Run one link, or any number ``together``, with faults, and print what came of it."""
    outcome = watch(
        experiment.warmup + experiment.seconds,
        lambda progress: run_with_faults(experiment, faults, progress, together=together),
    )
    if json:
        show_json(fault_json(experiment, outcome, together=together))
    else:
        notes = note_lines(_notes(experiment, outcome, together=together))
        show(fault_page(experiment, outcome, together=together), *notes)


def _notes(experiment: Experiment, outcome: FaultOutcome, *, together: bool) -> tuple[Note, ...]:
    """Those of the run without faults, and that nothing tells how far it is off with them."""
    if together:
        notes = cluster_notes(experiment.collection)
    else:
        load = experiment.workload, experiment.pairs
        notes = run_notes(experiment.layout, *load, outcome.mb_per_s)
    return (*notes, unranged("what faults do to links"))


class FaultsJson(Struct, frozen=True, kw_only=True):
    """``isfc run --faults FILE --json``. Names and meanings of the keys stay between releases."""

    traffic: list[str] | UnsetType = UNSET
    """of several links, in place of the next three"""
    client: str | UnsetType = UNSET
    """as without faults"""
    workload: str | UnsetType = UNSET
    pairs: int | UnsetType = UNSET
    seconds: float
    warmup: float
    seed: int
    mb_per_s: float
    """both ways, from the end of the warm-up on"""
    notes: list[Note]
    """as of the run without faults"""
    events: tuple[FaultEvent, ...]
    faults: tuple[Recovery, ...]


def fault_json(
    experiment: Experiment, outcome: FaultOutcome, *, together: bool = False
) -> FaultsJson:
    """The record of a run with faults."""
    return FaultsJson(
        **experiment.settings(together=together),
        mb_per_s=outcome.mb_per_s,
        notes=list(_notes(experiment, outcome, together=together)),
        events=outcome.events,
        faults=outcome.recoveries,
    )


_NAMES_MAX = 4
"""Devices that are named one by one in a line."""


def fault_page(
    experiment: Experiment, outcome: FaultOutcome, *, together: bool = False
) -> RenderableType:
    """The whole page."""
    if together:
        heading = cluster_heading(experiment, None)
    else:
        heading = run_heading(experiment, experiment.client_node)
    lines = Text("\n".join(event_lines(outcome)))
    total = f"{outcome.mb_per_s:.1f} MB/s both ways, from the end of the warm-up on"
    return Group(heading, "", total, "", _table(outcome), "", lines)


def event_lines(outcome: FaultOutcome) -> Iterator[str]:
    """A line for each fault, marked, and for what the link did because of it, from the first on."""
    began = next((entry.at_s for entry in outcome.events if entry.is_fault), None)
    if began is None:
        return
    entries = [entry for entry in outcome.events if entry.at_s >= began]
    pair = len({entry.node for entry in outcome.events}) <= 2
    for at_s, group in groupby(entries, key=lambda entry: entry.at_s):
        moment = [*group]
        for entry in moment:
            if entry.is_fault:
                yield f"{at_s:12.6f} {entry.node:<8} * {entry.text}"
        sentences: dict[str, list[str]] = {}
        for node in dict.fromkeys(entry.node for entry in moment):
            for text in _seen([e for e in moment if e.node == node and not e.is_fault]):
                sentences.setdefault(text, []).append(node)
        for text, nodes in sentences.items():
            for node in ["both"] if pair and len(nodes) > 1 else nodes:
                yield f"{at_s:12.6f} {node:<8}   {text}"


def _seen(entries: list[FaultEvent]) -> Iterator[str]:
    """What one system saw at one moment, devices of the same state together."""
    devices: dict[str, list[str]] = {}
    others = []
    for entry in entries:
        rdev, _, state = entry.text.partition(" ")
        if state in ("is down", "can be used"):
            devices.setdefault(state, []).append(rdev)
        else:
            others.append(entry.text)
    for state, rdevs in devices.items():
        several = state.replace("is", "are", 1) if len(rdevs) > 1 else state
        if len(rdevs) > _NAMES_MAX:
            rdevs = [*rdevs[: _NAMES_MAX - 1], f"{len(rdevs) - _NAMES_MAX + 1} more"]
        yield f"{', '.join(rdevs)} {several}"
    yield from others


def _table(outcome: FaultOutcome) -> Table:
    several = any(recovery.link for recovery in outcome.recoveries)
    link = ("link",) if several else ()
    figures = (">before", ">during", ">after", ">recovered")
    table = plain_table(">at s", "fault", *link, *figures, gap=1)
    before = None
    for recovery in outcome.recoveries:
        fault = recovery.at_s, recovery.fault
        table.add_row(
            f"{recovery.at_s:.3f}" if fault != before else "",
            recovery.fault if fault != before else "",
            *([recovery.link] if several else []),
            _figure(recovery.before_mb_per_s),
            _figure(recovery.during_mb_per_s),
            _figure(recovery.after_mb_per_s),
            _recovered(recovery),
        )
        before = fault if several else None
    return table


def _recovered(recovery: Recovery) -> str:
    """When the link was as fast as before, unless that is not known."""
    if recovery.recovered_ms is not None:
        return f"{recovery.recovered_ms:.0f} ms"
    return "no" if recovery.before_mb_per_s else "-"


def _figure(figure: float | None) -> str:
    return "-" if figure is None else f"{figure:.1f}"
