"""From a site's files to a decision: the parts, each the answer of its capability."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

from isfc.answers.asked_for import read_rate, read_window
from isfc.answers.decision_page import Decision
from isfc.answers.decision_parts import Parts
from isfc.answers.gathered import Gathered
from isfc.answers.site_asked import Ask, SiteAsked
from isfc.errors.arguments import Argument
from isfc.layout.site import GivenSite
from isfc.layout.write import format_collection

Files = Annotated[
    Sequence[str | Path],
    Argument(
        "FILE...",
        "A layout, or the name of a shipped one; or what a site has, in any order: IOCP decks, "
        "console logs, FCX or RMF pages, loads and guests as CSV. NODE=FILE says whose a log is.",
    ),
]


def nobody(_: object) -> None:
    """Who is asked, or told, if nobody is."""


def decided(
    files: Files,
    asked: SiteAsked,
    *,
    link: str | None = None,
    profile: GivenSite = None,
    jobs: int = 1,
    tell: Callable[[str], None] = nobody,
    ask: Ask = nobody,
) -> Decision:
    """What a site's files come to: what is there and carries how much, what to order and change.

    Each part is the answer of its capability. What is wrong or not known is a part that says so,
    and the others are made all the same. ``tell`` is told what is done next, and ``ask`` asked
    what has to be known. Raises `ConfigurationError` for a rate or a window that is none.
    """
    wanted = None if asked.decide is None else read_rate(asked.decide)
    when = None if asked.window is None else read_window(asked.window)
    site = Gathered(files, asked, ask, link)
    parts = Parts(site, profile, jobs, tell)
    if site.now is not None:
        parts.of_site(asked.ran)
        parts.of_links()
        parts.of_moves(when)
        parts.of_order(wanted)
    parts.of_rmf()
    now, then = site.now and parts.links, parts.then
    return Decision(
        files=site.files,
        parts=(*site.doubts, *parts.found),
        remarks=tuple(site.remarks),
        layout=None if now is None else format_collection(now),
        ordered=None if then is None else format_collection(then),
    )
