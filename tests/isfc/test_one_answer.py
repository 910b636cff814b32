"""One question, one answer: whoever is asked, a command, Python, the report or the studio.

Layouts are drawn. Everything that says what links carry, what a loss leaves, what would be gained
or who is ahead is in a table here, and a new command or function has to come into one of them.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any, Final

import pytest

import isfc
from ctc.features import CATALOGUE
from isfc.cli.main import COMMANDS, run
from isfc.cli.output import progress
from isfc.cli.studio.tasks import Subject, ask, questions
from isfc.layout.sharing import only
from isfc.reports.text import encoded
from scenarios.figures import rates
from scenarios.figures.certainty import nobody_is_ahead, odds_ahead
from scenarios.figures.changed import AfterLoss
from scenarios.figures.cluster_plan import ClusterPlan
from scenarios.figures.limit import SHARE_MIN, SHARE_OF_BUSY, added
from scenarios.figures.ranges import link_ratio
from scenarios.figures.rates import Carried
from scenarios.figures.resources import faster, resources_of
from scenarios.runs.experiment import SATURATING_PAIRS, STATED_PAIRS, SUITE, in_turn, one_way
from scenarios.runs.steady import steady_run
from scenarios.runs.workload import SUITES
from scenarios.search import report_runs
from scenarios.search.report_runs import cluster_runs, link_runs
from tests.lengthy import few_in_every_run

pytestmark = pytest.mark.at_length

NODES: Final = ("ATLANTA", "BOSTON", "CAIRO")
LAYOUTS: Final = 300
RUN_SPREAD: Final = 0.01
"""How far a run of four seconds may be off, as a share, beside the spread that is said."""
GAIN_SHARE: Final = 0.03
"""Within which a gain that is told is that of the changed layout."""
OPTIMISED_MAX: Final = 4
"""CTCs of links of which a search is asked, too."""
POINTS: Final = 0.03
"""Within which odds are those of the range of the ratio."""

Rates = Mapping[tuple[str, str], float]
"""MB/s by sender and partner."""


def drawn(seed: int) -> str:
    """A link, or two that share the chpids of one system; of one chpid to four, 1 to 16 CTCs.

    The first of two systems may have a CEC of its own, and one chpid may have all fibres there.
    """
    dice = Random(seed)
    feature = dice.choice([each.name for each in CATALOGUE])
    count, km = dice.choice((1, 1, 2, 3, 4)), dice.choice((0, 0, 0, 10, 40))
    links = dice.choice((1, 1, 1, 2))
    on_each = dice.randint(1, 4 if links == 1 else 2)
    one_chpid = count > 1 and links == 1 and dice.random() < 0.2
    joined = [(NODES[0], NODES[1]), (NODES[0], NODES[2])][:links]
    text = '[cec.EAST]\nsystems = ["ATLANTA"]\n' if dice.random() < 0.3 else ""
    text += "".join(f'[[link]]\nnodes = ["{one}", "{two}"]\n' for one, two in joined)
    for link, (here, there) in enumerate(joined):
        for n in range(count):
            name, chpid = f"{link}{n}", 0x40 + (0 if one_chpid else n)
            text += f'[fibre.{name}]\nfeature = "{feature}"\nkm = {km}\n'
            text += f'chpid = {{ {here} = "{chpid:02X}", {there} = "5{n}" }}\n'
            rdevs = [f"{first}{n}00-{first}{n}0{on_each - 1}" for first in (link, 7)]
            text += f'[[ctc]]\nfibre = "{name}"\n'
            text += f'rdevs = {{ {here} = "{rdevs[0]}", {there} = "{rdevs[1]}" }}\n'
    return text


class Asked:
    """A layout in a file, and who is asked of it."""

    def __init__(self, text: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.text, self.file = text, folder / "links.toml"
        self.file.write_text(text)
        self._capsys = capsys
        self.links = isfc.parse_links(text)

    def __call__(self, command: str, *options: str) -> Any:
        """What a command prints as JSON."""
        assert run([command, str(self.file), *options, "--json"]) == 0
        return json.loads(self._capsys.readouterr().out)

    @property
    def is_one(self) -> bool:
        """Whether it is a single link."""
        return len(self.links.links) == 1

    @cached_property
    def plan(self) -> Any:
        """``isfc plan --json``."""
        return self("plan")

    @cached_property
    def losses(self) -> Any:
        """``isfc plan --lose --json``."""
        return self("plan", "--lose")

    @cached_property
    def report(self) -> report_runs.LinkRuns | report_runs.ClusterRuns:
        """What the report shows of the link, or of the links together."""
        if not self.is_one:
            return cluster_runs(self.links, in_turn)
        (link,) = self.links.links
        return link_runs("", link, SUITES[SUITE], lambda _: None, in_turn, None, self.links)


@pytest.fixture
def asked(
    request: pytest.FixtureRequest, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> Asked:
    return Asked(drawn(request.param), tmp_path, capsys)


_RUNS: Final = {
    is_full: [
        (module, name, cache(getattr(module, name)))
        for module, name in (
            (rates, "steady_ends"),
            (rates, "find_limit"),
            (rates, "steady_run"),
            (rates, "first_look"),
            (report_runs, "steady_run"),
        )
    ]
    for is_full in (False, True)
}
"""What all runs are made by, each of the same once: who asks for another run is found out."""


@pytest.fixture(autouse=True)
def remembered(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in this process, and the same once for all who ask."""
    monkeypatch.setattr(progress, "run_all", lambda work, items, *_, **__: [*map(work, items)])
    is_full = request.node.get_closest_marker("full_length") is not None
    for module, name, remembering in _RUNS[is_full]:
        monkeypatch.setattr(module, name, remembering)


