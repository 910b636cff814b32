"""``isfc run --report``: a view of IBM's report printed."""

from collections.abc import Sequence
from dataclasses import asdict

from isfc.answers.run import described
from isfc.answers.views import ranges_line, run_notes_of
from isfc.cli.capability import AnswerPrinted
from isfc.cli.output.streams import show, show_csv, show_json, show_log
from isfc.cli.run.options import RunOptions
from isfc.reports.measures import run_words
from scenarios.runs.report import MeasuredRun


def show_view(options: RunOptions, runs: Sequence[MeasuredRun], printed: AnswerPrinted) -> None:
    """Print the view that is wanted; CSV and JSON have ranges and notes on stderr."""
    view = options.report
    assert view is not None, "it is wanted"
    known = [ranges_line(runs), *(note.text for run in runs for note in run_notes_of(run))]
    known = [*dict.fromkeys(known)]
    if printed.is_page:
        page = view.page([view.of(run) for run in runs])
        rest = "\n\n".join(known)
        show(view_heading(runs, options.seeds or 1), "", page, "", rest)
        return
    for each in known:
        show_log(f"isfc: note: {each}")
    records = [asdict(row) for run in runs for row in view.rows(run)]
    if printed.csv:
        show_csv(records)
    else:
        show_json(records)


def view_heading(runs: Sequence[MeasuredRun], seeds: int = 1) -> str:
    """What was run, for how long, and where it was measured."""
    experiment = runs[0].experiment
    node = runs[0].samples[0].result.node
    of = f"Logical link {' - '.join(experiment.layout.nodes)}, seen from {node}"
    what = f"{of}; clients on {experiment.client_node}\n{described(experiment.workload)}"
    if len(runs) > 1:
        what = f"{len(runs)} logical links, together"
    pairs = f"{experiment.pairs} pair{'s' * (experiment.pairs > 1)}, " * (len(runs) == 1)
    run = run_words(experiment.seconds, experiment.warmup, experiment.seed, seeds)
    return f"{what}\n{pairs}{run}"
