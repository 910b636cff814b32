"""What faults do to links in a run: how far they fall, and how soon they are as fast as before."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType

from isfc.reports.figure import Note, Reported, Unit
from isfc.reports.measures import run_words
from isfc.reports.report import Column, Lines, Report, Table, headed
from isfc.reports.units import shown
from scenarios.faults.run import FaultEvent, FaultOutcome, Recovery
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import cluster_notes, run_notes, unranged

_NAMES_MAX: Final = 4
"""Devices that are named one by one in a line."""


class FaultsRun(Reported, Struct, frozen=True, kw_only=True):
    """What came of a run of one link, or of several, with faults."""

    reported_by = "isfc.answers.faults_run.faults_report"

    links: tuple[str, ...]
    """by their names"""
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


def faults_run(
    experiment: Experiment, outcome: FaultOutcome, *, together: bool = False
) -> FaultsRun:
    """The record of a run with faults, of any number of links ``together``."""
    if together:
        notes = cluster_notes(experiment.collection)
    else:
        load = experiment.workload, experiment.pairs
        notes = run_notes(experiment.layout, *load, outcome.mb_per_s)
    return FaultsRun(
        links=tuple(link.layout.name for link in experiment.each_alone),
        **experiment.settings(together=together),
        mb_per_s=outcome.mb_per_s,
        notes=[*notes, unranged("what faults do to links")],
        events=outcome.events,
        faults=outcome.recoveries,
    )


def faults_report(found: FaultsRun) -> Report:
    """Each fault with what it did to the rate, then what the systems saw."""
    columns = (
        Column("at ms", "at_ms", Unit.MS, value=lambda each: 1e3 * each.at_s),
        Column("fault", "fault", folds=True),
        *([Column("link", "link")] if any(each.link for each in found.faults) else []),
        *headed(Unit.MB_PER_S, before_mb_per_s="before", during_mb_per_s="during"),
        Column("after", "after_mb_per_s", Unit.MB_PER_S),
        Column("recovered", "recovered", value=_recovered),
    )
    links = found.links
    count = len({(each.at_s, each.fault) for each in found.faults})  # once, also of several links
    of = f"{len(links)} logical links together" if len(links) > 1 else links[0]
    return Report(
        f"{of}: {count} fault{'s' * (count != 1)} in {found.warmup + found.seconds:g} s",
        [*_answer(found)],
        [
            Table("MB/s both ways", columns, found.faults, "faults"),
            Table("What happened; * is a fault", _EVENTS, [*_seen(found)], "events"),
        ],
        notes=[f"{run_words(found.seconds, found.warmup, found.seed)}."],
        known=found.notes,
        charts=[_over_time(found)] if found.faults else [],
    )


def _over_time(found: FaultsRun) -> Lines:
    """What each link carried before, during and after each fault, at the time of that."""
    rows = [
        {"at_s": each.at_s, "when": when, "mb_per_s": getattr(each, f"{when}_mb_per_s")}
        for each in found.faults
        for when in ("before", "during", "after")
    ]
    return Lines(
        caption="What faults do",
        rows=rows,
        across=Column("s of virtual time", "at_s", Unit.SECONDS),
        up=[Column("MB/s both ways", "mb_per_s", Unit.MB_PER_S)],
        of=Column("", "when"),
        joined=(),
    )


def _answer(found: FaultsRun) -> Iterator[tuple[str, str]]:
    yield "Carried", f"{shown(found.mb_per_s, Unit.MB_PER_S)} MB/s both ways, with all faults"
    known = [each for each in found.faults if each.before_mb_per_s is not None]
    times = [each.recovered_ms for each in known if each.recovered_ms is not None]
    if times:
        slowest = shown(max(times), Unit.MS)
        yield "Recovered", f"{len(times)} of {len(known)}, the slowest {slowest} ms after its end"
    elif known:
        yield "Recovered", f"none of {len(known)}"


def _recovered(fault: Recovery) -> str:
    if fault.recovered_ms is not None:
        return f"{shown(fault.recovered_ms, Unit.MS)} ms"
    return "no" if fault.before_mb_per_s else "not known"


_EVENTS: Final = (
    Column("at ms", "at_ms", Unit.MS),
    Column("system", "node"),
    Column("what", "what", folds=True),
)


def _seen(found: FaultsRun) -> Iterator[dict[str, Any]]:
    """A row for each fault, marked, and for what the links did because of it, from the first on."""
    began = next((entry.at_s for entry in found.events if entry.is_fault), None)
    if began is None:
        return
    entries = [entry for entry in found.events if entry.at_s >= began]
    pair = len({entry.node for entry in found.events}) <= 2
    for at_s, group in groupby(entries, key=lambda entry: entry.at_s):
        moment = [*group]
        for entry in moment:
            if entry.is_fault:
                yield {"at_ms": 1e3 * at_s, "node": entry.node, "what": f"* {entry.text}"}
        sentences: dict[str, list[str]] = {}
        for node in dict.fromkeys(entry.node for entry in moment):
            for text in _said([e for e in moment if e.node == node and not e.is_fault]):
                sentences.setdefault(text, []).append(node)
        for text, nodes in sentences.items():
            for node in ["both"] if pair and len(nodes) > 1 else nodes:
                yield {"at_ms": 1e3 * at_s, "node": node, "what": text}


def _said(entries: list[FaultEvent]) -> Iterator[str]:
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
