"""What is said of advice in ``isfc plan``, as the model has it; and of links with two paces."""

import re
from dataclasses import replace

import pytest
from msgspec import structs

from isfc.answers.advice import advice_text, model_word, to_do, two_paces
from isfc.answers.losses import losses_known, losses_of
from isfc.answers.plan_links import known_together
from isfc.answers.plan_modelled import differences, modelled_link
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.plan import LAYOUT_RULES, find_all, make_plan
from isfc.layout.rules.rule import ChangedLayout, LayoutRule, Untried
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Interval, Range, Unit
from isfc.reports.units import range_of
from scenarios.figures import changed as changing
from scenarios.figures.changed import (
    LAYOUTS_MAX,
    AfterLoss,
    ComparedLoad,
    TriedAdvice,
    changed_layouts,
    try_advice,
)
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.limit import Limit, Share
from scenarios.figures.rates import Carried, EndRate, ModelledRate, Rates, Ways
from scenarios.figures.resources import PORTS, RECEIVE, Resource, ResourceKind
from scenarios.runs.experiment import SATURATED, STATED, one_way
from scenarios.runs.steady import Rate
from scenarios.search.grid import DeviceOrder, Template
from tests.isfc.layout.rules.test_book import FIRES
from tests.isfc.printed import Recorded

TRIED = [rule for rule in LAYOUT_RULES if not isinstance(rule.trials, Untried)]
AS_IT_IS = 200.0


def slower(rate: float) -> Rates:
    """So many MB/s at saturation, and half as many with the stated pairs."""
    return Rate(rate, 0.01 * rate), Rate(rate / 2, 0.005 * rate)


def carrying(layout: Layout, *rates: float) -> list[ModelledRate]:
    """The same of each node."""
    return [
        ModelledRate(layout, node, slower(rate))
        for node, rate in zip(layout.nodes, rates, strict=False)
    ]


def texts(rule: LayoutRule, monkeypatch: pytest.MonkeyPatch, rate: float) -> list[str]:
    """What is said of a rule's layouts when each change carries ``rate``."""
    monkeypatch.setattr(changing, "LAYOUTS_MAX", 100)
    said = []
    for layout in FIRES[rule.id]:
        findings = find_all(layout)
        changed = dict.fromkeys(changed_layouts(layout, findings), slower(rate))
        tried = try_advice(layout, findings, carrying(layout, 10 * AS_IT_IS, AS_IT_IS), changed)
        said += [advice_text(each, tried) for each in findings if each.id == rule.id]
    return said


