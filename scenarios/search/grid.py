"""The specification of a sweep: TOML in, the cells of a grid out.

::

    seconds = 3                                  # measured, after warmup = 1

    [grid]                                       # every combination is run
    layout = ["published-8", "my-link.toml"]     # or a [template] instead
    link = ["ATLANTA-BOSTON"]                    # of layouts that have several: each alone
    workload = ["HS", "HL"]
    pairs = [1, 10, 50]
    seed = [1, 2, 3]
    lose = ["none", "40", "40+director:1"]       # what is gone, several things together
    channels = [1, 2, 3]                         # of each layout, more like its last

    [template]                                   # layouts made of parameters, each a list
    systems = ["ATLANTA", "BOSTON"]              # but this
    feature = ["FICON Express4"]                 # a list inside has one for each chpid
    chpids = [2, 4]
    ctcs_per_chpid = [2, 4]
    order = ["by-chpid", "across"]
    km = [0, 10]                                 # length of all fibres
"""

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import product
from math import prod
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.errors import ConfigurationError
from isfc.errors.in_words import check_between
from isfc.io.shared import given_with_disks
from isfc.layout.build import CtcChoice, SaidFibre, build_layout
from isfc.layout.catalogue import is_there
from isfc.layout.checked_toml import convert, decode, holds, read_bytes, within
from isfc.layout.collection import Collection
from isfc.layout.document import KM_MAX
from isfc.layout.layout import CHANNELS_MAX, Layout, widened, with_site
from isfc.layout.loss import check_pieces, collection_without, known_pieces, link_without
from isfc.layout.sharing import with_notes
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from scenarios.runs.experiment import WARMUP, Experiment
from scenarios.runs.workload import LinkLoad, find_workload

CHPIDS_MAX: Final = 16
"""A chpid without a CTC is none of the link's, and a link has at most sixteen CTCs."""

_FIRST_CHPIDS: Final = 0x40, 0x60
_FIRST_RDEVS: Final = 0x6000, 0x7000
_STEP: Final = 0x10


class DeviceOrder(StrEnum):
    """How device numbers, and so the write order, go over the chpids."""

    BY_CHPID = "by-chpid"
    """All CTCs of the first chpid, then all of the next: as IBM numbered its own."""
    ACROSS = "across"
    """The first CTC of each chpid, then the second of each."""


