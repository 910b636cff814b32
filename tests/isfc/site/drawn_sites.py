"""Made sites whose kind goes round and whose rest is drawn: what differs, what ran, what is said.

`drawn` gives the site of a number. No number is chosen: those that thresholds were looked at with
are named in docs/measured.md, and others judge the fit.
"""

import csv
import dataclasses
from collections.abc import Callable
from math import exp, log
from pathlib import Path
from random import Random
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.features import FEATURES, ChpidProfile, find_profile
from isfc import measured
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.layout import Fibre, Layout, with_site
from isfc.site.measurement import Measurement, table_rows
from scenarios.figures.ranges import fit_deviation, link_rate
from scenarios.runs.experiment import Experiment
from scenarios.runs.experiment import Load as RunLoad
from scenarios.runs.guests import GuestCosts
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES, LinkLoad
from scenarios.search.site_fitted import PAIRS
from tests.isfc.site.made_sites import CLUSTER, Load, MadeSite, factors, of_profile
from tests.isfc.site.site import mb_per_s_of

LAYOUTS: Final = ("atlanta-boston", "published-4", "published-8")
"""Layouts of sites: several CTCs of one feature; the first and the last of two fibres."""

OTHERS: Final = ("atlanta-boston", "published-1", "published-4", "published-8")
"""Layouts that are predicted: of the same feature."""

SPREADS: Final = {"transfer": 0.25, "receive": 0.4, "turn": 0.5, "latency": 0.3, "build": 0.4}
"""Standard deviations of the logarithms of what constants are multiplied with."""

EACH: Final = 5
"""Loads that are predicted of each layout."""

KINDS: Final = (
    "other constants",
    "other constants, one interval",
    "other constants, link activity alone",
    "the model itself",
    "a light load",
    "a wrong word",
    "another line",
    "another feature",
    "disks beside",
    "other units",
)


class DrawnSite(Struct, frozen=True):
    """A made site, and what is to be predicted: layouts of the same feature, and loads.

    ``truth`` says in words what it is. A reason to refuse the fit is the right one if it holds one
    of ``right``; where the six constants are all that differs, the fit itself is right.
    """

    number: int
    kind: str
    made: MadeSite
    predictions: tuple[tuple[str, Load], ...]
    truth: str
    right: tuple[str, ...]

    @property
    def is_within(self) -> bool:
        """Whether the six constants are all that differs, the line among them."""
        return AS_THE_FIT in self.right

    def measurements(self, folder: Path) -> list[Measurement]:
        """What it shows, as read from a table; raises `ConfigurationError` where it cannot be."""
        shown = self.made.intervals()
        path = folder / f"site-{self.number}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            rows = [*table_rows(shown)]
            writer = csv.DictWriter(file, [*rows[0]])
            writer.writeheader()
            writer.writerows(rows)
        return [*measured.read([path]).measurements]


def drawn(number: int) -> DrawnSite:
    """The site of a number: its kind is one of `KINDS`, or of `OUTSIDE`, in turn."""
    if number >= OUTSIDE_FROM:
        return (_clustered if number >= CLUSTERS_FROM else _outside)(number)
    random = Random(number)
    kind = KINDS[number % len(KINDS)]
    layout = random.choice(LAYOUTS)
    loads = tuple(_load(random) for _ in range(random.choice((1, 2, 3))))
    given = _factors(random)
    mixed = random.random() < 0.5
    share, factor = random.uniform(0.1, 0.5), random.choice((0.5, 0.7, 1.5))
    feature = random.choice([each for each in FEATURES if each != "FICON Express2"])
    unit = random.choice([*UNITS])
    evidence = random.choice(EVIDENCE.get(kind, ("devices", "devices", "all", "link", "both")))
    site = MadeSite(
        f"{number}: {kind}",
        lambda at: at,
        loads,
        None,
        random.uniform(0.01, 0.05),
        layout=layout,
        shows_devices=evidence != "link",
        shows_link=evidence != "devices",
    )
    said, noise = loads, f"{100 * site.noise:.0f} % of noise"
    parts = [f"{_named(loads)} on {layout}", evidence, noise]
    if mixed or kind.startswith("other constants"):
        site = replace(site, at=factors(**given))
        parts += [f"{name} {value:.2f}" for name, value in given.items()]
    at = site.at
    if kind == "other constants, one interval":
        site, said = replace(site, loads=loads[:1]), loads[:1]
    elif kind == "a light load":
        site = replace(site, per_s=tuple(share * _of_one_pair(layout, each) for each in loads))
        parts.append(f"{share:.2f} of what one pair does")
    elif kind == "a wrong word":
        wrong = random.choice((1, len(loads)))
        said = (*(_other(random, each) for each in loads[:wrong]), *loads[wrong:])
        parts.append(f"said is {_named(said)}")
    elif kind == "another line":
        site = replace(site, at=lambda it: of_profile(lambda p: _line(p, factor))(at(it)))
        parts.append(f"line {factor:.2f} beside that")
    elif kind == "another feature":
        of_feature = of_profile(lambda _: find_profile(feature))
        site = replace(
            site, at=(lambda it: factors(**given)(of_feature(it))) if mixed else of_feature
        )
        parts.append(feature)
    elif kind == "disks beside":
        site = replace(site, at=lambda it: of_profile(lambda p: p.beside(share))(at(it)))
        parts.append(f"disks take {share:.2f} of the channel")
    elif kind == "other units":
        counts, times = UNITS["a minute's for a second's" if evidence == "link" else unit]
        site = replace(site, counts=counts, times=times)
        parts.append(f"counts times {counts:g}, times times {times:g}")
    if evidence in ("devices", "all"):
        site = replace(site, said=said)
    predictions = _predictions(random, layout)
    return DrawnSite(number, kind, site, predictions, ", ".join(parts), RIGHT[kind])