@pytest.mark.parametrize("rule", TRIED, ids=[rule.id for rule in TRIED])
def test_model_says_what_it_makes_of_every_advice(
    rule: LayoutRule, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert isinstance(rule.trials, tuple)
    within = r"\([-0-9.]+\)"
    for rate, word, stated in (
        (100, "contradicts", "from 100 to 50"),
        (202, "sees no difference", "from 100 to 101"),
        (260, "agrees", "from 100 to 130"),
    ):
        said = texts(rule, monkeypatch, rate)
        for trial in rule.trials:
            told = re.compile(
                f" The model {word}: run {re.escape(trial.done)}, the slower direction goes from "
                rf"200 to {rate} {within} MB/s saturated and {stated} {within} with 50 pairs\."
            )
            assert any(told.search(text) for text in said)


UNTRIED = [rule.id for rule in LAYOUT_RULES if rule not in TRIED and rule.id in FIRES]


@pytest.mark.parametrize("rule", UNTRIED)
def test_of_rules_that_promise_no_more_it_says_nothing(rule: str) -> None:
    for layout in FIRES[rule]:
        findings = find_all(layout)
        assert rule in [finding.id for finding in findings]
        changed = dict.fromkeys(changed_layouts(layout, findings), slower(1))
        assert rule not in try_advice(layout, findings, carrying(layout, 1, 1), changed)


def loaded(mb_per_s: float) -> ComparedLoad:
    """A layout that carries 100 MB/s as it is, and so many changed."""
    layout = load_layout("published-4")
    return ComparedLoad(Rate(100), Rate(mb_per_s), (layout, layout), STATED)


def test_loads_that_disagree_are_both_told() -> None:
    trial = ChangedLayout("backwards", lambda down: down)
    tried = TriedAdvice(trial, (loaded(100), loaded(90)))
    word, _, odds = model_word(tried).partition(" Odds that it is so: ")
    assert odds.count(" of ") == 1, "odds of the load at which there is a difference"
    within, lower = (range_of(loaded(rate).figures[1]) for rate in (100, 90))
    assert word == (
        "The model sees no difference saturated, contradicts with 50 pairs: run backwards, the "
        f"slower direction goes from 100 to 100 ({within}) MB/s saturated and from 100 to 90 "
        f"({lower}) with 50 pairs."
    )
    far = loaded(103)
    assert model_word(TriedAdvice(trial, (far, far))).startswith("The model leaves it open: run ")
    assert (
        model_word(TriedAdvice(trial, Untried("it is late")))
        == "The model was not asked: it is late."
    )


@pytest.mark.at_length
@pytest.mark.slow
def test_plan_says_that_the_model_keeps_the_slow_chpids(recorded: Recorded) -> None:
    record = recorded("plan", "published-12")
    (mixed,) = (each for each in record["advice"] if each["id"] == "speeds-mixed")
    (trial,) = mixed["trials"]
    assert trial["saturated"]["verdict"] == trial["stated"]["verdict"] == "contradicts"
    assert "The model contradicts: run with the fast chpids alone, " in mixed["text"]
    slower = min(each["value"] for each in record["model"]["saturated"].values())
    tried = trial["saturated"]
    assert tried["before"]["value"] == slower > tried["changed"]["value"]


def test_few_changes_are_run_and_every_advice_says_what_came_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    layout = load_layout("published-14")
    findings, as_it_is = find_all(layout), carrying(layout, 1, 1)
    changed = dict.fromkeys(changed_layouts(layout, findings), slower(2))
    assert 1 < len(changed) <= LAYOUTS_MAX
    tried = try_advice(layout, findings, as_it_is, changed)
    assert {*tried} == {f.id for f in findings if not isinstance(f.rule.trials, Untried)}
    monkeypatch.setattr(changing, "LAYOUTS_MAX", 1)
    (first,) = changed_layouts(layout, findings)
    (unequal, *others) = try_advice(layout, findings, as_it_is, {first: slower(2)}).values()
    assert isinstance(unequal[0].outcome, tuple), "warnings come first"
    assert "4 changes at most" in model_word(others[-1][0])


def what_to_do(layout: Layout, rates: dict[str, float], *limiting: ResourceKind) -> str:
    """Where changes that a rule advises carry so many times as much, and resources limit."""
    findings, as_it_is = find_all(layout), carrying(layout, 100, 100)
    tried = {
        name: tuple(TriedAdvice(each.trial, (compared, compared)) for each in some)
        for name, some in try_advice(layout, findings, as_it_is, {}).items()
        for compared in (loaded(100 * rates.get(name, 1)),)
    }
    shares = tuple(Share(Resource(kind), 0.9, 1.0) for kind in limiting)
    limit = Limit(one_way(layout, None, 1), shares, shares, 1.5, ())
    return to_do(findings, tried, [replace(each, limit=limit) for each in as_it_is], "below")


def test_what_helps_leads_and_a_warning_that_does_not_help_has_its_reason() -> None:
    layout = load_layout("published-16")
    unsure = what_to_do(layout, {})
    assert unsure.startswith("The two nodes try fast and slow chpids in different orders. ")
    assert "No gain is known, but one direction then uses " in unsure
    later = what_to_do(layout, {"directions-unequal": 1.5})
    assert re.search(
        r"Gain: \+50 % \(.+\)\. \(directions-unequal; 2 warnings, 3 remarks: below", later
    )
    remark = what_to_do(layout, {"unidirectional-spread": 1.5})
    assert re.search(r"Gain: \+50 % \(.+\)\. \(unidirectional-spread; 2 warnings", remark)


@pytest.mark.parametrize(("rates", "said"), [((150, 100), ") saturated. "), ((200, 150), "). ")])
def test_a_gain_is_that_of_the_stated_load_or_said_to_be_of_the_saturated_link(
    rates: tuple[float, float], said: str
) -> None:
    findings, as_it_is = (
        find_all(load_layout("published-16")),
        carrying(load_layout("published-16"), 1, 1),
    )
    (name, (trial, *_)), *_ = try_advice(
        load_layout("published-16"), findings, as_it_is, {}
    ).items()
    saturated, stated = map(loaded, rates)
    outcome = structs.replace(saturated, load=SATURATED), stated
    tried = {name: (TriedAdvice(trial.trial, outcome),)}
    assert re.search(
        re.escape("Gain: +50 % (") + r"[-+ to\d]+" + re.escape(said),
        to_do(findings, tried, as_it_is, "below"),
    )


def test_credits_that_are_not_what_limits_are_no_help() -> None:
    systems = NodeName("ATLANTA"), NodeName("BOSTON")
    far = Template(systems, ("FICON Express16S",), 2, 4, DeviceOrder.BY_CHPID, 20).layout()
    assert "It is not what limits this link. (port-beyond" in what_to_do(far, {}, RECEIVE)
    assert "more credits in between. (port-beyond" in what_to_do(far, {}, PORTS)


LAYOUT = load_layout("published-8")
LINKS = Collection.of(LAYOUT)
TWO = Rate(340, 4, 381.4)
ONE = Rate(340, 4)
PACES = [ModelledRate(LAYOUT, node, (TWO, ONE)) for node in LAYOUT.nodes]


def test_both_figures_are_said_with_what_they_are_of() -> None:
    said = two_paces([("A", ONE), ("B with 5 pairs", TWO), ("C", TWO)])
    assert ": B with 5 pairs 340 or 381 MB/s; C 340 or 381 MB/s. The first is" in said
    assert two_paces([("A", ONE)]) == ""


def pace_of(rate: Rate) -> Ways:
    return EndRate(Rate(80, 2)), EndRate(rate)


def test_link_that_neighbours_make_faster_is_named_with_the_reason() -> None:
    within = Range(Interval(80, 120), Interval(70, 130), "")
    rate = Figure(70, Unit.MB_PER_S, within)
    gain = LinkPlan("A-B", ("HS:1",), pace_of(Rate(60, 2)), pace_of(Rate(70, 2)), rate)
    noise = structs.replace(gain, name="A-C", together=pace_of(Rate(61, 2)))
    said = known_together(ClusterPlan((gain, noise), Carried(LINKS, STATED)))
    assert "A-B carries more beside the others than alone: where they delay it, more" in said


def test_plan_says_them() -> None:
    said = " ".join(differences(make_plan(LAYOUT), PACES))
    assert "CLIENT saturated 340 or 381 MB/s; SERVER saturated 340 or 381 MB/s." in said
    model = modelled_link(make_plan(LAYOUT), PACES, {}, None).model
    assert model
    assert [rate.second for rate in model.saturated.values()] == [381.4, 381.4]
    assert [rate.second for rate in model.stated.values()] == [None, None]


def test_advice_says_them_and_is_not_ahead_of_either() -> None:
    load = ComparedLoad(TWO, Rate(380, 4), (LAYOUT, LAYOUT), STATED)
    word = model_word(TriedAdvice(ChangedLayout("so", lambda down: down), (load, load)))
    assert "sees no difference: run so, the slower direction goes from 340 or 381 to 380 (" in word


def test_losses_say_them() -> None:
    carried = Carried(LINKS, STATED, {LAYOUT.name: (EndRate(ONE), EndRate(TWO))})
    found = losses_of([AfterLoss(None, carried, carried)])
    assert ": SERVER, nothing gone, 340 or 381 MB/s." in losses_known(found)
    seconds = {node: way.second for node, way in found.whole.sent[LAYOUT.name].items()}
    assert seconds == {"CLIENT": None, "SERVER": 381.4}