class Template(Struct, frozen=True):
    """A layout by its parameters.

    ``features`` has the FICON feature of each chpid in order; a single one is that of all. All
    fibres have a length of ``km``. Device numbers go up by 10 (hexadecimal) where the chpid
    changes, and by 1 on the same one.
    """

    systems: tuple[NodeName, NodeName]
    features: tuple[str, ...]
    chpids: int
    ctcs_per_chpid: int
    order: DeviceOrder = DeviceOrder.BY_CHPID
    km: float = 0.0

    def layout(self) -> Layout:
        """The layout; raises `ConfigurationError` or `CtcError` for what cannot be one."""
        check_between("chpids", self.chpids, 1, CHPIDS_MAX)
        if self.ctcs_per_chpid < 1:
            raise ConfigurationError(f"ctcs_per_chpid {self.ctcs_per_chpid}: expected 1 or more")
        if len(self.features) not in (1, self.chpids):
            raise ConfigurationError(
                f"feature: {len(self.features)} for {self.chpids} chpids; expected one of all or "
                "one of each"
            )
        profiles = [find_profile(feature, None) for feature in self.features]
        slots = [*product(range(self.chpids), range(self.ctcs_per_chpid))]
        if self.order is DeviceOrder.ACROSS:
            slots.sort(key=itemgetter(1))
        connections, rdev = [], -1
        for position, (chpid, _) in enumerate(slots):
            new = position > 0 and chpid != slots[position - 1][0]
            rdev = (rdev // _STEP + 1) * _STEP if new else rdev + 1
            here, there = (ChpidId(first + chpid) for first in _FIRST_CHPIDS)
            near, far = (Rdev(first + rdev) for first in _FIRST_RDEVS)
            connections.append(CtcChoice((here, there), (near, far)))
        first = self.systems[0]

        def said(ends: Mapping[NodeName, ChpidId]) -> SaidFibre:
            profile = profiles[(ends[first] - _FIRST_CHPIDS[0]) % len(profiles)]
            return SaidFibre(profile, km=self.km)

        return build_layout(self.systems, connections, said)


CELLS_MAX: Final = 100_000
"""Runs of one sweep; each takes a tenth of a second or more."""

NONE: Final = "none"
"""The value of ``lose`` with which nothing is lost."""


class _Grid(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    workload: Annotated[list[str], holds('a list of workloads, such as ["HS", "HL"]')]
    pairs: Annotated[list[int], holds("a list of numbers of pairs, such as [1, 50]")]
    layout: Annotated[
        list[str] | None,
        holds('a list of shipped layouts, files or texts, such as ["published-8"]'),
    ] = None
    link: Annotated[
        list[str] | None, holds('a list of links of these layouts, such as ["ATLANTA-BOSTON"]')
    ] = None
    seed: Annotated[tuple[int, ...], holds("a list of seeds, such as [1, 2, 3]")] = (1,)
    lose: Annotated[
        tuple[str, ...], holds('a list of what is gone, such as ["none", "40", "40+41"]')
    ] = (NONE,)
    channels: Annotated[
        list[Annotated[int, msgspec.Meta(ge=1, le=CHANNELS_MAX)]] | None,
        holds(f"a list of numbers of channels from 1 to {CHANNELS_MAX}, such as [1, 2, 4]"),
    ] = None


_SYSTEMS: Final = 'the names of the two systems, such as ["ATLANTA", "BOSTON"]'


class _Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    systems: Annotated[list[str], holds(_SYSTEMS)]
    feature: Annotated[
        list[str | list[str]], holds('a list of FICON features, such as ["FICON Express4"]')
    ]
    chpids: Annotated[list[int], holds("a list of numbers of chpids, such as [2, 4]")]
    ctcs_per_chpid: Annotated[list[int], holds("a list of numbers of CTCs on each, such as [2, 4]")]
    order: Annotated[tuple[DeviceOrder, ...], holds('a list of "by-chpid" and "across"')] = (
        DeviceOrder.BY_CHPID,
    )
    km: Annotated[
        tuple[Annotated[float, msgspec.Meta(ge=0, le=KM_MAX)], ...],
        holds(f"a list of lengths in km from 0 to {KM_MAX:g}, such as [0, 10]"),
    ] = (0.0,)


class _Root(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    grid: Annotated[_Grid, holds("a table [grid] of lists")]
    template: Annotated[_Template | None, holds("a table [template] of lists")] = None
    seconds: Annotated[float, holds("virtual time to measure, a number")] = 3.0
    warmup: Annotated[float, holds("virtual time before that, a number")] = WARMUP


Place = dict[str, str | int | float]
"""A value on each axis."""


class Cell(Struct, frozen=True):
    """One row of a sweep: its place on each axis, and what is run.

    ``together`` is the run of all links of which ``experiment`` is one, None if it runs alone.
    ``is_cut`` says that nothing of the link is left: its row has 0 everywhere, and none is run.
    """

    axes: Mapping[str, str | int | float]
    experiment: Experiment
    together: Experiment | None = None
    is_cut: bool = False

    @property
    def run(self) -> Experiment:
        """What gives the figures of the row."""
        return self.together or self.experiment


def at_site(cell: Cell, profile: SiteProfile | None) -> Cell:
    """A cell over its layout as it is at the site of a profile, which is one more axis then."""
    if profile is None:
        return cell
    experiment = cell.experiment.over(with_site(cell.experiment.layout, profile))
    together = cell.together
    if together is not None:
        together = together.over(*(with_site(each, profile) for each in together.collection.links))
    axes = {**cell.axes, "profile": profile.name}
    return replace(cell, axes=axes, experiment=experiment, together=together)


class _Site(Struct, frozen=True):
    """A link that is to be run alone, or all links of a file together if it is None."""

    place: Place
    collection: Collection
    link: Layout | None


def read_grid(path: Path) -> list[Cell]:
    """The cells of the sweep that a file specifies, in the order of its lists.

    Layouts are found beside the file, of a pipe in the current folder. Raises
    `ConfigurationError` for what is wrong with it.
    """
    with within(str(path)):
        folder = path.parent if path.is_file() else Path()
        return parse_grid(read_bytes(path, "a sweep"), folder)


def parse_grid(given: bytes | Mapping[str, Any], folder: Path = Path()) -> list[Cell]:
    """As `read_grid`, of a file's content, or of what it says; layouts are found in ``folder``."""
    root = convert(decode(given, "a sweep") if isinstance(given, bytes) else given, _Root, "")
    grid = root.grid
    if (grid.layout is None) == (root.template is None):
        raise ConfigurationError("[grid] layout: expected it or a table [template], one of them")
    if grid.layout is not None:
        with within("[grid]"):
            sites = [*_named(grid.layout, grid.link, folder)]
            if grid.channels is not None:
                sites = [*_widened(sites, grid.channels)]
    elif grid.link is not None or grid.channels is not None:
        raise ConfigurationError("[grid] link and channels: expected layout beside them")
    else:
        assert root.template is not None
        sites = [*_made(root.template)]
    axes = (sites, grid.lose, grid.workload, grid.pairs, grid.seed)
    count = prod(map(len, axes))
    if not 1 <= count <= CELLS_MAX:
        raise ConfigurationError(f"[grid]: {count} runs; expected 1 to {CELLS_MAX}")
    with within("[grid]"):
        return [
            cell
            for site, lose, workload, pairs, seed in product(*axes)
            for cell in _cells(root, site, lose, workload, pairs, seed)
        ]


def _cells(root: _Root, site: _Site, lose: str, name: str, pairs: int, seed: int) -> Iterator[Cell]:
    """The rows of a run: one of a link alone, one for each link of all together."""
    workload = find_workload(name)
    axes: Place = {"lose": lose, "workload": name, "pairs": pairs, "seed": seed}

    def run(links: Collection) -> Experiment:
        loads = tuple(LinkLoad(*link.nodes, workload, pairs) for link in links.links)
        return Experiment(links, loads, root.seconds, root.warmup, seed)

    if site.link is not None:
        with within(_said(site.place)):
            left = without(site.link, lose, site.collection)
        alone = Collection.of(left or site.link)
        yield Cell({**site.place, **axes}, run(alone), is_cut=left is None)
        return
    with within(_said(site.place)):
        left_of_all = site.collection
        if lose != NONE:
            left_of_all = collection_without(left_of_all, _pieces(lose, left_of_all))
    together = run(left_of_all) if left_of_all.links else None
    left_links = {link.nodes: link for link in left_of_all.links}
    for link in site.collection.links:
        left = left_links.get(link.nodes)
        noted = with_notes(left_of_all if left else site.collection, left or link, alone=False)
        place = {**site.place, "link": link.name, **axes}
        own = run(Collection.of(noted))
        yield Cell(place, own, together if left else None, is_cut=left is None)


def _said(place: Place) -> str:
    """Which layout a place is of, in words of the grid."""
    return ", ".join(f"{axis} {value}" for axis, value in place.items())


def _pieces(lose: str, collection: Collection) -> list[str]:
    """What is gone; raises `ConfigurationError` where there is no such thing."""
    pieces = lose.split("+")
    check_pieces(pieces, [NONE, *known_pieces(collection.links, collection.cecs)], "lose")
    return pieces


def without(layout: Layout, lose: str, collection: Collection | None = None) -> Layout | None:
    """What is left of a layout without a piece of hardware; all of it without ``none``.

    Several things that are gone together are joined by ``+``: `isfc.layout.loss` says how they are
    named. Those of the other links of its ``collection`` take nothing. None if nothing is left.
    Raises `ConfigurationError` where there is no such thing.
    """
    if lose == NONE:
        return layout
    collection = collection or Collection.of(layout)
    return link_without(layout, _pieces(lose, collection), collection.cecs)


def _named(names: Sequence[str], links: Sequence[str] | None, folder: Path) -> Iterator[_Site]:
    """The links of shipped layouts, or of files in ``folder``, each with its place."""
    for name in names:
        beside = folder / name
        collection = given_with_disks(beside if is_there(beside) else name)
        with within(f"layout {name}"):
            if links is None:
                (only, *others) = collection.links
                alone = None if others else with_notes(collection, only)
                yield _Site({"layout": name}, collection, alone)
            for link in links or ():
                chosen = with_notes(collection, collection.link(link, "[grid] link"))
                yield _Site({"layout": name, "link": link}, collection, chosen)


def _widened(sites: Sequence[_Site], channels: Sequence[int]) -> Iterator[_Site]:
    """The link of each place over so many channels."""
    for site, count in product(sites, channels):
        if site.link is None:
            raise ConfigurationError(f"channels: of {_said(site.place)}; expected link beside it")
        link = widened(site.link, count)
        yield _Site({**site.place, "channels": count}, Collection.of(link), link)


def _made(table: _Template) -> Iterator[_Site]:
    """Every layout of a template, with its place on each of the template's axes."""
    if len(table.systems) != 2:
        raise ConfigurationError(f"[template] systems: expected {_SYSTEMS}")
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
            layout = Template((first, second), features, chpids, each, order, km).layout()
            yield _Site(place, Collection.of(layout), layout)
