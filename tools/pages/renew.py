"""Renew all that pages take from the code and from runs of the model: ``make docs``.

``python -m tools.pages`` makes the long runs first, then what is made of them, then each page: what
its commands print, and its figures. ``python -m tools.pages NAME ...`` renews only those, which
``--list`` lists. Some are renewed only so: `tools.pages.made.ASKED`.

Not in ``__main__.py``, which processes that are started to do it do not import.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Final

import typer

import scenarios
from tools import PROJECT
from tools.checks import links
from tools.pages import console
from tools.pages.made import ASKED, FILLED, MADE, MEASURED, Files, Made, page


def renewed_page(name: str) -> Files:
    """A page with what its commands print now, and with its figures."""
    path = PROJECT / name
    text = path.read_text("utf-8")
    if name in console.PAGES:
        text = console.renewed(text, console.run)
    return {path: page(name, text)}


PACKAGES: Final = Path(scenarios.__file__).parents[1]
"""Where the packages are that are in use: the project itself, or what was compiled of it."""

PAGES = tuple(Made(name, partial(renewed_page, name)) for name in FILLED)
STEPS: tuple[Sequence[Made], ...] = (*((made,) for made in (*ASKED, *MEASURED)), MADE, PAGES)
"""Each is made of what those before it made; a measurement takes all processors by itself."""


def renew(made: Sequence[Made]) -> Iterator[str]:
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


def timed(made: Made) -> tuple[Files, float]:
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
