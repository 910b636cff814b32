"""What ``isfc plan`` says of a layout: of one link, or of several and all of them together."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from isfc.answers.given import LINKS_IN_FULL, OpenedLink, open_links
from isfc.answers.plan_link import PlannedLink, planned_by_rule
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Jobs, checked, spelt
from isfc.layout.catalogue import AnyLayout
from isfc.layout.plan import make_plan
from isfc.layout.sharing import shares_anything

if TYPE_CHECKING:
    from isfc.answers.plan_links import PlannedLinks
    from isfc.layout import site as measured  # as its names are public


@checked
def plan(
    layout: AnyLayout,
    *,
    link: str | None = None,
    profile: "measured.SiteProfile | str | Path | None" = None,
    rule: bool = False,
    why: bool = False,
    jobs: Jobs = 1,
) -> "PlannedLink | PlannedLinks":
    """Who writes on which CTC, what the link carries, what limits it and what to change.

    Of several links each, or all together where they share channels or are many and nobody asks
    ``why``. Rates are of one direction: by the model, or by IBM's rule of thumb alone if ``rule``.
    ``profile`` is a site's; ``jobs`` runs go on at a time.

    Raises `ConfigurationError` for what is no layout, for ``why`` of links that share channels, and
    for what is of the model beside ``rule``.
    """
    if rule and (why or profile is not None):
        asked = spelt("why" if why else "profile")
        raise ConfigurationError(
            f"{asked}: of the model, and none is run; expected no {spelt('rule')}"
        )
    opened = open_links(layout, link, profile, alone=rule or link is not None)
    collection = opened[0].collection
    shares = len(opened) > 1 and shares_anything(collection)
    if why and shares:
        raise ConfigurationError(
            f"{spelt('why')}: of one link; expected {spelt('link')}, as these share channels"
        )
    together = shares or (len(opened) > LINKS_IN_FULL and not why)
    links = [_planned(each, jobs, rule=rule or together, why=why) for each in opened]
    if len(links) == 1:
        found: PlannedLink | PlannedLinks = links[0]
    else:
        from isfc.answers.plan_links import planned_links  # most files have one link

        found = planned_links(opened[0], links, jobs, is_run=together and not rule)
    if profile is None:
        return found
    from scenarios.runs.at_site import given_site  # most commands name none

    return replace(found, profile=given_site(profile))


def _planned(opened: OpenedLink, jobs: int, *, rule: bool, why: bool) -> PlannedLink:
    judged = make_plan(opened.layout, opened.neighbours, opened.collection)
    if rule:
        return planned_by_rule(judged)
    from isfc.answers.plan_modelled import planned_by_model  # a rule of thumb does without

    return planned_by_model(opened, judged, jobs, why=why)
