"""Renew all that pages take from the code and from runs of the model: ``make docs``.

``python -m tools.pages`` makes the long runs first (`MEASURED`), then what is made of them
(`MADE`), then each page: what its commands print, and its figures. ``python -m tools.pages NAME
...`` renews only those, which ``--list`` lists. Some are renewed only so (`ASKED`).

Not in ``__main__.py``, which processes that are started to do it do not import.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

import isfc
import scenarios
from isfc.answers.drawing import drawing_svg
from isfc.layout.catalogue import given_collection, load_layout
from tools import DOCS, PROJECT
from tools.calibration import cards, certainty, drawn_sites, judge, studies
from tools.checks import links
from tools.pages import console, fidelity, figures, json_page, simulated, sources
from tools.pages.screenshots import take_reports, take_studio, taken
from tools.pages.spans import filled

Files = Mapping[Path, str] | Mapping[Path, bytes]
"""What they should hold."""


class MadeFiles(NamedTuple):
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
        DOCS / "layout-two-cecs.svg": drawing_svg(cluster=given_collection("two-cecs")),
    }


def schema() -> Files:
    """The JSON schema of layout files, which editors use."""
    return {DOCS / "layout.schema.json": json.dumps(isfc.schema(), indent=2) + "\n"}


def json_keys() -> Files:
    """Every key of the records that are named on the page about ``--json``."""
    text = (DOCS / "json.md").read_text("utf-8")
    return {DOCS / "json.csv": json_page.every_key(text)}


FIGURES: Final[Mapping[str, Callable[[str], Mapping[str, str]]]] = {
    "CHANGELOG.md": figures.fit,
    "README.md": figures.fit,
    "docs/architecture.md": figures.states,
    "docs/channel-fidelity.md": figures.channels,
    "docs/check.md": figures.rules,
    "docs/fidelity.md": fidelity.figures,
    "docs/json.md": json_page.key_names,
    "docs/measured.md": drawn_sites.figures,
    "docs/relocation.md": figures.relocation,
    "docs/replay.md": figures.fit,
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
    MadeFiles("bounds", judge.renewed_files),
    MadeFiles("what each constant does", studies.SENSITIVITIES.files),
    MadeFiles("what each rule does", studies.ABLATIONS.files),
    MadeFiles("fits to made sites", drawn_sites.STUDY.files),
)
"""What is made only when it is named: it takes so long, or is to be looked at."""
MEASURED: Final = (
    MadeFiles("replays of the published tables", fidelity.measured, is_long=True),
    MadeFiles("runs that pages tell of", simulated.measured, is_long=True),
    MadeFiles("what assumptions do", studies.ASSUMPTIONS.files, is_long=True),
    MadeFiles("what figures are where CP is faster", studies.AT_PACES.files, is_long=True),
    MadeFiles("today's cards", cards.CARDS.files, is_long=True),
    MadeFiles("how much rates follow each constant", studies.ELASTICITIES.files, is_long=True),
)
MADE: Final = (
    MadeFiles("what ranges are made from", certainty.files, is_slow=True),
    MadeFiles("drawings of layouts", layouts),
    MadeFiles("schema", schema),
    MadeFiles("chart of today's cards", cards.chart, is_slow=True),
    MadeFiles("keys of --json", json_keys),
    MadeFiles("sources", sources.files),
    MadeFiles("channel fidelity", figures.channel_files),
    MadeFiles("fidelity", fidelity.files, is_slow=True),
    MadeFiles("pictures of the studio", partial(taken, take_studio), is_long=True),
    MadeFiles("pictures of reports", partial(taken, take_reports), is_long=True),
)
SLOW_PAGES: Final = ("docs/fidelity.md", "docs/relocation.md")
"""Those whose figures take runs of seconds."""
FILLED: Final = ("CHANGELOG.md", *console.PAGES)


def renewed_page(name: str) -> Files:
    """A page with what its commands print now, and with its figures."""
    path = PROJECT / name
    text = path.read_text("utf-8")
    if name in console.PAGES:
        text = console.renewed(text, partial(console.run, page=name))
    return {path: page(name, text)}


PACKAGES: Final = Path(scenarios.__file__).parents[1]
"""Where the packages are that are in use: the project itself, or what was compiled of it."""

PAGES = tuple(MadeFiles(name, partial(renewed_page, name)) for name in FILLED)
STEPS: tuple[Sequence[MadeFiles], ...] = (*((made,) for made in (*ASKED, *MEASURED)), MADE, PAGES)
"""Each is made of what those before it made; a measurement takes all processors by itself."""


def renew(made: Sequence[MadeFiles]) -> Iterator[str]:
    """Make these side by side and write them; say of each that fails why."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        begun = {pool.submit(timed, each): each.name for each in made}
        for count, future in enumerate(as_completed(begun), start=1):
            name = begun[future]
            if error := future.exception():
                yield f"{name}: {error}"
                continue
            files, seconds = future.result()
            changed = sum(write(path, content) for path, content in files.items())
            told = f"{changed} changed" if changed else "as it was"
            print(f"{count:3} of {len(made)}  {seconds:6.1f} s  {name}: {told}", flush=True)


def write(path: Path, content: str | bytes) -> bool:
    """Write a file; return whether it had something else.

    Compiled packages have a copy of their data, of which the next step is made: it is written too.
    """
    new = content.encode() if isinstance(content, str) else content
    if path.exists() and path.read_bytes() == new:
        return False
    path.write_bytes(new)
    copy = PACKAGES / path.relative_to(PROJECT)
    if copy.exists():
        copy.write_bytes(new)
    return True


def timed(made: MadeFiles) -> tuple[Files, float]:
    """What is made, and the seconds that it took."""
    begin = time.monotonic()
    return made.files(), time.monotonic() - begin


def main(
    names: Annotated[list[str] | None, typer.Argument()] = None,
    listed: Annotated[bool, typer.Option("--list", help="Print every name.")] = False,
) -> None:
    """Renew what is named, or all that `make docs` does; end with 1 where something is wrong."""
    every = [made.name for step in STEPS for made in step]
    if listed:
        print(*every, sep="\n")
        return
    if unknown := {*(names or ())} - {*every}:
        raise typer.BadParameter(f"{', '.join(sorted(unknown))}: not in --list")
    chosen = names or {*every} - {made.name for made in ASKED}
    wrong: list[str] = []
    for step in STEPS:
        if made := [each for each in step if each.name in chosen]:
            wrong += renew(made)
    wrong += [*links.broken(PROJECT), *links.far(PROJECT)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    raise typer.Exit(bool(wrong))
