"""The figures that stand in the prose of pages, by page: names, and what each is shown as now."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tools.pages import json_page, sources
from tools.pages.figures import fit, limits, shown, simulated, timing

FIGURES: Final[Mapping[str, Callable[[str], Mapping[str, str]]]] = {
    "CHANGELOG.md": fit.figures,
    "README.md": fit.figures,
    "docs/check.md": lambda _: {"rules": shown.rules()},
    "docs/collisions.md": shown.collisions,
    "docs/io-run.md": limits.io_run,
    "docs/io-sizing.md": shown.io_sizing,
    "docs/json.md": json_page.tables,
    "docs/live.md": shown.live,
    "docs/measured.md": limits.measured,
    "docs/relocation.md": limits.relocation,
    "docs/reliability.md": limits.reliability,
    "docs/replay.md": fit.figures,
    "docs/sources.md": lambda _: {"features": sources.features()},
    "docs/timing.md": timing.figures,
    "docs/tutorial.md": shown.tutorial,
    **{page: partial(lambda page, _: simulated.kept(page), page) for page in simulated.PAGES},
}
"""For each page a function of its text; a mark can name a constant of the code without one."""
