"""A run of a workload for the page: its figures, its record as ``isfc run --json``, its course."""

from collections.abc import Iterator
from typing import Annotated, Any, Final

from markupsafe import Markup
from msgspec import Meta

import isfc
from isfc.answers.limit import SEARCHED_SECONDS_MIN, limit_of_run, short_limit
from isfc.answers.opened import run_cells
from isfc.cli.options.experiment import WARMUP
from isfc.cli.studio.command_line import by_hundredths
from isfc.cli.studio.tasks import Shown, node_of
from isfc.cli.studio.work import Tell
from isfc.reports.html import chart_of, greatest, macro, ranged
from isfc.reports.reported import report_of
from isfc.reports.text import encoded
from isfc.reports.units import shown

INTERVALS: Final = 24
"""Intervals of its course."""


class Run(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to be run, clients on one end of a link; ``seconds`` of virtual time are measured.

    It is the page's run of that ``number``, after some ``changes`` of the layout.
    """

    way: str
    workload: str
    pairs: Annotated[int, Meta(ge=1, le=10_000)]
    seconds: Annotated[float, Meta(gt=0, le=600)]
    number: int = 1
    changes: int = 0


def run(tell: Tell, wanted: Run) -> dict[str, Any]:
    """Run it; tell what share is done."""
    link, client = node_of(wanted.subject.read(), wanted.way)
    title = f"{wanted.number}: {wanted.workload} {wanted.pairs} pairs, {wanted.seconds:g} s"
    advance = by_hundredths(lambda told: tell({"title": title, **told}))
    done = isfc.simulate(
        link,
        wanted.workload,
        pairs=wanted.pairs,
        seconds=wanted.seconds,
        warmup=WARMUP,
        interval=wanted.seconds / INTERVALS,
        client=client or None,
        progress=lambda done: advance(done / (wanted.seconds + WARMUP)),
    )
    answer = done.answer
    report = report_of(done)
    limit = limit_of_run(done.experiment, None)
    limited = f"sought from {SEARCHED_SECONDS_MIN:g} s on" if limit is None else short_limit(limit)
    note = " ".join([*report.remarks, *report.notes])
    row = wanted, client, [*_figures(done)], limited, note, encoded(answer)
    return {
        "said": f"Run {wanted.number}: {report.answer[0][1]}.",
        "cells": macro("cli/studio/page/forms.html", "run", *row),
        "sections": {"course": Markup().join(map(chart_of, report.charts))},
    }


def _figures(done: isfc.Simulation) -> Iterator[str]:
    """The cells of the table as HTML, with ranges as bars; MB/s both ways have one scale."""
    within = run_cells(done)
    most = greatest(within[:2])
    for each, scale in zip(within, (most, most, 0.0, 0.0), strict=True):
        yield ranged(shown(each.value, each.unit), each, scale or greatest([each]))
    yield shown(done.result.collisions_per_s, isfc.Unit.PER_S)
