"""One question, one figure: whoever is asked what a link carries, and what a loss leaves of it."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import isfc
from isfc.cli.main import run
from isfc.cli.output.ranges import range_json
from isfc.cli.output.streams import plain
from isfc.cli.studio.tasks import Subject, ask, questions
from isfc.layout.layout import Layout
from scenarios.figures import report_runs
from scenarios.figures.after_loss import AfterLoss, after_losses, link_losses
from scenarios.figures.report_runs import link_runs
from scenarios.runs.saturation import STATED_PAIRS, SUITE, in_turn
from scenarios.runs.steady import SPREAD_SHARE
from scenarios.runs.workload import SUITES
from tests.lengthy import few_in_every_run

pytestmark = [pytest.mark.at_length, pytest.mark.full_length]

NODES = ("ATLANTA", "BOSTON")
FEATURES = ("Express", "Express2", "Express4", "Express8", "Express16S", "Express32S")
RUN_SPREAD = 0.01
"""How far a run of four seconds may be off, as a share, beside the spread that is said."""


def drawn(seed: int) -> str:
    """A link of one to three chpids, with one CTC or several on each."""
    dice = Random(seed)
    fibres, ctcs = "", ""
    count = dice.choice((1, 1, 2, 3))
    for n in range(count):
        feature, last = dice.choice(FEATURES), dice.choice((0, 1, 3))
        km = dice.choice((0, 0, 40))
        fibres += f'[fibre.{n}]\nfeature = "FICON {feature}"\nkm = {km}\n'
        fibres += f'chpid = {{ {NODES[0]} = "4{n}", {NODES[1]} = "5{n}" }}\n'
        ctcs += f'[[ctc]]\nfibre = "{n}"\n'
        ctcs += (
            f'rdevs = {{ {NODES[0]} = "6{n}00-6{n}0{last}", {NODES[1]} = "7{n}00-7{n}0{last}" }}\n'
        )
    return fibres + ctcs


class Printed:
    """Commands on a layout that is in a file: what they print as JSON."""

    def __init__(self, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.file = file
        self._capsys = capsys

    def write(self, text: str) -> None:
        self.file.write_text(text)

    def __call__(self, command: str, *options: str) -> Any:
        assert run([command, str(self.file), *options, "--json"]) == 0
        return json.loads(self._capsys.readouterr().out)


@pytest.fixture
def printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Printed:
    return Printed(tmp_path / "link.toml", capsys)


@pytest.fixture
def brief_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report of the load that is asked for, without what is no rate."""
    monkeypatch.setattr(report_runs, "PAIRS", (STATED_PAIRS,))
    monkeypatch.setattr(report_runs, "TIMELINE_SECONDS", 0.001)
    monkeypatch.setattr(report_runs, "relocations", lambda _: [])


def asked_of_rates(layout: Layout, printed: Printed) -> Iterator[dict[str, float]]:
    """What either system can send with 50 pairs of HL, by all who say it."""
    text = isfc.format_collection(isfc.Collection((layout,)))
    yield printed("plan")["model"]["stated_mb_per_s"]
    yield printed("plan", "--lose")[0]["simulated_mb_per_s"]
    yield {each.sender: each.stated_mb_per_s for each in isfc.carried(layout)}
    yield {
        asked.sender: ask(lambda _: None, asked).stated_mb_per_s
        for asked in questions(Subject(text), STATED_PAIRS)
    }
    report = link_runs("link", layout, SUITES[SUITE], lambda _: None, in_turn)
    yield {each.sender: each.stated_mb_per_s for each in report.carried}
    yield {each.sender: each.mb_per_s for each in report.points}
    sent = report.lefts[0].sent
    assert sent is not None
    yield {node: way.rate.mb_per_s for node, way in zip(layout.nodes, sent, strict=True)}