def _outside(number: int) -> DrawnSite:
    """A site with a cause that no fitted constant is, of which two or three loads are said."""
    random = Random(number)
    kind = [*OUTSIDE][number % len(OUTSIDE)]
    (least, most), put, right = OUTSIDE[kind]
    layout, given = random.choice(LAYOUTS[::2] if put is _one_slower else LAYOUTS), _factors(random)
    loads = tuple(_load(random) for _ in range(random.choice((2, 3))))
    much = random.uniform(least, most)
    parts = [f"{_named(loads)} on {layout}", f"{kind} {much:.2f}"]
    mixed = random.random() < 0.5
    if mixed:
        parts += [f"{name} {value:.2f}" for name, value in given.items()]
    guests = GuestCosts()
    if kind == SLOWER_GUESTS:
        guests = dataclasses.replace(guests, server_ns=guests.server_ns + round(1e6 * much))
    site = MadeSite(
        f"{number}: {kind}",
        lambda at: factors(**(given if mixed else {}))(put(at, much)),
        loads,
        loads,
        random.uniform(0.01, 0.05),
        layout=layout,
        guests=guests,
    )
    parts.append(f"{100 * site.noise:.0f} % of noise")
    return DrawnSite(number, kind, site, _predictions(random, layout), ", ".join(parts), right)


def _clustered(number: int) -> DrawnSite:
    """A link of three systems whose channels carry the two others, of which something is known."""
    random = Random(number)
    kind = CLUSTERED[number % len(CLUSTERED)]
    given = _factors(random)
    loads = tuple(_load(random) for _ in range(random.choice((2, 3))))
    ends = [link.nodes for link in given_collection(CLUSTER).links[1:]]
    beside = tuple(
        LinkLoad(client, server, SUITES[suite], pairs)
        for each in ends
        for (client, server), (suite, pairs) in ((random.sample(each, 2), _load(random)),)
    )
    parts = [f"{_named(loads)}, beside {' '.join(map(str, beside))}"]
    at: Callable[[Layout], Layout] = factors(**given)
    if kind == DISKS_TOO:
        share = random.uniform(0.1, 0.5)
        at = of_profile(lambda it: it.beside(share))
        parts.append(f"disks take {share:.2f}")
    else:
        parts += [f"{name} {value:.2f}" for name, value in given.items()]
    site = MadeSite(
        f"{number}: {kind}",
        at,
        loads,
        loads,
        random.uniform(0.01, 0.05),
        shows_link=True,
        beside=(beside,) * len(loads),
        shows_beside=kind not in (TRAFFIC, UNTOLD),
        says_beside=kind == TRAFFIC,
    )
    parts.append(f"{100 * site.noise:.0f} % of noise")
    right = {DISKS_TOO: OUTSIDE["disks that take"][-1], UNTOLD: ("nothing says what",)}
    predictions = _predictions(random, "published-4")
    return DrawnSite(
        number, kind, site, predictions, ", ".join(parts), right.get(kind, (AS_THE_FIT,))
    )


TRAFFIC, DISKS_TOO, UNTOLD = "cluster, [[traffic]]", "cluster, disks", "cluster, others not told"
CLUSTERED: Final = ("cluster, activity of all", TRAFFIC, DISKS_TOO, UNTOLD)
CLUSTERS_FROM: Final = 3000

EVIDENCE: Final = {
    "other constants, link activity alone": ("link", "both"),
    "a light load": ("link", "both", "all"),
    "a wrong word": ("devices", "all"),
}
"""What a site shows, of kinds that need not be of every evidence."""

UNITS: Final = {
    "a minute's for a second's": (60.0, 1.0),
    "times in microseconds": (1.0, 1000.0),
    "times in seconds": (1.0, 0.001),
}
"""What counts and times are multiplied with."""

AS_THE_FIT: Final = "as like the fit"
RIGHT: Final = {
    "other constants": ("link activity alone", AS_THE_FIT),
    "other constants, one interval": ("link activity alone", AS_THE_FIT),
    "other constants, link activity alone": ("how many pairs", "link activity alone", AS_THE_FIT),
    "the model itself": ("how many pairs", "link activity alone", AS_THE_FIT, "the model as it is"),
    "a light load": ("light",),
    "a wrong word": ("looks like", "was it another workload", "furthest", "without which"),
    "another line": ("like lines of", "like FICON", "the line takes", AS_THE_FIT),
    "another feature": ("look like FICON", "as much like FICON"),
    "disks beside": ("look like disks", "as much like disks"),
    "other units": ("expected", "unit"),
}


