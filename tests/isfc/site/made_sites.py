"""Twelve sites that are made by the emulator, of kinds that real ones may be of.

Of each the truth is known: what runs there, and which constants it has. What it shows is what a
report would, with noise and rounding; what is said of it may be wrong.
"""

import dataclasses
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import Rdev
from ctc.features import ChpidProfile, find_profile
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import LinkTraffic
from isfc.link.name import NodeName
from isfc.site.measurement import (
    DeviceFigures,
    FilePlace,
    LinkFigures,
    Measurement,
    Ran,
    WayFigures,
)
from isfc.site.seen import seen_intervals
from scenarios.figures.site_workload import derive
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import DeviceResult, Result
from scenarios.runs.run import run
from scenarios.runs.workload import CONVERSATIONS, SUITES, LinkLoad, open_load
from scenarios.search.site_fit import fit
from scenarios.search.site_fitted import Fitted
from scenarios.search.site_search import intervals_of
from tests.isfc.site.site import LAYOUT, RUNS, errors_percent, site_of

Load = tuple[str, int]

CLUSTER: Final = Path(__file__).parents[2] / "data" / "layouts" / "three-systems.toml"
"""Three systems whose channels carry two links each; the first is a site's."""

PREDICTED: Final = (
    ("atlanta-boston", ("HL", 100)),
    ("atlanta-boston", ("HS", 50)),
    ("published-1", ("HL", 50)),
)
"""Layouts of the same feature and loads, of which few are measured."""

BUSY: Final[tuple[Load, ...]] = (("HL", 50), ("HM", 20), ("HL", 10))


class MadeSite(Struct, frozen=True):
    """A site: what differs from the model (``at``), what ran, and what is said and shown of it.

    ``said`` is None if link activity is the only word on what ran. ``per_s`` is an open load's.
    ``refused`` is a word of the reason for which a fit is refused, None if it is to be given.
    """

    kind: str
    at: Callable[[Layout], Layout]
    loads: tuple[Load, ...] = BUSY
    said: tuple[Load, ...] | None = BUSY
    noise: float = 0.02
    per_s: tuple[float, ...] = ()
    refused: str | None = None
    layout: str = LAYOUT
    shows_devices: bool = True
    shows_link: bool | None = None
    """None if it shows link activity where nothing is said of what ran."""
    counts: float = 1.0
    times: float = 1.0
    """What counts a second and times are multiplied with: other units."""
    guests: GuestCosts = GuestCosts()
    beside: tuple[tuple[LinkLoad, ...], ...] = ()
    """What runs in each interval over other links of a cluster, whose first the site is then."""
    shows_beside: bool = True
    """Whether there is link activity of these, or device rows alone."""
    says_beside: bool = False
    """Whether its file has them as ``[[traffic]]``."""

    def links(self) -> Collection:
        """The layout, or the cluster, as its file has it."""
        found = given_collection(CLUSTER if self.beside else self.layout)
        loads = self.beside[0] if self.says_beside else ()
        said = (LinkTraffic(e.client, e.server, e.workload.name, e.pairs) for e in loads)
        return dataclasses.replace(found, traffic=tuple(said))

    def intervals(self) -> list[Measurement]:
        """What it shows."""
        random, links = Random(self.kind), [*map(self.at, self.links().links)]
        site = links[0]
        found = []
        for minute, (suite, pairs) in enumerate(self.loads):
            workload = SUITES[suite]
            if self.per_s:
                workload, pairs = open_load(workload, self.per_s[minute]), CONVERSATIONS
            asked = Experiment.of(
                site, workload, pairs, 2.0, 0.5, seed=5 + minute, guests=self.guests
            )
            if self.beside:
                loads = *asked.loads, *self.beside[minute]
                asked = dataclasses.replace(asked, collection=Collection.of(*links), loads=loads)
            seen = run(asked)
            said = None if self.said is None else Ran(*self.said[minute])
            found.append(self._shown(site, seen.result, minute, said, random))
            for load in self.beside[minute] if self.beside else ():
                other = asked.collection.between(load.client, load.server)
                shown = self._shown(other, seen.link(other.name).result, minute, None, random)
                shown = dataclasses.replace(shown, system=load.client)
                found.append(shown if self.shows_beside else dataclasses.replace(shown, links=()))
        return found

    def _shown(
        self, site: Layout, result: Result, minute: int, said: Ran | None, random: Random
    ) -> Measurement:
        def noise() -> float:
            return 1 + random.gauss(0, self.noise)

        place = FilePlace(f"interval-{minute + 1}", 1)
        shows_link = said is None if self.shows_link is None else self.shows_link
        link = LinkFigures(
            site.partner(NodeName(result.node)),
            result.tx_pend_count,
            self.counts * result.collisions_per_s * noise(),
            _way(result, "out", noise, self.counts),
            _way(result, "in", noise, self.counts),
            place,
        )
        devices = (_device(each, noise, self.counts, self.times, place) for each in result.devices)
        return Measurement(
            site.nodes[0],
            f"10:{minute:02}:00",
            f"10:{minute + 1:02}:00",
            place,
            ran=said,
            clients=True,
            devices=tuple(devices) if self.shows_devices else (),
            links=(link,) if shows_link else (),
        )

    def fitted(self) -> Fitted:
        """The fit to it, refused or not."""
        layout = load_layout(self.layout)
        told, _ = intervals_of(
            seen_intervals(layout, self.intervals()), partial(derive, layout), RUNS
        )
        return fit(layout, told, RUNS)

    def errors_percent(self, fitted: Fitted) -> list[tuple[float, float]]:
        """Of each of `PREDICTED`, how far MB/s are off without the fit, and with it."""
        return [
            error
            for name, load in PREDICTED
            for error in errors_percent(self.at(load_layout(name)), fitted, [load], name)
        ]