@pytest.fixture(autouse=True)
def brief_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """A report of the load that is asked for, without what is no rate."""
    monkeypatch.setattr(report_runs, "PAIRS", (STATED_PAIRS,))
    monkeypatch.setattr(report_runs, "TIMELINE_SECONDS", 0.001)
    monkeypatch.setattr(report_runs, "relocations", lambda _: [])


def sent(carried: Carried) -> Rates:
    return {
        way: each.rate.mb_per_s
        for link in carried.links.links
        for way, each in zip(
            (link.nodes, link.nodes[::-1]), (carried.ways or {})[link.name], strict=True
        )
    }


def values(figures: Mapping[str, Any]) -> dict[str, float]:
    """Those of figures in JSON, by their names."""
    return {name: each["value"] for name, each in figures.items()}


def both_ways(by_node: Mapping[str, float], asked: Asked) -> Rates:
    (link,) = asked.links.links
    first, second = link.nodes
    return {(first, second): by_node[first], (second, first): by_node[second]}


# What links carry with 50 pairs of HL, each way by itself: by all who say it


def by_plan(asked: Asked) -> Iterator[Rates]:
    assert json.loads(json.dumps(encoded(isfc.plan(asked.links)))) == asked.plan
    if asked.is_one:
        yield both_ways(values(asked.plan["model"]["stated"]), asked)
    else:
        ways = {tuple(each["name"].split("-")): each for each in asked.plan["together"]}
        yield {
            way: rate["value"]
            for nodes, each in ways.items()
            for way, rate in zip((nodes, nodes[::-1]), each["together"], strict=True)
        }
    yield {
        (node, next(other for other in name.split("-") if other != node)): each["value"]
        for name, ends in asked.losses["losses"][0]["sent"].items()
        for node, each in ends.items()
    }


def by_report(asked: Asked) -> Iterator[Rates]:
    report = asked.report
    yield sent(report.lefts[0].carried)
    if isinstance(report, report_runs.LinkRuns):
        yield both_ways({each.sender: each.stated.value for each in report.carried}, asked)
        yield both_ways({each.sender: each.rate.mb_per_s for each in report.points}, asked)
    else:
        assert isinstance(report.plan, ClusterPlan)
        yield sent(report.plan.together)


def by_studio(asked: Asked) -> Iterator[Rates]:
    if asked.is_one:
        found = [ask(print, (each, None)) for each in questions(Subject(asked.text), STATED_PAIRS)]
        yield both_ways({each.sender: each.stated.value for each in found}, asked)


def by_carried(asked: Asked) -> Iterator[Rates]:
    if asked.is_one:
        found = isfc.carried(asked.links.links[0])
        yield both_ways({each.sender: each.stated.value for each in found}, asked)


def by_losses(asked: Asked) -> Iterator[Rates]:
    ways = isfc.losses(asked.links, without=["ATLANTA:40"]).whole.sent
    nodes = {link.name: link.nodes for link in asked.links.links}
    yield {
        (node, next(other for other in nodes[name] if other != node)): way.value
        for name, both in ways.items()
        for node, way in both.items()
    }


