"""``isfc compare``: two results side by side, for "what did my change do"."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.options.layout import JsonOption
from isfc.cli.render.compare import compare_page
from isfc.cli.render.output import show, show_json
from scenarios.compare import ResultPair, compare_files


def compare(
    a: Annotated[Path, typer.Argument(metavar="A.json", help="The result before.")],
    b: Annotated[Path, typer.Argument(metavar="B.json", help="The result after.")],
    *,
    json: JsonOption = False,
) -> None:
    """Lay two results side by side and show the differences.

    Both are what 'isfc run --json' printed, or both what 'isfc replay --json' did. Ends with
    0 whether or not they differ.
    """
    pair = compare_files(a, b)
    if json:
        show_json(pair_record(a, b, pair))
    else:
        show(compare_page(pair, str(a), str(b)))


def pair_record(a: Path, b: Path, pair: ResultPair) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        "kind": pair.kind,
        "a": str(a),
        "b": str(b),
        "settings": [asdict(setting) for setting in pair.settings],
        "layout_changes": list(pair.layout_changes),
        "figures": [
            {**asdict(figure), "difference": figure.difference, "percent": figure.percent}
            for figure in pair.figures
        ],
    }
