"""``isfc plan``: how two systems would use a layout."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from msgspec.structs import replace
from rich.console import Group, RenderableType
from rich.rule import Rule

from isfc.cli.judgement.limit import rests_on_json, rests_on_page
from isfc.cli.options.layout import (
    JsonOption,
    LayoutArgument,
    LinkOption,
    OpenedLink,
    WhyOption,
    open_links,
)
from isfc.cli.options.profile import (
    ProfileOption,
    link_at_site,
    profile_record,
)
from isfc.cli.output.notes import note_lines, note_records
from isfc.cli.output.progress import run_all
from isfc.cli.output.ranges import range_json
from isfc.cli.output.streams import show, show_json
from isfc.cli.plan.json import PlanJson, plan_json
from isfc.cli.plan.losses import LossJson, losses_of
from isfc.cli.plan.page import plan_page
from isfc.cli.plan.together_page import cluster_losses_page, cluster_plan_page
from isfc.cli.results.json import shared_json
from isfc.cli.results.shared import shared_page
from isfc.errors import ConfigurationError
from isfc.io.shared import find_shared
from isfc.layout.lost import LostTogether, check_pieces, lost_together, named_pieces
from isfc.layout.plan import make_plan
from isfc.layout.sharing import shares_anything
from scenarios.figures.advice import changed_layouts, try_advice
from scenarios.figures.cluster_loss import ClusterLeft, after_cluster_losses
from scenarios.figures.cluster_plan import ClusterPlan, cluster_plan, plan_experiments
from scenarios.figures.limit import with_reasons
from scenarios.figures.rests_on import rests_on
from scenarios.runs.at_site import given_site
from scenarios.runs.notes import cluster_notes
from scenarios.runs.saturation import (
    SATURATING_PAIRS,
    STATED_PAIRS,
    SUITE,
    carried_by,
    one_way,
    stated_load,
)
from scenarios.runs.shared_channel import run_shared, run_shared_links
from scenarios.runs.steady import Rate, steady_links

WithoutOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="WHAT",
        help="Show what is left without this: 40, BOSTON:50, vary:BOSTON:50, director:1, "
        "port:1:04, path:NAME, isl:NAME, cec:NAME or system:NAME. May be repeated: all of them "
        "are gone together.",
    ),
]


def plan(
    layout: LayoutArgument,
    *,
    link: LinkOption = None,
    profile: ProfileOption = None,
    lose: Annotated[
        bool, typer.Option("--lose", help="Show what is left with each chpid and each CTC gone.")
    ] = False,
    without: WithoutOption = None,
    simulate: Annotated[
        bool,
        typer.Option("--simulate", help="With --lose or --without: by the model, as is usual."),
    ] = False,
    rule: Annotated[
        bool, typer.Option("--rule", help="By IBM's rule of thumb alone: no model is run.")
    ] = False,
    why: WhyOption = False,
    json: JsonOption = False,
) -> None:
    """Show who writes on which CTC, what it carries, what to change.

    The picture has one line for each CTC, in the order in which the two systems scan them:
    the one whose name comes first from the top down, the other from the bottom up. Capacities
    are for one direction: by IBM's rule of thumb, and what the model carries (a second's work).
    Of several links that share channels the model runs each alone and all together: what each
    carries then, and who gets how much of each channel. Where disks use a chpid ([[io]]), the
    model has them, and what each costs the other follows.
    """
    lost = lose or bool(without)
    _check(lose=lose, without=without, simulate=simulate, rule=rule, why=why, profile=profile)
    pages: list[RenderableType] = []
    records: list[Any] = []
    alone = lost or rule or link is not None
    site = given_site(profile)
    opened = [link_at_site(each, site) for each in open_links(layout, link, alone=alone)]
    gone = _gone(opened, without or [])
    shares = len(opened) > 1 and shares_anything(opened[0].collection)
    if shares and why:
        raise ConfigurationError("--why: of one link; expected --link, as these share channels")
    whole: dict[str, Any] = {}
    if shares and (lost or not rule):
        first = opened[0]
        page, whole = _lost_together(first, without, rule=rule) if lost else _together(first)
        pages.append(page)
    for index, each in enumerate(opened):
        page, found = (
            _losses(each, gone.get(index), rule=rule or shares)
            if lost
            else _judge(each, rule=rule or shares, why=why)
        )
        records.append(found)
        if not (shares and lost):
            pages += ["", Rule(style="dim"), "", page] if pages else [page]
    whole = {"links": records, **whole}
    if not json:
        show(*pages)
    else:
        fitted = profile_record(site)
        record = records[0] if len(opened) == 1 else {**whole, **fitted}
        show_json(replace(record, **fitted) if isinstance(record, PlanJson) else record)


def _check(
    *,
    lose: bool,
    without: list[str] | None,
    simulate: bool,
    rule: bool,
    why: bool,
    profile: Path | None,
) -> None:
    """Raise `ConfigurationError` for options that do not go together, or would do nothing."""
    if simulate and not lose and not without:
        raise ConfigurationError(
            "--simulate: expected --lose or --without, which say what is to be run"
        )
    if lose and without:
        raise ConfigurationError("--lose and --without: expected one of them")
    if why and (lose or without or rule):
        raise ConfigurationError("--why: of what the model carries; expected no other question")
    if rule and simulate:
        raise ConfigurationError("--rule and --simulate: expected one of them")
    if profile is not None and rule:
        raise ConfigurationError("--profile: of the model, and none is run; expected no --rule")


def _gone(opened: Sequence[OpenedLink], pieces: Sequence[str]) -> dict[int, LostTogether]:
    """Of each link what is left without some pieces, each of which one of them has to have."""
    if not pieces:
        return {}
    known = [named_pieces(each.layout, each.collection.cecs) for each in opened]
    check_pieces(pieces, list(dict.fromkeys(name for one in known for name in one)), "--without")
    return {
        index: lost_together(each.layout, pieces, known[index]) for index, each in enumerate(opened)
    }


def _losses(
    opened: OpenedLink, gone: LostTogether | None, *, rule: bool
) -> tuple[RenderableType, list[LossJson]]:
    """The page on what losses leave of one link, and what ``--json`` prints of it."""
    return losses_of(opened.layout, simulate=not rule, together=gone, cecs=opened.collection.cecs)


def _lost_together(
    opened: OpenedLink, pieces: Sequence[str] | None, *, rule: bool
) -> tuple[RenderableType, dict[str, Any]]:
    """The page on what losses leave of all links together, and what ``--json`` prints of it."""
    lefts = after_cluster_losses(opened.collection, pieces or [], None if rule else run_all)
    notes = [] if rule else cluster_notes(opened.collection)
    page = Group(cluster_losses_page(lefts), *note_lines(notes))
    return page, {"losses": [_left_record(left) for left in lefts if left.loss is not None]}


def _left_record(left: ClusterLeft) -> dict[str, Any]:
    """One loss, and what is left of all links together."""
    assert left.loss is not None, "the whole is no loss"
    record = asdict(left.loss)
    if left.seen is None:
        return record
    within = range_json(left.seen.range) if left.seen.range else None
    return {**record, "mb_per_s": left.seen.mb_per_s, "range": within, "rates": left.seen.rates}


def _together(opened: OpenedLink) -> tuple[RenderableType, dict[str, Any]]:
    """The page on all links of a file that share channels, and what ``--json`` prints of them."""
    collection, disks = opened.collection, opened.file_disks
    experiments = plan_experiments(collection)
    found = cluster_plan(run_all(steady_links, experiments))
    notes = cluster_notes(collection)
    page = Group(cluster_plan_page(found), *note_lines(notes))
    record = {**cluster_plan_record(found), **note_records(notes)}
    if disks is None or not find_shared(disks, *collection.links):
        return page, record
    shared = run_shared_links(experiments[0], disks)
    loads = ", ".join(map(str, experiments[0].loads))
    return Group(page, "", shared_page(shared, loads)), {**record, "disks": shared_json(shared)}


def cluster_plan_record(plan: ClusterPlan) -> dict[str, Any]:
    """What ``--json`` prints beside the links. Names and meanings of the keys stay."""
    return {
        "together": [
            {
                "link": each.name,
                "traffic": each.traffic,
                **_ways("alone", each.alone),
                **_ways("together", each.together),
                "together_range": range_json(each.range),
            }
            for each in plan.links
        ],
        "channels": [
            {
                "name": each.carried.name,
                "channel": each.carried.name,  # its former name, for this release
                "line_mb_per_s": each.line_mb_per_s,
                "processor_mb_per_s": each.processor_mb_per_s,
                "mb_per_s_out": each.carried.mb_per_s_out,
                "mb_per_s_in": each.carried.mb_per_s_in,
                "busy_percent": 100.0 * each.carried.busy,
                "links": [asdict(share) for share in each.carried.shares],
            }
            for each in plan.channels
        ],
        "paths": [
            {
                "name": each.name,
                "path": each.name,  # its former name, too
                "mb_per_s_max": each.mb_per_s_max,
                "mb_per_s_out": each.mb_per_s_out,
                "mb_per_s_in": each.mb_per_s_in,
                "busy_percent": 100.0 * each.busy,
                "links": [asdict(share) for share in each.shares],
            }
            for each in plan.paths
        ],
    }


def _ways(what: str, rates: tuple[Rate, Rate]) -> dict[str, Any]:
    """What a link carries from its first node, and to it."""
    return {
        f"{what}_mb_per_s": [rate.mb_per_s for rate in rates],
        f"{what}_spread_mb_per_s": [rate.spread_mb_per_s for rate in rates],
        f"{what}_second_mb_per_s": [rate.second_mb_per_s for rate in rates],
    }


def _judge(opened: OpenedLink, *, rule: bool, why: bool) -> tuple[RenderableType, PlanJson]:
    """The page on one link, and what ``--json`` prints of it."""
    judged = make_plan(opened.layout, opened.neighbours, opened.collection)
    if rule:
        return plan_page(judged), plan_json(judged)
    layouts = dict.fromkeys((judged.layout, *changed_layouts(judged.layout, judged.advice)))
    known = carried_by([*layouts], run_all)
    figures = with_reasons(judged.layout, known[judged.layout], run_all)
    tried = try_advice(judged.layout, judged.advice, figures, known)
    page, record = plan_page(judged, figures, tried), plan_json(judged, figures, tried)
    if why:
        slower = min(figures, key=lambda each: each.saturated_mb_per_s)
        found = rests_on(one_way(judged.layout, slower.sender, SATURATING_PAIRS), run_all)
        page = Group(page, "", rests_on_page(found))
        record = replace(record, rests_on=rests_on_json(found))
    if opened.disks is None:
        return page, record
    shared = run_shared(stated_load(opened.layout), opened.disks)
    load = f"{SUITE}, {STATED_PAIRS} pairs"
    return Group(page, "", shared_page(shared, load)), replace(record, disks=shared_json(shared))