def by_compare(asked: Asked) -> Iterator[Rates]:
    first, second = isfc.compare([asked.links, asked.links]).layouts
    assert (first.rate, first.worst) == (second.rate, second.worst)
    printed = asked("compare", str(asked.file))["layouts"]
    assert [each["rate"]["value"] for each in printed] == pytest.approx([first.rate.value] * 2)
    assert asked.report.lefts[0].rate.value == pytest.approx(first.rate.value)
    yield from ()  # it does not say which way is the slower one


def by_optimise(asked: Asked) -> Iterator[Rates]:
    if asked.is_one and len(asked.links.links[0].ctcs) <= OPTIMISED_MAX:
        goals = ("forward", "reverse")
        found = isfc.optimise(asked.links, objective=goals, pairs=STATED_PAIRS, runs=1, seeds=1)
        each = (found.given.figures[goal].value for goal in goals)
        yield both_ways(dict(zip(asked.links.links[0].nodes, each, strict=True)), asked)


SAYERS: Final[Mapping[str, Callable[[Asked], Iterator[Rates]]]] = MappingProxyType(
    {
        "plan": by_plan,
        "report": by_report,
        "studio": by_studio,
        "carried": by_carried,
        "losses": by_losses,
        "compare": by_compare,
        "optimise": by_optimise,
    }
)
"""Commands and functions that say what links carry."""

ELSEWHERE: Final = {
    "size": "test_what_is_sized_is_run_again",
    "run": "test_a_run_has_what_is_said",
    "simulate": "test_a_run_has_what_is_said",
    "simulate_links": "test_a_run_has_what_is_said",
    "at_site": "a site's model, of which each of these may ask",
    "sweep": "runs are as long as is asked for",
    "change": "tests/isfc/cli/change",
    "compare_results": "results that somebody has",
    "others_busy": "tests/scenarios/figures/test_rates.py",
    **dict.fromkeys(("relocate", "evacuate", "rolling_maintenance"), "seconds, not rates"),
    **dict.fromkeys(("replay", "measured", "loads", "collide"), "other loads, other figures"),
    **dict.fromkeys(("io", "io_plan", "io_run", "io_size", "io_beside", "io_chart"), "disks"),
    **dict.fromkeys(("node", "cp", "up", "ctce", "open_node", "journal", "journal_show"), "live"),
}
"""Those that are held elsewhere, or that say something else."""

BY_RULES: Final = frozenset(
    "new import schema export check show connections drawing edit read_edit without "
    "pieces judge plan_notes features load_layout shipped_layouts parse_layout parse_links "
    "file_kind format_collection deck_partitions import_dpm import_iocp import_islink "
    "import_config journal_replay".split()
)
"""Those that run nothing."""


def test_every_command_and_function_is_held_here_or_says_something_else() -> None:
    functions = {name for name in isfc.__all__ if name.islower()}
    assert {*COMMANDS, *functions} == {*SAYERS, *ELSEWHERE, *BY_RULES}


FEW: Final = {2, 6, 25}
"""What every run has: links of two CTCs and one, whose runs are short; of the last the model
carries more than is to be counted on."""

drawn_layouts = pytest.mark.parametrize(
    "asked",
    few_in_every_run(sorted(range(LAYOUTS), key=lambda seed: seed not in FEW), len(FEW)),
    indirect=True,
)


@drawn_layouts
def test_all_say_the_same_of_what_links_carry(asked: Asked) -> None:
    """`isfc plan` gave the second system of a single CTC the rate of the first."""
    (name, expected), *others = ((n, each) for n, say in SAYERS.items() for each in say(asked))
    for other, found in others:
        assert found == pytest.approx(expected, rel=1e-9), f"{name} and {other}"


@pytest.mark.full_length
@drawn_layouts
def test_a_run_has_what_is_said(asked: Asked) -> None:
    whole = isfc.losses(asked.links, without=["ATLANTA:40"]).whole
    firsts = [(link.nodes, [*whole.sent[link.name].values()]) for link in asked.links.links]
    for way in (0, 1):
        traffic = [
            f"{'-'.join(nodes[:: 1 - 2 * way])}:{SUITE}:{STATED_PAIRS}" for nodes, _ in firsts
        ]
        ran = isfc.simulate_links(asked.links, traffic, seconds=4).links
        for nodes, ways in firsts:
            rate = ways[way]
            paces = rate.paces if rate.by_model is None else (rate.by_model,)
            off = min(abs(ran["-".join(nodes)].mb_per_s_out / pace - 1) for pace in paces)
            assert off <= rate.spread / rate.value + RUN_SPREAD


