"""A site's own figures from Python: what the command does, with the same figures."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

import isfc
from isfc.layout.site import SiteProfile
from isfc.link.parameters import LinkParameters
from isfc.site.seen import seen_intervals
from scenarios.figures import site_compare
from scenarios.figures.site_workload import derive
from scenarios.runs.guests import GuestCosts
from scenarios.runs.result import constants_digest
from scenarios.search import site_fit
from scenarios.search.site_fitted import Fitted
from scenarios.search.site_search import intervals_of
from tests.isfc.site.site import RUNS
from tools import PROJECT

PAGES = [PROJECT / "docs" / "measured" / f"site-{n}.txt" for n in (1, 2)]


@pytest.fixture(autouse=True)
def short_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Emulate for a moment."""
    monkeypatch.setattr(site_compare, "SECONDS", 0.2)
    monkeypatch.setattr(site_compare, "WARMUP", 0.05)


def refused(layout: Any, *_: Any) -> Fitted:
    """A fit that is in doubt, without a run."""
    found = site_fit.fit(layout, [], RUNS)
    return structs.replace(found, profile=replace(found.profile, doubts=("it is off",)))


def test_figures_are_read_and_are_rows() -> None:
    found = isfc.measured.read(PAGES, ran=["site-2.txt=HM:7"])
    assert [str(each.ran) for each in found.measurements] == ["HL:50", "HM:7"]
    assert {row["system"] for row in found.rows()} == {"ATLANTA"}
    with pytest.raises(
        isfc.ConfigurationError, match=r"ran x\.txt=HM:7: expected one of the files"
    ):
        isfc.measured.read(PAGES, ran=["x.txt=HM:7"])


def test_a_profile_brings_the_model_nearer() -> None:
    seen = isfc.measured.read(PAGES[:1])
    (blank,) = isfc.measured.compare("atlanta-boston", seen).intervals
    fitted = isfc.measured.fit("atlanta-boston", [])
    profile = replace(fitted.profile, factors={"transfer": 1.4, "receive": 2.0})
    found = isfc.measured.compare("atlanta-boston", seen, profile=profile)
    (near,) = found.intervals
    errors = [abs(each.median_errors["Serv"] or 0.0) for each in (blank, near)]
    assert errors[1] < errors[0] / 3
    assert [row["error_percent"] for row in found.rows()] == [f.error_percent for f in near.figures]


def test_the_constants_of_a_fit_are_rows() -> None:
    fitted = isfc.measured.fit("atlanta-boston", [])
    told = {row["constant"]: row for row in fitted.rows()}
    assert told["line"]["low"] < 1 < told["line"]["high"]
    assert (told["line"]["factor"], told["line"]["told"]) == (1.0, False)


def test_a_simulation_takes_a_profile(tmp_path: Path) -> None:
    profile = replace(isfc.measured.fit("atlanta-boston", []).profile, factors={"transfer": 2.0})
    path = tmp_path / "site.toml"
    path.write_text(isfc.measured.format_profile(profile))
    assert isfc.measured.read_profile(path).factors == profile.factors
    found = [
        isfc.simulate("atlanta-boston", "HL", pairs=20, seconds=0.1, warmup=0.1, profile=each)
        for each in (None, profile, path)
    ]
    today, given, read = (each.result.mb_per_s for each in found)
    assert given == read
    assert given < 0.8 * today
    with pytest.raises(isfc.ConfigurationError, match="fit it again"):
        isfc.simulate("atlanta-boston", "HL", pairs=1, profile=replace(profile, model="0000"))


SITE = SiteProfile(
    "site",
    {"transfer": 2.0, "receive": 2.0},
    ("FICON Express2",),
    1,
    constants_digest(LinkParameters(), GuestCosts()),
)


GUEST = isfc.GuestPlan("LINUX1", isfc.GuestMemory(size=2**28, touched=2**24))


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    "rate",
    [
        lambda site: isfc.carried("published-4", "CLIENT", profile=site)[0].stated.value,
        lambda site: isfc.carried(isfc.judge("published-4", profile=site).layout)[0].stated.value,
        lambda site: isfc.losses("published-4", profile=site).rows()[0]["mb_per_s"],
        lambda site: 1 / isfc.relocate("published-4", GUEST, profile=site).seconds.value,
        lambda site: (
            1 / isfc.evacuate("published-4", "CLIENT", [GUEST], profile=site).seconds.value
        ),
        lambda site: isfc.optimise("published-4", runs=1, seeds=1, profile=site).given.score.value,
    ],
    ids=["carried", "plan", "losses", "relocate", "evacuate", "optimise"],
)
def test_what_has_figures_takes_a_profile(rate: Callable[[SiteProfile | None], float]) -> None:
    assert rate(SITE) < 0.8 * rate(None)


def test_a_fit_that_is_refused_is_raised_unless_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isfc.answers.measured_fit.fit_intervals", refused)
    seen = isfc.measured.read(PAGES)
    told: list[float] = []
    with pytest.raises(isfc.measured.FitRefused, match="refused: it is off") as caught:
        isfc.measured.fit("atlanta-boston", seen, progress=told.append)
    assert 0 < told[0] < told[1] < 1  # what ran in each
    assert isfc.measured.fit("atlanta-boston", seen, anyway=True, jobs=2).doubts == ("it is off",)
    assert pickle.loads(pickle.dumps(caught.value)).answer == caught.value.answer
    assert isfc.measured.fit("atlanta-boston", seen, anyway=True).profile.doubts == ("it is off",)


def test_of_many_intervals_some_are_fitted_to_from_the_least_busy_to_the_busiest() -> None:
    layout = isfc.load_layout("atlanta-boston")
    (page,) = isfc.measured.read(PAGES[:1]).measurements
    many = [
        replace(
            page,
            end=f"10:{minute:02}:00",
            devices=tuple(
                replace(device, busy_percent=float((minute * 7) % 15)) for device in page.devices
            ),
        )
        for minute in range(15)
    ]
    chosen, (note,) = intervals_of(seen_intervals(layout, many), partial(derive, layout), RUNS)
    busy = sorted(each.seen.ends[0].measurement.devices[0].busy_percent or 0 for each in chosen)
    assert busy == [0, 2, 4, 6, 8, 10, 12, 14]
    assert note == "fitted to 8 of 15 intervals, from the least busy to the busiest"
