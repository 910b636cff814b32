"""A site that is made by the emulator with other constants, and what it prints."""

import io
from dataclasses import replace
from operator import call
from pathlib import Path
from random import Random
from typing import Final

from rich.console import Console

from isfc.answers.views import View, device_page, view_title
from isfc.layout.catalogue import load_layout
from isfc.layout.layout import Layout, with_site
from isfc.layout.site import SiteProfile
from isfc.site.figures import Reading
from isfc.site.file import read_measurements
from isfc.site.seen import seen_intervals
from scenarios.figures.site_workload import derive
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.report import make_name, measured
from scenarios.runs.result import DeviceResult, Result
from scenarios.runs.run import run
from scenarios.runs.workload import SUITES
from scenarios.search.site_fit import fit
from scenarios.search.site_fitted import Fitted
from scenarios.search.site_search import FitInterval, Runs

NOISE = 0.02
LAYOUT = "atlanta-boston"

RUNS: Final = Runs(lambda calls: enumerate(map(call, calls)), lambda _: None)
"""The runs of a fit, done in this process and told nobody."""


def site_of(layout: Layout, **factors: float) -> Layout:
    """The layout at a site whose constants are so many times today's."""
    features = tuple({fibre.profile.feature for fibre in layout.fibres})
    return with_site(layout, SiteProfile("made", factors, features, 0, ""))


def print_pages(site: Layout, loads: list[tuple[str, int]], folder: Path, seed: int) -> list[Path]:
    """Print an FCX108 page of each load, every figure with noise; nothing says the profile."""
    random, files = Random(seed), []
    for number, (suite, pairs) in enumerate(loads):
        experiment = Experiment.of(site, SUITES[suite], pairs, 2.0, 0.5, seed=seed + number)
        result = _noisy(run(experiment).result, random)
        console = Console(file=io.StringIO(), width=100)
        seen = measured(make_name(experiment), experiment, result)
        console.print(view_title(experiment, [seen], None))
        console.print(device_page([View.DEVICE.of(seen)]))
        text = console.file
        assert isinstance(text, io.StringIO)
        path = folder / f"page-{number}.txt"
        path.write_text(text.getvalue(), "utf-8")
        files.append(path)
    return files


def _noisy(result: Result, random: Random) -> Result:
    def noisy(value: float) -> float:
        return value * (1 + random.gauss(0, NOISE))

    devices: list[DeviceResult] = []
    for each in result.devices:
        pend, disc, conn = noisy(each.pend_ms), noisy(each.disc_ms), noisy(each.conn_ms)
        devices.append(
            replace(
                each,
                io_per_s=noisy(each.io_per_s),
                pend_ms=pend,
                disc_ms=disc,
                conn_ms=conn,
                serv_ms=pend + disc + conn,
                busy_percent=min(100.0, noisy(each.busy_percent)),
            )
        )
    return replace(result, devices=tuple(devices))


def fit_pages(files: list[Path]) -> Fitted:
    """The profile that the pages give, and nothing else."""
    layout = load_layout(LAYOUT)
    found = seen_intervals(layout, read_measurements(files, Reading()))
    intervals = [FitInterval(seen, derive(layout, seen)) for seen in found]
    return fit(layout, intervals, RUNS)


def mb_per_s_of(
    site: Layout,
    layout: Layout,
    profile: SiteProfile,
    load: tuple[str, int],
    seconds: tuple[float, float],
    guests: GuestCosts | None = None,
) -> tuple[float, float, float]:
    """MB/s of a load at a site, of the layout as it is, and of it with a profile."""
    suite, pairs = load
    usual = GuestCosts()
    there, today, at_site = (
        run(Experiment.of(each, SUITES[suite], pairs, *seconds, seed=77, guests=costs)).mb_per_s
        for each, costs in (
            (site, guests or usual),
            (layout, usual),
            (with_site(layout, profile), usual),
        )
    )
    return there, today, at_site


def errors_percent(
    site: Layout, fitted: Fitted, held_back: list[tuple[str, int]], name: str = LAYOUT
) -> list[tuple[float, float]]:
    """MB/s of workloads not fitted to: how far off today's constants are, and the profile's."""
    found = []
    for load in held_back:
        there, *both = mb_per_s_of(site, load_layout(name), fitted.profile, load, (1.0, 0.3))
        today, predicted = (100 * (each / there - 1) for each in both)
        found.append((today, predicted))
    return found
