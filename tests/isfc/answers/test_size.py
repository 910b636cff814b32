"""``isfc size``: ten questions with their answers, the layout it writes, its record and errors."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

import isfc
from ctc.features import ChpidProfile, find_profile
from isfc.answers import size
from isfc.answers.limit import LimitedBy, Limiting
from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.loss import losses
from isfc.reports.figure import Figure, Interval, Range, Unit
from isfc.reports.report import report_of
from scenarios.figures import glance
from scenarios.figures.rates import carried
from scenarios.runs.experiment import Experiment, Load
from scenarios.runs.steady import steady_run
from scenarios.runs.workload import SUITES
from scenarios.search import sizing
from scenarios.search.sizing import SizedLink
from tests.isfc.printed import Printed, Recorded
from tests.layouts import layout_of

FEW = ("--pairs", "20")
SHORT = (*FEW, "--feature", "Express8S", "--jobs", "1")


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that are short are shorter still."""
    monkeypatch.setattr(sizing, "WARMUP", 0.02)
    monkeypatch.setattr(sizing, "SHORT_S", 0.03)
    monkeypatch.setattr(glance, "BEGIN_NS", 10_000_000)
    monkeypatch.setattr(glance, "LENGTH_NS", 20_000_000)


def left_of(layout: Layout, lost: str) -> float:
    """MB/s of the slower direction with the worst piece gone, found piece by piece."""
    every: list[Layout | None] = [layout]
    if lost in ("chpid", "ctc"):
        every = [each.left for each in losses(Collection.of(layout)) if each.kind == lost]
    if lost == "director":
        halves = layout.fibres[::2], layout.fibres[1::2]
        every = [
            layout.with_ctcs(tuple(ctc for ctc in layout.ctcs if ctc.fibre in half))
            if half
            else None
            for half in halves
        ]
    rests = [each for each in every if each is not None]
    if len(rests) < len(every) or not rests:
        return 0.0
    return min(
        steady_run(Experiment.of(rest, SUITES["HL"], 20, client=node)).rate.mb_per_s
        for rest in rests
        for node in rest.nodes
    )


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ("400", "--lost none"),
        ("400", "--lost ctc"),
        ("400", "--lost chpid"),
        ("400", "--lost director"),
        ("900", "--lost none"),
        ("900", ""),
        ("150", "--feature Express2"),
        ("300", "--feature Express8S --feature Express2"),
        ("400", "--km 100"),
        ("20", "--workload HS"),
    ],
)
def test_fewest_chpids_that_carry_it(wanted: str, words: str, printed: Printed) -> None:
    given = ["--mb-per-s", wanted, *words.split(), "--json", "--jobs", "1", "--pairs", "20"]
    given += [] if "--feature" in words else ["--feature", "Express8S"]
    record = json.loads(printed("size", *given))
    best, links = record["best"], record["links"]
    assert best == min(links, key=lambda one: (one["chpids"], one["ctcs"], -one["odds_percent"]))
    assert all(one["left"]["value"] >= float(wanted) and one["odds_percent"] >= 50 for one in links)
    assert best["ports"] == 2 * best["chpids"]
    if record["workload"] == "HL" and not record["km"]:
        fewer = [(best["chpids"], best["ctcs"] // best["chpids"] - 1)]
        fewer += [(best["chpids"] - 1, ctcs) for ctcs in (4, 5)]
        for chpids, ctcs in fewer:
            if chpids and ctcs:
                layout = layout_of(*[(8.0, ctcs)] * chpids).with_fibres(
                    lambda fibre: replace(fibre, profile=find_profile(best["feature"]))
                )
                assert left_of(layout, record["lost"]) < 1.05 * float(wanted)


@pytest.mark.at_length
@pytest.mark.slow
def test_layout_that_is_written_is_that_of_the_function(tmp_path: Path, printed: Printed) -> None:
    file = tmp_path / "ordered.toml"
    words = ["size", "--mb-per-s", "300", "--systems", "MUC, ber", *SHORT, "-o", str(file)]
    shown = printed(*words, "--machine", "z13,z14")
    best = isfc.size(
        mb_per_s=300, feature=["Express8S"], pairs=20, systems="MUC,BER", machine="z13,z14"
    ).best
    assert best is not None
    assert best.cards == "carried"
    assert [str(on) for on in isfc.parse_layout(best.layout).machines] == ["z14", "z13"]
    assert "To gain" in shown
    layout = isfc.load_layout(str(file))
    assert layout == isfc.parse_layout(best.layout)
    assert layout.nodes == ("BER", "MUC")
    said = f"{best.chpids} chpids of FICON Express8S at each system"
    assert said in shown
    assert f"# Fewest: {said}" in file.read_text("utf-8")
    assert f"{best.left.value:.0f} MB/s" in shown


@pytest.mark.at_length
@pytest.mark.slow
def test_what_no_link_carries_ends_with_1_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], recorded: Recorded
) -> None:
    file = tmp_path / "none.toml"
    words = ["size", "--mb-per-s", "3000", *SHORT]
    assert run([*words, "-o", str(file)]) == ExitCode.FAILED
    assert not file.exists()
    told = " ".join(capsys.readouterr().out.split())
    assert "Not reachable no link carries 3,000 MB/s each way with a chpid gone" in told
    assert "Limited by how fast BOSTON receives" in told or "by how fast ATLANTA receives" in told
    record = recorded(*words, code=1)
    assert record["best"] is None
    assert record["limits"]["by"][0]["resource"] == "receive"