def medians_percent(errors: list[tuple[float, float]]) -> tuple[float, float]:
    """How far predictions are off by the median, without the fit and with it."""
    today, predicted = (median(abs(each[way]) for each in errors) for way in (0, 1))
    return today, predicted


def _way(result: Result, way: str, noise: Callable[[], float], counts: float) -> WayFigures:
    more = noise()  # bytes are those of the messages: they are off alike
    mb, messages = (
        counts * getattr(result, f"{each}_{way}") * more for each in ("mb_per_s", "messages_per_s")
    )
    packages = counts * getattr(result, f"packages_per_s_{way}") * noise()
    of_package = (mb * 2**20 / packages, messages / packages) if packages else (0.0, 0.0)
    return WayFigures(mb, messages, packages, *of_package)


def _device(
    device: DeviceResult,
    noise: Callable[[], float],
    counts: float,
    times: float,
    place: FilePlace,
) -> DeviceFigures:
    rdev = Rdev(int(device.rdev, 16))
    if not device.io_per_s:
        return DeviceFigures(rdev, 0.0, None, None, None, None, 0.0, place)
    parts = [each * noise() for each in (device.pend_ms, device.disc_ms, device.conn_ms)]
    more = noise()
    busy = device.busy_percent * more * sum(parts) / device.serv_ms
    pend, disc, conn = (round(times * each, 1) for each in parts)
    return DeviceFigures(
        rdev,
        round(counts * device.io_per_s * more, 1),
        pend,
        disc,
        conn,
        round(times * sum(parts), 1),
        round(min(100.0, busy)),
        place,
    )


def factors(**each: float) -> Callable[[Layout], Layout]:
    """A site with such factors on the fitted constants."""
    return lambda layout: site_of(layout, **each)


def as_it_is(layout: Layout) -> Layout:
    """A site that is the model itself."""
    return layout


def of_profile(change: Callable[[ChpidProfile], ChpidProfile]) -> Callable[[Layout], Layout]:
    """A site whose channels are others."""
    return lambda layout: layout.with_fibres(
        lambda fibre: replace(fibre, profile=change(fibre.profile))
    )


SITES: Final = (
    MadeSite(
        "within the constants",
        factors(transfer=1.4, receive=2.0, turn=0.5),
    ),
    MadeSite(
        "within them, 5 % of noise",
        factors(transfer=1.25, receive=1.6),
        noise=0.05,
    ),
    MadeSite(
        "within them, one interval",
        factors(transfer=1.3, receive=1.5),
        BUSY[:1],
        BUSY[:1],
    ),
    MadeSite("the model itself", as_it_is),
    MadeSite(
        "link activity alone says what ran",
        factors(transfer=1.3, receive=1.5),
        (("HL", 50), ("HL", 100), ("HM", 100)),
        None,
    ),
    MadeSite("the same, the model itself", as_it_is, said=None, noise=0.01),
    MadeSite("a light load", as_it_is, BUSY[:1] * 2, None, per_s=(400.0, 270.0), refused="light"),
    MadeSite("HM:20 ran, HL:50 is said", as_it_is, (("HM", 20),), (("HL", 50),), refused="HM:20"),
    MadeSite(
        "three loads, none as said",
        as_it_is,
        (("HL", 10), ("HM", 10), ("HL", 20)),
        (("HL", 50), ("HL", 50), ("HL", 100)),
        refused="held back",
    ),
    MadeSite(
        "a line twice as fast",
        of_profile(lambda it: replace(it, line_ns_per_byte=it.line_ns_per_byte / 2)),
    ),
    MadeSite(
        "Express8 where the layout has Express2",
        of_profile(lambda _: find_profile("FICON Express8")),
        refused="FICON Express8 where the layout has",
    ),
    MadeSite(
        "disks take 40 % of the channel",
        of_profile(lambda it: it.beside(0.4)),
        refused="look like disks, or whatever is beside, that take 4",
    ),
)
