"""The specification of a sweep: TOML in, the cells of a grid out.

::

    seconds = 3                                  # measured, after warmup = 1

    [grid]                                       # every combination is run
    layout = ["published-8", "my-link.toml"]     # or a [template] instead
    link = ["ATLANTA-BOSTON"]                    # of layouts that have several
    workload = ["HS", "HL"]
    pairs = [1, 10, 50]
    seed = [1, 2, 3]
    lose = ["none", "40", "40+director:1"]       # what is gone, several things together

    [template]                                   # layouts made of parameters, each a list
    systems = ["ATLANTA", "BOSTON"]              # but this
    feature = ["FICON Express4"]                 # a list inside has one for each chpid
    chpids = [2, 4]
    ctcs_per_chpid = [2, 4]
    order = ["by-chpid", "across"]
    km = [0, 10]                                 # length of all fibres
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec

from isfc.errors import ConfigurationError
from isfc.io.shared import load_with_disks
from isfc.layout.catalogue import is_there
from isfc.layout.checked_toml import convert, decode, read_bytes, within
from isfc.layout.document import KM_MAX
from isfc.layout.layout import Layout
from isfc.layout.lost import check_pieces, lost_together, named_pieces
from isfc.layout.sharing import with_notes
from isfc.layout.site import SiteProfile
from isfc.layout.site_file import with_site
from isfc.link.name import NodeName
from isfc.search.template import DeviceOrder, Template
from scenarios.runs.run import Experiment
from scenarios.runs.warmup import WARMUP
from scenarios.runs.workload import find_workload

CELLS_MAX: Final = 100_000
"""Runs of one sweep; each takes a tenth of a second or more."""

NONE: Final = "none"
"""The value of ``lose`` with which nothing is lost."""


class _Root(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    grid: dict[str, Any]
    template: dict[str, Any] | None = None
    seconds: float = 3.0
    warmup: float = WARMUP


class _Grid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    workload: list[str]
    pairs: list[int]
    layout: list[str] | None = None
    link: list[str] | None = None
    seed: tuple[int, ...] = (1,)
    lose: tuple[str, ...] = (NONE,)


class _Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    systems: list[str]
    feature: list[str | list[str]]
    chpids: list[int]
    ctcs_per_chpid: list[int]
    order: tuple[DeviceOrder, ...] = (DeviceOrder.BY_CHPID,)
    km: tuple[Annotated[float, msgspec.Meta(ge=0, le=KM_MAX)], ...] = (0.0,)


_EXPECTED: Final[Mapping[type, Mapping[str, str]]] = {
    _Root: {
        "grid": "a table [grid] of lists",
        "template": "a table [template] of lists",
        "seconds": "virtual time to measure, a number",
        "warmup": "virtual time before that, a number",
    },
    _Grid: {
        "workload": 'a list of workloads, such as ["HS", "HL"]',
        "pairs": "a list of numbers of pairs, such as [1, 50]",
        "layout": 'a list of shipped layouts or files, such as ["published-8"]',
        "link": 'a list of links of these layouts, such as ["ATLANTA-BOSTON"]',
        "seed": "a list of seeds, such as [1, 2, 3]",
        "lose": 'a list of what is gone, such as ["none", "40", "40+41"]',
    },
    _Template: {
        "systems": 'the names of the two systems, such as ["ATLANTA", "BOSTON"]',
        "feature": 'a list of FICON features, such as ["FICON Express4"]',
        "chpids": "a list of numbers of chpids, such as [2, 4]",
        "ctcs_per_chpid": "a list of numbers of CTCs on each, such as [2, 4]",
        "order": 'a list of "by-chpid" and "across"',
        "km": f"a list of lengths in km from 0 to {KM_MAX:g}, such as [0, 10]",
    },
}


Place = dict[str, str | int | float]
"""A value on each axis."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One run of a sweep: its place on each axis, and what is run."""

    axes: Mapping[str, str | int | float]
    experiment: Experiment


