"""``isfc io run``: an I/O configuration in virtual time."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.io.json import io_run_json
from isfc.cli.io.plan import ConfigArgument
from isfc.cli.io.run_page import activity_rows, io_run_page, report_page
from isfc.cli.options.flattened import flattened
from isfc.cli.options.layout import JsonOption, LinkOption, open_collection, open_with_disks
from isfc.cli.options.number import SEED_MAX, bounded
from isfc.cli.options.printed import expect_one
from isfc.cli.output.notes import note_lines, note_records, show_notes
from isfc.cli.output.streams import show, show_csv, show_json
from isfc.cli.results.json import shared_json
from isfc.cli.results.page import measured_notes
from isfc.cli.results.shared import shared_page
from isfc.errors import ConfigurationError
from isfc.io.run import (
    SECONDS,
    WARMUP,
    run_configuration,
)
from isfc.io.shared import read_disks
from isfc.layout.note import Note
from scenarios.runs.run import PAIRS_MAX, Experiment, Result
from scenarios.runs.shared_channel import SharedRun, run_shared
from scenarios.runs.workload import find_workload

SECONDS_MIN = 0.01
SECONDS_MAX = 3_600.0
PAIRS_DEFAULT = 50
"""As many as most of the published runs of long messages have."""


class Report(StrEnum):
    """The views of RMF's reports."""

    CHANNEL = "channel"
    DEVICE = "device"
    IOP = "iop"
    SYNC = "sync"


@dataclass(frozen=True, slots=True)
class IoExtent:
    """How long an I/O configuration is run, and from which seed."""

    seconds: Annotated[
        float, bounded("S", SECONDS_MIN, SECONDS_MAX, "Virtual time that is measured.")
    ] = SECONDS
    warmup: Annotated[float, bounded("S", 0, SECONDS_MAX, "Virtual time before that.")] = WARMUP
    seed: Annotated[int, bounded("N", 0, SEED_MAX, "Another seed, another run.")] = 1


@dataclass(frozen=True, slots=True)
class IoShown:
    """What else runs on the channels, and what is shown."""

    ctcs: Annotated[
        str | None,
        typer.Option(
            metavar="WORKLOAD",
            help="CONFIG is a layout with [[io]]: its CTCs carry this meanwhile, such as HL.",
        ),
    ] = None
    pairs: Annotated[
        int | None,
        bounded("N", 1, PAIRS_MAX, f"Pairs of guests for --ctcs; {PAIRS_DEFAULT} if not given."),
    ] = None
    report: Annotated[
        Report | None,
        typer.Option(
            help="Show a view as RMF has it: Channel Path Activity, Direct Access Device Activity, "
            "I/O Queuing Activity, or synchronous I/O."
        ),
    ] = None
    csv: Annotated[bool, typer.Option("--csv", help="Print the view as CSV.")] = False
    json: JsonOption = False

    def __post_init__(self) -> None:
        if self.ctcs is not None and (self.csv or self.report is not None):
            raise ConfigurationError("--ctcs: expected no --report and no --csv beside it")
        if self.csv and self.report is None:
            raise ConfigurationError("--csv: expected --report too, which says what to print")
        expect_one(json=self.json, report=self.report)


@flattened
def run(
    config: ConfigArgument,
    *,
    link_name: LinkOption = None,
    extent: IoExtent,
    shown: IoShown,
) -> None:
    """Run an I/O configuration; show what channels carry.

    Channels are run I/O by I/O; zHyperLinks, OSAs and SAPs follow from their rates. The same
    seed makes the same run. With --ctcs, a link's CTCs use the same channels: shown is what
    the link and the disks get alone, and beside each other.
    """
    report = shown.report
    if shown.ctcs is not None:
        pairs = PAIRS_DEFAULT if shown.pairs is None else shown.pairs
        shared, notes = _run_beside(config, link_name, shown.ctcs, pairs, extent)
        if shown.json:
            show_json({**shared_json(shared), **note_records(notes)})
        else:
            load = f"{shown.ctcs}, {pairs} pairs"
            show(shared_page(shared, load), *note_lines(notes))
        return
    for option, value in (("--pairs", shown.pairs), ("--link", link_name)):
        if value is not None:
            raise ConfigurationError(f"{option}: expected --ctcs too, which says what CTCs carry")
    configuration, notes = read_disks(config)
    found = run_configuration(configuration, extent.seconds, extent.warmup, extent.seed)
    if shown.json:
        show_json(io_run_json(found, notes))
    elif report is None:
        show(io_run_page(found), *note_lines(notes))
    else:
        rows = activity_rows(found, report.value)
        if not rows:
            raise ConfigurationError(
                f"--report {report}: the configuration has nothing of it; "
                "see 'isfc io run --help' for what each view shows"
            )
        if shown.csv:
            show_csv(rows)
            show_notes(notes)
        else:
            show(report_page(found, report.value, rows), *note_lines(notes))


def _run_beside(
    config: Path, link: str | None, workload: str, pairs: int, extent: IoExtent
) -> tuple[SharedRun[Result], tuple[Note, ...]]:
    """The link of a file and the disks on its chpids, alone and beside each other; its notes."""
    layout, disks = open_with_disks(open_collection(config), link)
    if disks is None:
        raise ConfigurationError(
            f"{config}: [[io]] channels: none is a chpid of the layout that CTCs use"
        )
    experiment = Experiment(
        layout,
        find_workload(workload),
        pairs,
        seconds=extent.seconds,
        warmup=extent.warmup,
        seed=extent.seed,
    )
    shared = run_shared(experiment, disks)
    return shared, measured_notes(experiment, shared.beside)
