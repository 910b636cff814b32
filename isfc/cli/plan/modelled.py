"""What ``isfc plan`` asks the model, which ``--rule`` does not load."""

import dataclasses
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

from msgspec.structs import replace
from rich.console import Group, RenderableType

from isfc.cli.judgement.limit import limits_json, rests_on_json, rests_on_page
from isfc.cli.judgement.worst_loss import loss_words
from isfc.cli.options.layout import OpenedLink
from isfc.cli.output.notes import note_lines, notes_json
from isfc.cli.output.progress import run_all
from isfc.cli.output.ranges import range_json
from isfc.cli.plan.json import PlanJson, plan_json
from isfc.cli.plan.losses import others_line
from isfc.cli.plan.page import plan_page
from isfc.cli.plan.together_json import ClusterLossJson, ClusterPlanJson, cluster_plan_json
from isfc.cli.plan.together_page import cluster_losses_page, cluster_plan_page
from isfc.layout.loss import ClusterLoss
from isfc.layout.lost import PORT, VARY, named_alone
from isfc.layout.plan import Plan
from isfc.layout.sharing import open_questions
from scenarios.figures.advice import changed_layouts, try_advice
from scenarios.figures.after_loss import AfterLoss, after_losses, links_losses
from scenarios.figures.cluster_plan import cluster_plan, plan_experiments
from scenarios.figures.limit import find_limit
from scenarios.figures.others_busy import with_others_busy
from scenarios.figures.reasoned import with_reasons
from scenarios.figures.rests_on import rests_on
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes
from scenarios.runs.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    SUITE,
    one_way,
    stated_load,
)
from scenarios.runs.steady import steady_links


def lost_together_page(
    opened: OpenedLink, pieces: Sequence[str] | None, *, rule: bool
) -> tuple[RenderableType, ClusterPlanJson]:
    """The page on what losses leave of all links together, and what ``--json`` prints of it."""
    collection = opened.collection
    lefts = after_losses(
        collection,
        links_losses(collection, pieces or ()),
        None if rule else partial(run_all, is_said=True),
    )
    notes = open_questions(collection) if rule else (*cluster_notes(collection), SHARED_UNRANGED)
    names = [] if pieces else named_alone(collection.links, collection.cecs, VARY, PORT)
    page = Group(cluster_losses_page(lefts), *others_line(names), *note_lines(notes))
    losses = [_loss_json(left, left.loss) for left in lefts if isinstance(left.loss, ClusterLoss)]
    return page, ClusterPlanJson(losses=losses, notes=notes_json(notes))


def _loss_json(left: AfterLoss, loss: ClusterLoss) -> ClusterLossJson:
    """One loss, and what is left of all links."""
    record = ClusterLossJson(**asdict(loss))
    if left.ways is None:
        return record
    return replace(
        record,
        mb_per_s=left.mb_per_s,
        range=range_json(left.range) if left.range else None,
        left_share=left.share,
        left_share_range=range_json(left.share_range) if left.share_range else None,
        text=loss_words(left),
        rates={
            name: (first.rate.mb_per_s, second.rate.mb_per_s)
            for name, (first, second) in left.ways.items()
        },
        limits=limits_json(left.limit, left.mb_per_s) if left.limit else None,
    )


def together(opened: OpenedLink) -> tuple[RenderableType, ClusterPlanJson]:
    """The page on all links of a file that share channels, and what ``--json`` prints of them."""
    collection, disks = opened.collection, opened.file_disks
    experiments = plan_experiments(collection)
    found = cluster_plan(run_all(steady_links, experiments, is_said=True))
    notes = (*cluster_notes(collection), SHARED_UNRANGED)
    limit = find_limit(experiments[0])
    page: RenderableType = Group(cluster_plan_page(found, limit), *note_lines(notes))
    limits = limits_json(limit, found.together_mb_per_s)
    record = cluster_plan_json(found, limits, notes_json(notes))
    if disks is not None:
        from isfc.cli.plan.disks import beside_disks

        loads = ", ".join(map(str, experiments[0].loads))
        page, record = beside_disks(page, record, experiments[0], disks, loads, together=True)
    return page, record


def modelled_plan(
    opened: OpenedLink, judged: Plan, *, why: bool
) -> tuple[RenderableType, PlanJson]:
    """The page on one link and what the model carries on it, and what ``--json`` prints of it."""
    noted = with_others_busy(opened.collection, judged.layout, run_all)
    judged = dataclasses.replace(judged, layout=noted)
    changed = changed_layouts(judged.layout, judged.advice)
    figures, known = with_reasons(judged.layout, changed, run_all)
    tried = try_advice(judged.layout, judged.advice, figures, known)
    page, record = plan_page(judged, figures, tried), plan_json(judged, figures, tried)
    if why:
        slower = min(figures, key=lambda each: each.saturated_mb_per_s)
        found = rests_on(one_way(judged.layout, slower.sender, SATURATING_PAIRS), run_all)
        page = Group(page, "", rests_on_page(found))
        record = replace(record, rests_on=rests_on_json(found))
    if opened.disks is not None:
        from isfc.cli.plan.disks import beside_disks

        load = f"{SUITE}, {STATED_PAIRS} pairs"
        page, record = beside_disks(page, record, stated_load(opened.layout), opened.disks, load)
    return page, record
