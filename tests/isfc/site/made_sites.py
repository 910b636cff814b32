"""Sites that are made by the emulator, of kinds that real ones may be of.

Of each the truth is known: what runs there, and which constants it has. What it shows is what a
report would, with noise and rounding; what is said of it may be wrong.
"""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import Rdev
from ctc.features import ChpidProfile
from isfc.layout.catalogue import given_collection
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
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import DeviceResult, Result
from scenarios.runs.run import run
from scenarios.runs.workload import CONVERSATIONS, SUITES, LinkLoad, open_load
from tests.isfc.site.site import LAYOUT, site_of

Load = tuple[str, int]

CLUSTER: Final = Path(__file__).parents[2] / "data" / "layouts" / "three-systems.toml"
"""Three systems whose channels carry two links each; the first is a site's."""


class MadeSite(Struct, frozen=True):
    """A site: what differs from the model (``at``), what ran, and what is said and shown of it.

    ``said`` is None if link activity is the only word on what ran. ``per_s`` is an open load's.
    """

    kind: str
    at: Callable[[Layout], Layout]
    loads: tuple[Load, ...]
    said: tuple[Load, ...] | None
    noise: float
    layout: str = LAYOUT
    per_s: tuple[float, ...] = ()
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


def _way(result: Result, way: str, noise: Callable[[], float], counts: float) -> WayFigures:
    more = noise()  # bytes are those of the messages: they are off alike
    mb, messages = (
        counts * getattr(result, f"{each}_{way}") * more for each in ("mb_per_s", "messages_per_s")
    )
    packages = counts * getattr(result, f"packages_per_s_{way}") * noise()
    of_package = (mb * 2**20 / packages, messages / packages) if packages else (0.0, 0.0)
    return WayFigures(mb, messages, packages, *of_package)


def _device(
    device: DeviceResult, noise: Callable[[], float], counts: float, times: float, place: FilePlace
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


def of_profile(change: Callable[[ChpidProfile], ChpidProfile]) -> Callable[[Layout], Layout]:
    """A site whose channels are others."""
    return lambda layout: layout.with_fibres(
        lambda fibre: replace(fibre, profile=change(fibre.profile))
    )