def links_of(*sizes: tuple[int, int, int]) -> Callable[..., list[SizedLink]]:
    """A search that finds links of so many chpids, CTCs and odds; one chpid is too few."""
    within = Range(Interval(400, 600), Interval(300, 700), "rows")
    rate = Figure(500.0, Unit.MB_PER_S, within, load=Load(SUITES["HL"], 50))
    layout = isfc.format_collection(isfc.load_layout("published-4"))

    def links(search: sizing.SizeSearch, profile: ChpidProfile) -> list[SizedLink]:
        cards = search.cards_of(profile.feature)
        return [
            SizedLink(profile.feature, chpids, ctcs, 4, rate, rate, odds, chpids > 1, layout, cards)
            for chpids, ctcs, odds in sizes
        ]

    return links


@pytest.mark.at_length
def test_what_is_ordered_runs_on_the_engines_of_the_machine_and_as_a_plan_says() -> None:
    # of a machine its name alone was taken
    sized = partial(isfc.size, mb_per_s=300, lost="none", feature=["Express16S"], pairs=50)
    found = sized(machine="z16/CP 401,z15/SMT")
    assert found.machines == ("z16 A01, CP 401", "z15 T01, SMT")
    assert found.best is not None
    assert found.best.whole.value < sized(machine="z16,z15").links[0].whole.value
    planned = [each.stated.value for each in carried(found.best.layout)]
    assert min(planned) == pytest.approx(found.best.whole.value)


@pytest.mark.parametrize(("whole", "said"), [(1087.0, "as much"), (1060.0, "1060 MB/s")])
def test_what_runs_do_not_tell_apart_is_said_once(
    monkeypatch: pytest.MonkeyPatch, whole: float, said: str
) -> None:
    # 1,099 MB/s with a chpid gone, and 1,098 whole
    search = links_of((2, 8, 90))

    def links(*asked: Any) -> list[SizedLink]:
        (one,) = search(*asked)
        left = replace(one.left, value=1099.0, spread=11.0)
        return [replace(one, left=left, whole=replace(left, value=whole))]

    monkeypatch.setattr(sizing.SizeSearch, "links", links)
    answer = dict(report_of(isfc.size(mb_per_s=450, feature=["Express8S"])).answer)
    assert f"each way with a chpid gone, {said}" in answer["Carries"]


@pytest.mark.parametrize(
    ("odds", "surer"),
    [
        (51, "3 chpids of FICON Express8S, 4 CTCs: 80 of 100"),
        (74, "3 chpids of FICON Express8S, 4 CTCs: 80 of 100"),
        (75, None),
    ],
)
def test_a_best_link_that_may_well_be_too_small_has_the_next_surer_one_beside_it(
    monkeypatch: pytest.MonkeyPatch, odds: int, surer: str | None
) -> None:
    sizes = (2, 8, odds), (3, 3, 70), (3, 4, 80), (4, 4, 97), (1, 4, 99)
    monkeypatch.setattr(sizing.SizeSearch, "links", links_of(*sizes))
    found = isfc.size(mb_per_s=450, feature=["Express8S"])
    assert dict(report_of(found).answer).get("Surer") == surer


