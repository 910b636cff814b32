"""``isfc plan``: how two systems would use a layout.

What ``--rule`` does without, the model, losses, disks and JSON, is loaded where it is asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec.structs import replace
from rich.console import RenderableType
from rich.rule import Rule

from isfc.cli.options.layout import (
    LINKS_IN_FULL,
    JsonOption,
    LayoutArgument,
    LinkOption,
    OpenedLink,
    WhyOption,
    open_links,
)
from isfc.cli.options.profile import ProfileOption, link_at_site, opened_site, profile_json
from isfc.cli.output.streams import show, show_json, show_log
from isfc.cli.plan.page import plan_page
from isfc.errors import ConfigurationError
from isfc.layout.in_words import listed
from isfc.layout.plan import make_plan
from isfc.layout.sharing import shares_anything

if TYPE_CHECKING:
    from isfc.cli.plan.json import PlanJson
    from isfc.cli.plan.losses import LossJson
    from isfc.cli.plan.together_json import ClusterPlanJson
    from isfc.layout.lost import LostTogether

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
    records: list[PlanJson | list[LossJson]] = []
    alone = lost or rule or link is not None
    site = opened_site(profile)
    opened = [link_at_site(each, site) for each in open_links(layout, link, alone=alone)]
    gone = _gone(opened, without or [])
    if len(opened) > LINKS_IN_FULL and not (json or why):
        show(_at_a_glance(opened[0], without, lost=lost, rule=rule))
        return
    shares = _share(opened, why=why)
    whole: ClusterPlanJson | None = None
    if shares and (lost or not rule):
        page, whole = _together(opened[0], without, lost=lost, rule=rule)
        pages.append(page)
    for index, each in enumerate(opened):
        page, found = (
            _losses(each, gone.get(index), rule=rule or shares)
            if lost
            else _judge(each, rule=rule or shares, why=why, json=json)
        )
        records += [] if found is None else [found]
        if not (shares and lost):
            pages += ["", Rule(style="dim"), "", page] if pages else [page]
    if not json:
        show(*pages)
    else:
        record = records[0] if len(opened) == 1 else _several(records, whole)
        show_json(
            record if isinstance(record, list) else replace(record, profile=profile_json(site))
        )


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


def _gone(opened: Sequence[OpenedLink], pieces: Sequence[str]) -> "dict[int, LostTogether]":
    """Of each link what is left without some pieces, each of which some link has to have."""
    if not pieces:
        return {}
    from isfc.layout.lost import check_pieces, links_with, lost_together, named_pieces, spelt

    known = [named_pieces(each.layout, each.collection.cecs) for each in opened]
    own = list(dict.fromkeys(name for one in known for name in one))
    for piece in (piece for piece in pieces if spelt(piece, own) not in own):
        if not (links := links_with(piece, opened[0].collection)):
            check_pieces([piece], own, "--without")
        shown = listed([each.layout.name for each in opened])
        show_log(f"isfc: note: {piece} is part of {listed(links)}: {shown} is as without its loss")
    return {
        index: lost_together(each.layout, pieces, known[index]) for index, each in enumerate(opened)
    }


def _together(
    opened: OpenedLink, pieces: Sequence[str] | None, *, lost: bool, rule: bool
) -> "tuple[RenderableType, ClusterPlanJson]":
    """The page on all links together, and what ``--json`` prints of them."""
    from isfc.cli.plan.modelled import lost_together_page, together

    return lost_together_page(opened, pieces, rule=rule) if lost else together(opened)


def _several(
    links: "list[PlanJson | list[LossJson]]", whole: "ClusterPlanJson | None"
) -> "ClusterPlanJson":
    """What ``--json`` prints of several links, beside what it prints of the whole."""
    from isfc.cli.plan.together_json import ClusterPlanJson

    return replace(whole or ClusterPlanJson(), links=links)


def _share(opened: Sequence[OpenedLink], *, why: bool) -> bool:
    """Whether several links share channels, of which ``--why`` says nothing."""
    shares = len(opened) > 1 and shares_anything(opened[0].collection)
    if shares and why:
        raise ConfigurationError("--why: of one link; expected --link, as these share channels")
    return shares


def _at_a_glance(
    opened: OpenedLink, pieces: Sequence[str] | None, *, lost: bool, rule: bool
) -> RenderableType:
    """The page on many links, which leads with all of them."""
    if lost:
        return _together(opened, pieces, lost=True, rule=rule)[0]
    from isfc.cli.plan.overview import overview

    return overview(opened.collection, rule=rule)


def _losses(
    opened: OpenedLink, gone: "LostTogether | None", *, rule: bool
) -> "tuple[RenderableType, list[LossJson]]":
    """The page on what losses leave of one link, and what ``--json`` prints of it."""
    from isfc.cli.plan.losses import losses_of

    return losses_of(opened.layout, simulate=not rule, together=gone, cecs=opened.collection.cecs)


def _judge(
    opened: OpenedLink, *, rule: bool, why: bool, json: bool
) -> "tuple[RenderableType, PlanJson | None]":
    """The page on one link, and what ``--json`` prints of it."""
    judged = make_plan(opened.layout, opened.neighbours, opened.collection)
    if not rule:
        from isfc.cli.plan.modelled import modelled_plan

        return modelled_plan(opened, judged, why=why)
    page = plan_page(judged)
    if not json:
        return page, None
    from isfc.cli.plan.json import plan_json

    return page, plan_json(judged)