@drawn_layouts
def test_all_say_the_same_of_what_a_loss_leaves(asked: Asked) -> None:
    """There were 50, 58 and 60 % for one question, and no range of one held the others' figures."""
    whole, *printed = asked.losses["losses"]
    reported = asked.report.lefts[1:]
    worst = isfc.compare([asked.links, asked.links]).layouts[0].worst
    for left, one in zip(printed, reported, strict=True):
        share = left["share"]["value"]
        assert share == pytest.approx(left["rate"]["value"] / whole["rate"]["value"])
        assert share == pytest.approx(one.share.value)
        assert left["share"]["range"] == ends(one, left["share"]["range"])
        assert left["text"].startswith(f"{one.gone}: {100 * one.share.value:.0f} % ")
    (_, named) = isfc.losses(asked.links, without=["ATLANTA:40"]).losses
    assert named.share.value in [pytest.approx(left["share"]["value"]) for left in printed]
    assert worst is not None
    assert worst.left.value == pytest.approx(
        min(left["share"]["value"] for left in printed if left["kind"] not in ("cec", "system"))
    )


def ends(left: AfterLoss, record: Any) -> Any:
    """The record, if its ends are those of what is left."""
    within = left.share.range
    if within is None or record is None:
        return within
    assert record["likely"] == pytest.approx([within.likely.low, within.likely.high])
    return record


@pytest.mark.full_length
@drawn_layouts
def test_a_gain_that_is_told_is_that_of_the_changed_layout(asked: Asked) -> None:
    if not asked.is_one:
        return
    (link,) = asked.links.links
    changed = dict(added(link))
    for said in isfc.carried(link):
        limits = asked.plan["model"]["limits"][said.sender]
        for what, ratio in values(limits["added"]).items():
            (there,) = isfc.carried(changed[what], said.sender)
            gain = there.saturated.value / said.saturated.value
            within = link_ratio(gain, link, changed[what])
            open_both = nobody_is_ahead(odds_ahead(within)) and abs(ratio - 1) < 2 * GAIN_SHARE
            assert ratio == pytest.approx(gain, rel=GAIN_SHARE) or open_both, what


@pytest.mark.full_length
@drawn_layouts
def test_a_limit_that_is_not_named_gains_no_more_than_its_share_when_it_is_relieved(
    asked: Asked,
) -> None:
    """Twice as fast. What takes no time at all may bring the ends of a link into another step.

    It has less than the least share that is named, or than any so seldom busy can have.
    """
    if not asked.is_one:
        return
    (link,) = asked.links.links
    for said in rates.link_rates(link)[0]:
        assert said.limit is not None
        experiment = one_way(link, said.sender, SATURATING_PAIRS)
        named = {share.resource for share in said.limit.shares}
        busy = {seen.resource: seen.busy or 0.0 for seen in said.limit.resources}
        for resource in resources_of(experiment):
            if resource not in named:
                share = max(SHARE_MIN, SHARE_OF_BUSY * busy[resource])
                relieved = steady_run(faster(experiment, resource, 2.0)).rate
                spread = (relieved.spread_percent + said.runs[0].spread_percent) / 100
                gain = relieved.mb_per_s / said.saturated.modelled
                assert gain <= (1 + spread) / (1 - share / 2), resource


@drawn_layouts
def test_odds_are_those_of_the_range_of_the_ratio(asked: Asked) -> None:
    link = asked.links.links[0]
    fewer = link.with_ctcs(link.ctcs[: max(1, len(link.ctcs) // 2)])
    one = only(asked.links, link)
    found = isfc.compare([one, isfc.Collection((fewer,))])
    (pair,) = found.odds
    assert pair.odds == pytest.approx(odds_ahead(pair.ratio).share, abs=POINTS)
    ratio = found.layouts[0].rate.value / found.layouts[1].rate.value
    assert pair.ratio.value == pytest.approx(max(ratio, 1 / ratio))


@pytest.mark.parametrize("seed", few_in_every_run(range(20)))
def test_what_is_sized_is_run_again(seed: int) -> None:
    dice = Random(seed)
    features = [each.name for each in CATALOGUE if each.has_router]
    found = isfc.size(
        mb_per_s=dice.choice((200, 500, 900)), feature=[dice.choice(features)], lost="chpid", jobs=1
    )
    for link in found.links:
        slower = min(each.saturated.value for each in isfc.carried(link.layout))
        assert link.whole.value == pytest.approx(slower)
