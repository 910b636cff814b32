"""``isfc plan``: how two systems would use a layout.

What ``--rule`` does without, the model, losses, disks and JSON, is loaded where it is asked for.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace
from rich.console import RenderableType
from rich.rule import Rule

from isfc.cli.options.layout import (
    LINKS_IN_FULL,
    JsonOption,
    LayoutArgument,
    LinkOption,
    NotesOption,
    OpenedLink,
    WhyOption,
    open_links,
)
from isfc.cli.options.option import flag, valued
from isfc.cli.options.profile import ProfileOption, link_at_site, opened_site
from isfc.cli.output.streams import show, show_json, show_log
from isfc.cli.plan.page import plan_report
from isfc.errors import ConfigurationError
from isfc.layout.in_words import listed
from isfc.layout.plan import make_plan
from isfc.layout.sharing import only, shares_anything
from isfc.reports.terminal import page as report_page

if TYPE_CHECKING:
    from isfc.answers.plan import PlannedLink, PlannedLinks
    from isfc.layout.collection import Collection

WithoutOption = Annotated[
    list[str] | None,
    valued(
        "WHAT",
        "Show what is left without this: 40, BOSTON:50, vary:BOSTON:50, director:1, "
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
        bool, flag("--lose", "Show what is left with each piece of hardware gone.")
    ] = False,
    without: WithoutOption = None,
    simulate: Annotated[
        bool, flag("--simulate", "With --lose or --without: by the model, as is usual.")
    ] = False,
    rule: Annotated[bool, flag("--rule", "By IBM's rule of thumb alone: no model is run.")] = False,
    why: WhyOption = False,
    notes: NotesOption = False,
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
    if notes and json:
        raise ConfigurationError("--notes and --json: JSON has all; expected one of them")
    alone = lost or rule or link is not None
    site = opened_site(profile)
    opened = [link_at_site(each, site) for each in open_links(layout, link, alone=alone)]
    if lost:
        from isfc.answers.losses import losses_report
        from isfc.answers.profile import profile_of
        from isfc.cli.plan.modelled import losses

        links = _losing(opened, link, without or [])
        found = replace(losses(links, without or [], rule=rule), profile=profile_of(site))
        if json:
            show_json(found)
        else:
            show(report_page(losses_report(found), notes=notes))
        return
    if len(opened) > LINKS_IN_FULL and not (json or why):
        from isfc.cli.plan.overview import overview

        show(report_page(overview(opened[0].collection, rule=rule), notes=notes))
        return
    pages, records, whole = _judged(opened, rule=rule, why=why, notes=notes, json=json)
    if not json:
        show(*pages)
        return
    said = records[0] if len(opened) == 1 else _several(records, whole)
    from isfc.answers.profile import profile_of  # pages do without

    show_json(replace(said, profile=profile_of(site)))


def _judged(
    opened: Sequence[OpenedLink], *, rule: bool, why: bool, notes: bool, json: bool
) -> "tuple[list[RenderableType], list[PlannedLink], PlannedLinks | None]":
    """The pages on all links together, if they share channels, and on each; and their records."""
    pages: list[RenderableType] = []
    records: list[PlannedLink] = []
    shares = _share(opened, why=why)
    whole: PlannedLinks | None = None
    if shares and not rule:
        from isfc.cli.plan.modelled import together

        page, whole = together(opened[0], notes=notes)
        pages.append(page)
    for each in opened:
        page, record = _judge(each, rule=rule or shares, why=why, notes=notes, json=json)
        records += [] if record is None else [record]
        pages += ["", Rule(style="dim"), "", page] if pages else [page]
    return pages, records, whole


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


def _losing(opened: Sequence[OpenedLink], link: str | None, pieces: Sequence[str]) -> "Collection":
    """The links that lose something: all of the file, or the one that is named.

    Raises `ConfigurationError` for a piece that no link of the file has.
    """
    from isfc.layout.loss import check_pieces, known_pieces, links_with, spelt

    every = opened[0].collection
    if link is None and len(opened) > 1:
        links = every
    else:
        links = only(every, opened[0].layout)
    own = known_pieces(links.links, links.cecs)
    for piece in (piece for piece in pieces if spelt(piece, own) not in own):
        if not (others := links_with(piece, every)):
            check_pieces([piece], own, "--without")
        shown = listed([each.name for each in links.links])
        show_log(f"isfc: note: {piece} is part of {listed(others)}: {shown} is as without its loss")
    return links


def _several(links: "list[PlannedLink]", whole: "PlannedLinks | None") -> "PlannedLinks":
    """What ``--json`` prints of several links, beside what it prints of the whole."""
    from isfc.answers.plan import PlannedLinks

    return replace(whole or PlannedLinks(), links=links)


def _share(opened: Sequence[OpenedLink], *, why: bool) -> bool:
    """Whether several links share channels, of which ``--why`` says nothing."""
    shares = len(opened) > 1 and shares_anything(opened[0].collection)
    if shares and why:
        raise ConfigurationError("--why: of one link; expected --link, as these share channels")
    return shares


def _judge(
    opened: OpenedLink, *, rule: bool, why: bool, notes: bool, json: bool
) -> "tuple[RenderableType, PlannedLink | None]":
    """The page on one link, and what ``--json`` prints of it."""
    judged = make_plan(opened.layout, opened.neighbours, opened.collection)
    if not rule:
        from isfc.cli.plan.modelled import modelled_plan

        return modelled_plan(opened, judged, why=why, notes=notes)
    page = report_page(plan_report(judged), notes=notes)
    if not json:
        return page, None
    from isfc.answers.plan import planned_link

    return page, planned_link(judged)
