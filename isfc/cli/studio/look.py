"""A look at a layout after an edit, by the rules alone."""

from typing import Any

from markupsafe import Markup

import isfc
from isfc.cli.studio.drawing import overview, touchable
from isfc.cli.studio.judgement import (
    Known,
    KnownSaid,
    capacity,
    changes,
    findings,
    in_short,
    orders,
)
from isfc.cli.studio.tasks import SOURCE, Shown, Subject
from isfc.reports.template import macro


class LayoutEdited(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layout, what is struck out of it, and maybe an edit that is to be done first.

    ``source`` is what the text is called in an error.
    """

    revision: int
    opened: str
    pairs: int = 50
    edit: dict[str, Any] | None = None
    source: str = SOURCE


def look(wanted: LayoutEdited, known: Known, said: KnownSaid) -> dict[str, Any]:
    """What the page shows of it. Raises `ConfigurationError` for what cannot be."""
    if wanted.source == SOURCE:
        whole = Subject(wanted.text).read()
    else:
        whole = isfc.parse_links(wanted.text, wanted.source)
    if wanted.edit is not None:
        whole = isfc.edit(whole, isfc.read_edit(wanted.edit))
    text = isfc.format_collection(whole)
    names = {fibre.name for link in whole.links for fibre in link.fibres}
    struck = frozenset(wanted.struck) & names
    subject, opened = Subject(text, struck), Subject(wanted.opened or text)
    left, judged = subject.read(), subject.plans()
    return {
        "revision": wanted.revision,
        "text": text,
        "struck": sorted(struck),
        "answer": in_short(subject, opened, wanted.pairs, known),
        "drawing": _drawing(whole, left),
        "capacity": capacity(subject, opened, wanted.pairs, known, said),
        "orders": orders(judged),
        "findings": findings(judged, able=not struck),
        "changes": changes(opened.read(), whole, sorted(struck)),
        "layout": describe(whole),
        "pieces": isfc.pieces(whole),
    }


def _drawing(whole: isfc.Collection, left: isfc.Collection) -> Markup:
    """The machines, then each link."""
    kept = {link.nodes: link for link in left.links}
    drawn = [
        (link, touchable(link, kept.get(link.nodes), f"-{number}"))
        for number, link in enumerate(whole.links, start=1)
    ]
    return macro("cli/studio/page/judgement.html", "drawing", overview(whole), drawn)


def describe(collection: isfc.Collection) -> list[dict[str, Any]]:
    """The links as the page's forms need them."""
    return [
        {
            "name": link.name,
            "nodes": list(link.nodes),
            "fibres": [
                {
                    "name": fibre.name,
                    "feature": fibre.profile.feature,
                    "link_gbps": fibre.profile.link_gbps,
                    "km": fibre.km,
                    "path": fibre.path and fibre.path.name,
                    "chpids": [f"{chpid:02X}" for chpid in fibre.chpids],
                }
                for fibre in link.fibres
            ],
            "ctcs": [
                {"fibre": ctc.fibre.name, "rdevs": [f"{rdev:04X}" for rdev in ctc.rdevs]}
                for ctc in link.device_list()
            ],
        }
        for link in collection.links
    ]
