"""Samples of what is planned, and of what losses leave."""

from isfc.answers.losses import losses_of
from isfc.answers.plan_link import planned_by_rule
from isfc.answers.plan_modelled import modelled_link
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.loss import losses
from isfc.layout.plan import make_plan
from isfc.reports.figure import Reported
from scenarios.figures.changed import AfterLoss
from scenarios.figures.rates import Carried, EndRate, ModelledRate
from scenarios.runs.experiment import STATED
from scenarios.runs.steady import Rate


def planned() -> Reported:
    """Of twelve CTCs, with rates that no other row has."""
    layout = load_layout("published-12")
    figures = [
        ModelledRate(layout, node, (Rate(667.5 + at), Rate(354.25 + at)))
        for at, node in enumerate(layout.nodes)
    ]
    plan = make_plan(layout)
    return modelled_link(plan, figures, {}, planned_by_rule(plan).worst_chpid)


def lost() -> Reported:
    """Of twelve CTCs, with rates that no other row has."""
    layout = load_layout("published-12")
    whole = Collection.of(layout)
    found = [*losses(whole)][:4]
    kept, *lefts = (
        Carried(links, STATED, {layout.name: (EndRate(Rate(number)), EndRate(Rate(1234.5)))})
        for links, number in zip(
            (whole, *(loss.rest for loss in found)), (654.25, 390.6, 0.0, 87.4, 9.96), strict=True
        )
    )
    after = (AfterLoss(loss, left, kept) for loss, left in zip(found, lefts, strict=True))
    return losses_of([AfterLoss(None, kept, kept), *after])
