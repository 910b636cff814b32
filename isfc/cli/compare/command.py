"""``isfc compare``: two results, or several layouts, side by side."""

from pathlib import Path
from typing import Annotated

import typer

from isfc.cli.compare.layouts import judge_layouts, layouts_json, layouts_page, names_layouts
from isfc.cli.compare.results import compare_json, compare_page
from isfc.cli.options.experiment import WorkloadOption
from isfc.cli.options.layout import JsonOption, LinkOption
from isfc.cli.options.number import bounded
from isfc.cli.output.streams import show, show_json
from isfc.errors import ConfigurationError
from scenarios.figures.compare import compare_files
from scenarios.runs.experiment import PAIRS_MAX
from scenarios.runs.load import Load
from scenarios.runs.saturation import STATED_PAIRS, SUITE
from scenarios.runs.workload import find_workload


def compare(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="A B...", help="Two results (JSON), or two layouts or more."),
    ],
    *,
    workload: WorkloadOption = None,
    pairs: Annotated[
        int | None, bounded("N", 1, PAIRS_MAX, "Of layouts: pairs of guests, else 50.")
    ] = None,
    link: LinkOption = None,
    json: JsonOption = False,
) -> None:
    """Lay results or layouts side by side and show the differences.

    Results are what 'isfc run --json' printed, or both what 'isfc replay --json' did. Layouts are
    run, HL with 50 pairs if nothing else is said: what each carries and what limits that, what its
    worst loss leaves, and for each pair the odds that one is ahead. Ends with 0 whether or not
    they differ.
    """
    if names_layouts(files):
        load = Load(find_workload(workload or SUITE), pairs or STATED_PAIRS)
        choices = judge_layouts(files, link, load, is_said=bool(workload or pairs))
        if json:
            show_json(layouts_json(choices))
        else:
            show(layouts_page(choices))
        return
    given = {"--workload": workload, "--pairs": pairs, "--link": link}
    for option, value in given.items():
        if value is not None:
            raise ConfigurationError(f"{option}: of layouts; expected files that are layouts")
    if len(files) != 2:
        raise ConfigurationError(f"{len(files)} results: expected two, or layouts (.toml)")
    a, b = files
    pair = compare_files(a, b)
    if json:
        show_json(compare_json(a, b, pair))
    else:
        show(compare_page(pair, str(a), str(b)))
