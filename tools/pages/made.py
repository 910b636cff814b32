"""All that `make docs` makes of the code and of what was measured: files, and parts of pages.

Runs of the model that take minutes are in `MEASURED`, of which the rest is made.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import isfc
from isfc.cli.drawing.cluster import drawing_svg
from isfc.layout.catalogue import load_collection, load_layout
from tools import DOCS
from tools.calibration import (
    ablations,
    assumptions,
    bounds,
    certainty,
    drawn_sites,
    elasticities,
    sensitivity,
)
from tools.pages import channel_fidelity, fidelity, json_page, sources
from tools.pages.console import PAGES
from tools.pages.figures import fit, relocation, rules, simulated, states
from tools.pages.screenshots import take_reports, take_studio, taken
from tools.pages.spans import filled

Files = Mapping[Path, str] | Mapping[Path, bytes]
"""What they should hold."""


class Made(NamedTuple):
    """Some files that are made together."""

    name: str
    files: Callable[[], Files]
    is_slow: bool = False
    """Whether that takes more than about a second."""
    is_long: bool = False
    """Whether it takes so long that only ``make test-all`` tries it."""


def layouts() -> Files:
    """The drawings of two layouts and of a cluster, as ``isfc show`` draws them."""
    return {
        DOCS / "link.svg": drawing_svg(load_layout("atlanta-boston")),
        DOCS / "layout-published-12.svg": drawing_svg(load_layout("published-12")),
        DOCS / "layout-two-cecs.svg": drawing_svg(cluster=load_collection("two-cecs")),
    }


def schema() -> Files:
    """The JSON schema of layout files, which editors use."""
    return {DOCS / "layout.schema.json": json.dumps(isfc.schema(), indent=2) + "\n"}


def json_keys() -> Files:
    """Every key of the records that are named on the page about ``--json``."""
    text = (DOCS / "json.md").read_text("utf-8")
    return {DOCS / "json.csv": json_page.every_key(text)}


FIGURES: Final[Mapping[str, Callable[[str], Mapping[str, str]]]] = {
    "CHANGELOG.md": fit.figures,
    "README.md": fit.figures,
    "docs/architecture.md": states.figures,
    "docs/channel-fidelity.md": channel_fidelity.figures,
    "docs/check.md": rules.figures,
    "docs/fidelity.md": fidelity.figures,
    "docs/json.md": json_page.key_names,
    "docs/measured.md": drawn_sites.figures,
    "docs/relocation.md": relocation.figures,
    "docs/replay.md": fit.figures,
    "docs/sources.md": lambda _: {"features": sources.features()},
    **{page: partial(lambda page, _: simulated.kept(page), page) for page in simulated.PAGES},
}
"""For each page a function of its text; a mark can name a constant of the code without one."""


def page(name: str, text: str) -> str:
    """The text of a page with its figures as they are now."""
    try:
        return filled(text, FIGURES[name](text) if name in FIGURES else {})
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


ASKED: Final = (
    Made("bounds", bounds.files),
    Made("what each constant does", sensitivity.files),
    Made("what each rule does", ablations.files),
    Made("fits to made sites", drawn_sites.files),
)
"""What is made only when it is named: it takes so long, or is to be looked at."""
MEASURED: Final = (
    Made("replays of the published tables", fidelity.measured, is_long=True),
    Made("runs that pages tell of", simulated.measured, is_long=True),
    Made("what assumptions do", assumptions.files, is_long=True),
    Made("how much rates follow each constant", elasticities.files, is_long=True),
)
MADE: Final = (
    Made("what ranges are made from", certainty.files, is_slow=True),
    Made("drawings of layouts", layouts),
    Made("schema", schema),
    Made("keys of --json", json_keys),
    Made("sources", sources.files),
    Made("channel fidelity", channel_fidelity.files),
    Made("fidelity", fidelity.files, is_slow=True),
    Made("pictures of the studio", partial(taken, take_studio), is_long=True),
    Made("pictures of reports", partial(taken, take_reports), is_long=True),
)
SLOW_PAGES: Final = ("docs/fidelity.md", "docs/relocation.md")
"""Those whose figures take runs of seconds."""
FILLED: Final = ("CHANGELOG.md", *PAGES)