def at_site(cell: Cell, profile: SiteProfile | None) -> Cell:
    """A cell over its layout as it is at the site of a profile, which is one more axis then."""
    if profile is None:
        return cell
    experiment = replace(cell.experiment, layout=with_site(cell.experiment.layout, profile))
    return Cell({**cell.axes, "profile": profile.name}, experiment)


def read_grid(path: Path) -> list[Cell]:
    """The cells of the sweep that a file specifies, in the order of its lists.

    Layouts are found beside the file. Raises `ConfigurationError` for what is wrong with it.
    """
    with within(str(path)):
        return parse_grid(read_bytes(path, "a sweep"), path.parent)


def parse_grid(data: bytes, folder: Path) -> list[Cell]:
    """As `read_grid`, of a file's content; layouts that are files are looked for in ``folder``."""
    root = convert(decode(data, "a sweep"), _Root, "", _EXPECTED[_Root])
    grid = convert(root.grid, _Grid, "[grid]", _EXPECTED[_Grid])
    if (grid.layout is None) == (root.template is None):
        raise ConfigurationError("[grid] layout: expected it or a table [template], one of them")
    layouts: list[tuple[Place, Layout]]
    if grid.layout is not None:
        with within("[grid]"):
            layouts = [*_named(grid.layout, grid.link, folder)]
    elif grid.link is not None:
        raise ConfigurationError("[grid] link: expected layout beside it")
    else:
        layouts = [*_made(convert(root.template, _Template, "[template]", _EXPECTED[_Template]))]
    axes = (layouts, grid.lose, grid.workload, grid.pairs, grid.seed)
    count = 1
    for axis in axes:
        count *= len(axis)
    if not 1 <= count <= CELLS_MAX:
        raise ConfigurationError(f"[grid]: {count} runs; expected 1 to {CELLS_MAX}")
    with within("[grid]"):
        return [
            Cell(
                {**place, "lose": lose, "workload": workload, "pairs": pairs, "seed": seed},
                Experiment(
                    without(layout, lose),
                    find_workload(workload),
                    pairs,
                    root.seconds,
                    root.warmup,
                    seed,
                ),
            )
            for (place, layout), lose, workload, pairs, seed in product(*axes)
        ]


def without(layout: Layout, lose: str) -> Layout:
    """What is left of a layout without a chpid of its first system; all of it without ``none``.

    Several things that are gone together are joined by ``+``: `isfc.layout.lost` says how they are
    named. Raises `ConfigurationError` where there is no such thing, or nothing would be left.
    """
    if lose == NONE:
        return layout
    known = named_pieces(layout)
    pieces = lose.split("+")
    check_pieces(pieces, [NONE, *known], "lose")
    left = lost_together(layout, pieces, known).left
    if left is None:
        raise ConfigurationError(f"lose {lose}: leaves no CTC; expected a link of more chpids")
    return left


def _named(
    names: Sequence[str], links: Sequence[str] | None, folder: Path
) -> Iterator[tuple[Place, Layout]]:
    """The links of shipped layouts, or of files in ``folder``, each with its place."""
    for name in names:
        beside = folder / name
        collection = load_with_disks(beside if is_there(beside) else name)
        with within(f"layout {name}"):
            if links is None:
                chosen = collection.link(option="[grid] link")
                yield {"layout": name}, with_notes(collection, chosen)
            for link in links or ():
                chosen = collection.link(link, "[grid] link")
                yield {"layout": name, "link": link}, with_notes(collection, chosen)


def _made(table: _Template) -> Iterator[tuple[Place, Layout]]:
    """Every layout of a template, with its place on each of the template's axes."""
    if len(table.systems) != 2:
        raise ConfigurationError(f"[template] systems: expected {_EXPECTED[_Template]['systems']}")
    first, second = map(NodeName, table.systems)
    for feature, chpids, each, order, km in product(
        table.feature, table.chpids, table.ctcs_per_chpid, table.order, table.km
    ):
        features = (feature,) if isinstance(feature, str) else tuple(feature)
        place: Place = {
            "feature": "+".join(features),
            "chpids": chpids,
            "ctcs_per_chpid": each,
            "order": order.value,
            "km": km,
        }
        with within("[template]"):
            yield place, Template((first, second), features, chpids, each, order, km).layout()