@pytest.mark.parametrize("seed", few_in_every_run(range(40), 3))
@pytest.mark.usefixtures("brief_report")
def test_all_say_the_same_of_what_a_link_carries(seed: int, printed: Printed) -> None:
    """`isfc plan` gave the second system of a single CTC the rate of the first."""
    (layout,) = isfc.parse_links(drawn(seed)).links
    printed.write(drawn(seed))
    first, *others = asked_of_rates(layout, printed)
    assert set(first) == {*NODES}
    for other in others:
        assert other == pytest.approx(first, rel=1e-9)
    for said in isfc.carried(layout):
        ran = isfc.simulate(layout, SUITE, pairs=STATED_PAIRS, seconds=4, client=said.sender)
        off = min(abs(ran.mb_per_s_out / pace - 1) for pace in said.stated.paces)
        assert off <= said.stated.spread_percent / 100 + RUN_SPREAD
    slower = min(first.values())
    assert isfc.losses(layout, without=["40"])[0].mb_per_s == pytest.approx(slower)
    compared = printed("compare", str(printed.file))
    assert [each["mb_per_s"] for each in compared["layouts"]] == pytest.approx([slower] * 2)


@pytest.mark.parametrize("seed", few_in_every_run(range(40), 3))
@pytest.mark.usefixtures("brief_report")
def test_all_say_the_same_of_what_a_loss_leaves(seed: int, printed: Printed) -> None:
    """There were 50, 58 and 60 % for one question, and no range of one held the others' figures."""
    (layout,) = isfc.parse_links(drawn(seed)).links
    printed.write(drawn(seed))
    whole, *lefts = printed("plan", "--lose")
    of = min(whole["simulated_mb_per_s"].values())
    chpids = {left["gone"][NODES[0]]: left for left in lefts if left["kind"] == "chpid"}
    report = after_losses(isfc.Collection((layout,)), link_losses(layout), in_turn)
    for left, reported in zip(lefts, report[1:], strict=True):
        assert left["left_share"] == min(left["simulated_mb_per_s"].values()) / of
        assert left["left_share"] == reported.share
        assert left["left_share_range"] == ranged(reported)
        assert left["text"].startswith(f"{reported.gone}: {100 * reported.share:.0f} % ")
    by_python = {each.gone: each for each in isfc.losses(layout)[1:]}
    for chpid, left in chpids.items():
        (_, named) = isfc.losses(layout, without=[chpid])
        for each in (named, by_python[f"chpid {chpid} at {NODES[0]}"]):
            assert (each.share, ranged(each)) == (left["left_share"], left["left_share_range"])
    worst = min(left["left_share"] for left in lefts)
    compared = printed("compare", str(printed.file))["layouts"][0]
    assert compared["worst_loss_leaves"] == worst
    assert compared["worst_loss_range"] in [left["left_share_range"] for left in lefts]
    assert compared["limits"]["without_mb_per_s"] == whole["limits"]["without_mb_per_s"]


def ranged(left: AfterLoss) -> object:
    return left.share_range and json.loads(json.dumps(plain(range_json(left.share_range))))


@pytest.mark.slow
def test_a_link_is_the_case_of_one_link() -> None:
    """Beside a link that it shares nothing with it carries and keeps what it does alone."""
    (near,) = isfc.parse_links(drawn(1)).links
    (far,) = isfc.parse_links(drawn(5).replace(NODES[0], "CAIRO").replace(NODES[1], "DELHI")).links
    whole, *lefts = isfc.losses(isfc.Collection((near, far)), without=["ATLANTA:40"])
    for link in (near, far):
        (alone,) = isfc.losses(link, without=[])[:1]
        both = [each.ways and each.ways[link.name] for each in (whole, alone)]
        together, single = ([way.rate.mb_per_s for way in ways or ()] for ways in both)
        assert together == pytest.approx(single, rel=2 * SPREAD_SHARE)
    assert whole.mb_per_s == sum(
        min(r.rate.mb_per_s for r in w) for w in (whole.ways or {}).values()
    )
    assert [left.gone for left in lefts] == ["ATLANTA:40"]
