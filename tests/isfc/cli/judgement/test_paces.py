"""Two paces of a link in words: with the figures of `isfc plan`, of losses, and of advice."""

from dataclasses import replace

from isfc.answers.advice import model_word, two_paces
from isfc.answers.losses import losses_known, losses_of
from isfc.answers.plan_links import known_together
from isfc.answers.plan_modelled import differences, modelled_link
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.plan import make_plan
from isfc.layout.rules.rule import ChangedLayout
from isfc.reports.figure import Figure, Interval, Range, Unit
from scenarios.figures.advice import ComparedLoad, TriedAdvice
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.losses import AfterLoss
from scenarios.figures.rates import Carried, EndRate, ModelledRate, Ways
from scenarios.runs.experiment import STATED
from scenarios.runs.steady import Rate

LAYOUT = load_layout("published-8")
LINKS = Collection.of(LAYOUT)
TWO = Rate(340, 4, 381.4)
ONE = Rate(340, 4)
FIGURES = [ModelledRate(LAYOUT, node, (TWO, ONE)) for node in LAYOUT.nodes]


def test_both_figures_are_said_with_what_they_are_of() -> None:
    said = two_paces([("A", ONE), ("B with 5 pairs", TWO), ("C", TWO)])
    assert ": B with 5 pairs 340 or 381 MB/s; C 340 or 381 MB/s. The first is" in said
    assert two_paces([("A", ONE)]) == ""


def slower(rate: Rate) -> Ways:
    return EndRate(Rate(80, 2)), EndRate(rate)


def test_link_that_neighbours_make_faster_is_named_with_the_reason() -> None:
    within = Range(Interval(80, 120), Interval(70, 130), "")
    rate = Figure(70, Unit.MB_PER_S, within)
    gain = LinkPlan("A-B", ("HS:1",), slower(Rate(60, 2)), slower(Rate(70, 2)), rate)
    noise = replace(gain, name="A-C", together=slower(Rate(61, 2)))
    said = known_together(ClusterPlan((gain, noise), Carried(LINKS, STATED)))
    assert "A-B carries more beside the others than alone: where they delay it, more" in said


def test_plan_says_them() -> None:
    said = " ".join(differences(make_plan(LAYOUT), FIGURES))
    assert "CLIENT saturated 340 or 381 MB/s; SERVER saturated 340 or 381 MB/s." in said
    model = modelled_link(make_plan(LAYOUT), FIGURES, {}, None).model
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
