"""Three made sites, from their files to a decision that other commands confirm.

Two systems in two CECs with sixty guests and their load by time; four members on shared chpids with
a director; a link that is slow as its fibres are longer than its decks can say.
"""

import json
from pathlib import Path

import pytest
from msgspec import Struct

import isfc
from isfc.answers.asked_for import read_window
from isfc.answers.decision import decided
from isfc.answers.decision_page import Decision
from isfc.answers.site_asked import SiteAsked
from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.site.intervals import PERIODS, WEEKDAYS
from tests.decks import DECKS
from tools import PROJECT

pytestmark = [
    pytest.mark.at_length,
    pytest.mark.exhaustive,
    pytest.mark.slow,
    pytest.mark.timeout(1_800),  # a minute of one processor each, compiled
]

DATA = PROJECT / "tests" / "data"
PAGES = [DATA / "measured" / f"far-fibres-{n}.txt" for n in (1, 2, 3)]


class Site(Struct):
    """Files in an order of their own, what is asked, and what has to come out."""

    files: list[Path]
    asked: SiteAsked
    link: str
    wanted: float
    limited_by: str
    order: bool
    says: str = ""


SITES = {
    "two CECs": Site(
        [
            DATA / "sites" / "two-cecs" / "load.csv",
            DECKS / "two-by-eight-b.iocp",
            DATA / "sites" / "two-cecs" / "guests.csv",
            DECKS / "two-by-eight-a.iocp",
        ],
        SiteAsked(decide="1000 MB/s with a chpid lost", window="SUN 02:00-06:00"),
        "ATLANTA-BOSTON",
        1000,
        "how fast the other end receives",
        order=True,
    ),
    "four members": Site(
        [
            DECKS / "cec-b.iocp",
            DATA / "sites" / "four-members" / "guests.csv",
            DECKS / "cec-a.iocp",
        ],
        SiteAsked(
            "ATLANTA,AUSTIN,BOSTON,BUTTE",
            ("ATLANTA:50=C0,ATLANTA:51=C1,ATLANTA:52=C2",),
            decide="500 MB/s with a chpid lost",
            window="02:00-06:00",
        ),
        "ATLANTA-BOSTON",
        500,
        "",
        order=False,
    ),
    "slow link": Site(
        [
            DATA / "sites" / "slow-link" / "boston.iocp",
            *PAGES,
            DATA / "sites" / "slow-link" / "guests.csv",
            DATA / "sites" / "slow-link" / "atlanta.iocp",
        ],
        SiteAsked(
            feature=("FICON Express2",),
            ran=("far-fibres-1.txt=HL:50", "far-fibres-2.txt=HM:20", "far-fibres-3.txt=HL:10"),
            decide="500 MB/s with a chpid lost",
            window="SAT",
        ),
        "ATLANTA-BOSTON",
        500,
        "fibre links",
        order=True,
        says="these figures look like fibres of",
    ),
}


@pytest.fixture(scope="module", params=SITES)
def made(request: pytest.FixtureRequest) -> tuple[Site, Decision]:
    site = SITES[request.param]
    return site, decided(site.files, site.asked, link=site.link)


def test_the_reason_and_the_worst_loss_are_those_of_plan(made: tuple[Site, Decision]) -> None:
    site, found = made
    assert found.is_whole
    lines = dict(found.decided)
    assert site.limited_by in lines["Limited by"]
    assert site.says in lines.get("The site", "")
    worst = found.part("What a loss leaves").answer.worst
    kind = {each.name: each for each in found.part("What a loss leaves").answer.losses}[worst]
    again = isfc.losses(found.layout or "", without=[_spelt(kind)])
    (left,) = (each for each in again.losses if each.kind is not None)
    assert left.rate.value == pytest.approx(kind.rate.value, rel=0.02)
    if site.says:
        (link,) = isfc.parse_links(found.layout or "").links
        assert link.fibres[0].km == pytest.approx(30, abs=2)


def _spelt(left: isfc.Left) -> str:
    """As ``--without`` names it: a chpid by its system, which several may have."""
    if not left.gone:
        return f"{left.kind}:{left.name.rpartition(' ')[2]}"
    node, chpid = next(iter(left.gone.items()))
    return f"{node}:{chpid}"


def test_what_is_ordered_carries_what_is_wanted_with_each_chpid_lost(
    made: tuple[Site, Decision],
) -> None:
    site, found = made
    assert (found.ordered is not None) == site.order
    layout = found.ordered or found.layout or ""
    link = isfc.parse_links(layout).link(site.link)
    for chpid in {fibre.chpid_names[0] for fibre in link.fibres}:
        found_left = isfc.losses(layout, link=site.link, without=[f"{link.nodes[0]}:{chpid}"])
        assert found_left.losses[-1].rate.value >= site.wanted


def test_the_change_is_carried_out_in_a_run(
    made: tuple[Site, Decision], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site, found = made
    if not site.order:
        assert "The change and the way back" not in {part.title for part in found.parts}
        return
    before, after = tmp_path / "now.toml", tmp_path / "then.toml"
    before.write_text(found.layout or "")
    after.write_text(found.ordered or "")
    words = ["change", str(before), str(after), "--no-rates", "--try", str(tmp_path / "try")]
    assert run(words) == ExitCode.GOOD
    capsys.readouterr()
    (link,) = isfc.parse_links(found.ordered or "").links
    ended = ""
    for layout in sorted((tmp_path / "try").glob("*.toml")):
        words = ["run", str(layout), "--cp", str(layout.with_suffix(".cp")), "--workload", "HL"]
        words += ["--pairs", "20", "--warmup", "0", "--seconds", "60", "--json"]
        assert run(words) == ExitCode.GOOD
        ended = capsys.readouterr().out
    responses = json.dumps(json.loads(ended))
    for rdev in {ctc.rdev_names[0] for ctc in link.ctcs}:
        assert rdev in responses


def test_the_window_is_one_that_an_evacuation_fits_into(made: tuple[Site, Decision]) -> None:
    site, found = made
    window, moved = found.part("The window").answer, found.part("Moving the guests").answer
    assert window.fits
    asked = read_window(site.asked.window or "")
    guests = [path for path in site.files if path.name == "guests.csv"]
    again = isfc.evacuate(found.layout or "", "ATLANTA", guests[0])
    assert again.seconds.value == pytest.approx(moved.seconds.value, rel=0.02)
    assert again.seconds.ends.high <= asked.seconds
    if window.begin is not None:
        day, clock = window.begin.split()
        hours, minutes = map(int, clock.split(":"))
        begin_s = WEEKDAYS.index(day) * 86_400 + hours * 3600 + minutes * 60
        assert asked.holds(begin_s, window.busy_s[1], PERIODS["week"])