def test_the_best_has_the_fewest_chpids_and_then_ctcs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recorded: Recorded
) -> None:
    sizes = (3, 3, 90), (2, 8, 90), (2, 4, 90), (1, 4, 90)
    monkeypatch.setattr(sizing.SizeSearch, "links", links_of(*sizes))
    file = tmp_path / "ordered.toml"
    record = recorded("size", "--mb-per-s", "450", "-o", str(file))
    assert len(record["links"]) == 4 * len(sizing.DEFAULT_FEATURES)
    assert record["best"] == record["links"][2]
    assert (record["best"]["chpids"], record["best"]["ctcs"]) == (2, 4)
    assert isfc.load_layout(str(file)) == isfc.load_layout("published-4")
    assert "# Fewest: 2 chpids of FICON Express8S at each system, 4 CTCs" in file.read_text("utf-8")
    assert isfc.size(mb_per_s=450).rows()[2]["left (MB/s) low"] == 400


def test_on_machines_cards_that_can_be_ordered_are_first_and_of_these_the_newest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without = Figure(9.0, Unit.MB_PER_S, no_range="none")
    first = [Limiting("receive", "BOSTON", 1.0, 99.0, None)]
    limits = LimitedBy(first, [], without, {}, [], "", "how fast BOSTON receives", "", "")
    monkeypatch.setattr(sizing.SizeSearch, "links", links_of((2, 8, 90)))
    monkeypatch.setattr(sizing.SizeSearch, "limit", lambda *_: None)
    monkeypatch.setattr(size, "limits_of", lambda *_: limits)
    cards = []
    for machine in ("z16", "z13", "z14,z16", "z10"):
        found = isfc.size(mb_per_s=450, machine=machine)
        assert found.best is not None
        tried = {one.feature.removeprefix("FICON "): one.cards for one in found.links}
        cards.append((found.best.feature.removeprefix("FICON "), tried))
        assert dict(report_of(found).answer)["More chpids"].startswith("gain nothing: CP ends")
        at_ceiling = replace(found.best.left, by_model=900.0)
        best = replace(found.best, left=at_ceiling)
        stated = replace(found, best=best)  # of which another chpid lets more through
        assert "More chpids" not in dict(report_of(stated).answer)
    assert cards == [
        ("Express32S", {"Express16SA": "carried", "Express32S": "ordered"}),
        ("Express16S", {"Express8S": "ordered", "Express16S": "ordered"}),
        ("Express16S+", {"Express16S+": "carried"}),
        (
            "Express8",
            {"Express": "carried", "Express2": "carried", "Express4": "ordered"}
            | {"Express8": "ordered"},
        ),
    ]
    plain = isfc.size(mb_per_s=450)
    assert plain.limits is None
    assert "cards" not in plain.rows()[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--mb-per-s 9 --machine z18", "--machine: 'z18' is no machine; expected one of"),
        ("--mb-per-s 9 --machine z16,z15,z14", "--machine: 'z16,z15,z14': expected one machine"),
        ("--mb-per-s 9 --machine z10,z16", "share no FICON feature; expected --feature"),
        ("--mb-per-s 0", "--mb-per-s 0: expected 1 to 1000000 MB/s"),
        ("--mb-per-s 9 --km -1", "--km -1: expected 0 to 10000 km"),
        ("--mb-per-s 9 --lost chpids", "--lost 'chpids': did you mean chpid"),
        ("--mb-per-s 9 --jobs 0", "--jobs 0: expected 1 to 1024"),
        ("--mb-per-s 9 --feature Express9", "--feature: 'Express9' is not a FICON feature"),
        ("--mb-per-s 9 --systems A", "--systems 'A': expected two systems"),
        ("--mb-per-s 9 --workload NO", "workload"),
        ("--mb-per-s 9 --workload FAR", "its messages are too far from any that IBM measured"),
        ("--mb-per-s 9 -o out.txt", "expected a file that ends with .toml"),
        ("--mb-per-s 9 --force", "--force: of a file; expected --output or --html or --plot"),
    ],
)
def test_wrong_option_is_named(
    words: str, message: str, refusal: Callable[..., Any], tmp_path: Path
) -> None:
    far = tmp_path / "far.toml"
    far.write_text('name = "far"\nmessages = { 64 = 100 }\nreply = 64\n', "utf-8")
    words = words.replace("FAR", str(far))
    assert message in refusal("size", *words.split())
