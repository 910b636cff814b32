"""What ``isfc plan`` asks the model, which ``--rule`` does not load."""

import dataclasses
from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace
from rich.console import Group, RenderableType

from isfc.answers.cluster import cluster_report
from isfc.answers.limit import rests_on_table
from isfc.answers.losses import Losses, losses_of
from isfc.answers.plan import PlannedLink, PlannedLinks, planned_link, planned_together
from isfc.cli.options.layout import OpenedLink
from isfc.cli.output.progress import run_all
from isfc.cli.plan.page import plan_report
from isfc.layout.collection import Collection
from isfc.layout.plan import Plan
from isfc.reports.terminal import page as shown_page
from isfc.reports.terminal import table_of
from scenarios.figures.advice import changed_layouts, try_advice
from scenarios.figures.cluster_plan import cluster_plan
from scenarios.figures.limit import rests_on
from scenarios.figures.losses import after_losing
from scenarios.figures.rates import link_rates, with_others_busy
from scenarios.runs.experiment import SATURATING_PAIRS, STATED_PAIRS, SUITE, one_way, stated_load
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes


def losses(links: Collection, pieces: Sequence[str], *, rule: bool) -> Losses:
    """What losses leave."""
    return losses_of(after_losing(links, pieces, None if rule else partial(run_all, is_said=True)))


def together(opened: OpenedLink, *, notes: bool) -> tuple[RenderableType, PlannedLinks]:
    """The page on all links of a file that share channels, and what ``--json`` prints of them."""
    collection, disks = opened.collection, opened.file_disks
    found = cluster_plan(collection, partial(run_all, is_said=True))
    every = (*cluster_notes(collection), SHARED_UNRANGED)
    page = shown_page(cluster_report(found, every), notes=notes)
    record = planned_together(found, every)
    slower = found.together.slower
    if disks is not None and slower is not None:
        from isfc.cli.plan.disks import beside_disks

        loads = ", ".join(map(str, slower.loads))
        page, record = beside_disks(page, record, slower, disks, loads)
    return page, record


def modelled_plan(
    opened: OpenedLink, judged: Plan, *, why: bool, notes: bool
) -> tuple[RenderableType, PlannedLink]:
    """The page on one link and what the model carries on it, and what ``--json`` prints of it."""
    noted = with_others_busy(opened.collection, judged.layout, run_all)
    judged = dataclasses.replace(judged, layout=noted)
    changed = changed_layouts(judged.layout, judged.advice)
    figures, known = link_rates(judged.layout, changed, run_all)
    tried = try_advice(judged.layout, judged.advice, figures, known)
    found = plan_report(judged, figures, tried)
    page, record = shown_page(found, notes=notes), planned_link(judged, figures, tried)
    if why:
        slower = min(figures, key=lambda each: each.saturated.value)
        moved = rests_on(one_way(judged.layout, slower.sender, SATURATING_PAIRS), run_all)
        page = Group(page, "", table_of(rests_on_table(moved)))
        record = replace(record, rests_on=moved)
    if opened.disks is not None:
        from isfc.cli.plan.disks import beside_disks

        load = f"{SUITE}, {STATED_PAIRS} pairs"
        page, record = beside_disks(page, record, stated_load(opened.layout), opened.disks, load)
    return page, record