def _load(random: Random) -> Load:
    return random.choice([*SUITES]), random.choice([each for each in PAIRS if each >= 10])


def _other(random: Random, load: Load) -> Load:
    while (other := _load(random)) == load:
        pass
    return other


def _of_one_pair(layout: str, load: Load) -> float:
    """Exchanges a second of one pair in the model."""
    asked = Experiment.of(load_layout(layout), SUITES[load[0]], 1, 1.0, 0.3)
    return run(asked).result.messages_per_s_in


def _factors(random: Random) -> dict[str, float]:
    """Other constants: what a byte takes always, each of the others in three of five cases."""
    found = {}
    for name, spread in SPREADS.items():
        factor = min(2.5, max(0.4, exp(random.gauss(0, spread))))
        if name == "transfer" or random.random() < 0.6:
            found[name] = factor
    return found


def _predictions(random: Random, layout: str) -> tuple[tuple[str, Load], ...]:
    """Other loads on the layout of the site, and on three others, in turn."""
    names = [layout, *(each for each in OTHERS if each != layout)]
    return tuple((name, _load(random)) for name in EACH * names)


def _named(loads: tuple[Load, ...]) -> str:
    return " ".join(f"{name}:{pairs}" for name, pairs in loads)


def _line(profile: ChpidProfile, factor: float) -> ChpidProfile:
    return replace(profile, line_ns_per_byte=profile.line_ns_per_byte * factor)


def _one_slower(layout: Layout, factor: float) -> Layout:
    """One of its fibres, or one of each two."""
    kept = layout.fibres[1::2]
    names = "line_ns_per_byte", "processor_ns_per_byte"

    def slower(fibre: Fibre) -> Fibre:
        more = {name: factor * getattr(fibre.profile, name) for name in names}
        return fibre if fibre in kept else replace(fibre, profile=replace(fibre.profile, **more))

    return layout.with_fibres(slower)


def _starts(profile: ChpidProfile, factor: float) -> ChpidProfile:
    names = "io_ns", "interrupt_ns", "write_interrupt_ns"
    return replace(profile, **{name: round(factor * getattr(profile, name)) for name in names})


SLOWER_GUESTS: Final = "guests that need ms more:"

Put = Callable[[Layout, float], Layout]

OUTSIDE: Final[dict[str, tuple[tuple[float, float], Put, tuple[str, ...]]]] = {
    "fibres of km:": (
        (8, 60),
        lambda at, km: at.with_fibres(lambda fibre: replace(fibre, km=km)),
        ("look like fibres of", "as much like fibres of"),
    ),
    "Express4 at Gb/s:": (
        (2.6, 4.0),
        lambda at, gbps: of_profile(lambda _: find_profile("FICON Express4", gbps))(at),
        ("look like lines of", "look like FICON Express4"),
    ),
    "disks that take": (
        (0.1, 0.5),
        lambda at, share: of_profile(lambda it: it.beside(share))(at),
        ("look like disks", "as much like disks"),
    ),
    "starts and interrupts times": (
        (1.5, 2.5),
        lambda at, factor: of_profile(lambda it: _starts(it, factor))(at),
        ("look like starts", "as much like starts"),
    ),
    SLOWER_GUESTS: ((0.5, 5.0), lambda at, _: at, ("look like guests", "as much like guests")),
    "one fibre of two slower:": ((1.5, 2.5), _one_slower, ("none of the causes", "not alike")),
}
"""Between what a number is drawn, what a link is with it, and the right reason to refuse a fit. The
last is outside of all that is tried."""

OUTSIDE_FROM: Final = 1000


class Predicted(Struct, frozen=True):
    """MB/s there, without the profile and with it; and what the fit leaves open, as a logarithm.

    ``likely`` and ``sure`` are how far the ranges go that are printed, as a logarithm, too.
    """

    there: float
    today: float
    at_site: float
    deviation: float
    likely: float
    sure: float


def predicted(
    site: DrawnSite, profile: measured.SiteProfile, most: int | None = None
) -> list[Predicted]:
    """Each prediction, or so many at most."""
    found = []
    for name, load in site.predictions[:most]:
        layout, (suite, pairs) = load_layout(name), load
        at = site.made.at(layout)
        rates = mb_per_s_of(at, layout, profile, load, (2.0, 0.5), site.made.guests)
        fitted, workload = profile.covariance, SUITES[suite]
        known = fit_deviation(profile, layout, workload, pairs) if fitted else 0.0
        shown = link_rate(rates[-1], with_site(layout, profile), RunLoad(workload, pairs)).range
        assert shown is not None, "something is carried"
        ends = (log(each.high / rates[-1]) for each in (shown.likely, shown.sure))
        found.append(Predicted(*rates, known, *ends))
    return found
