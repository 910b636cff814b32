"""A look at a layout after an edit, by the rules alone: the sections of the page.

Edits are those of `isfc.edit`, and fibres that are struck out.
"""

from typing import Annotated, Any, Final

from msgspec import Meta

import isfc
from isfc.answers.beside import differences
from isfc.cli.studio.drawing import overview, touchable
from isfc.cli.studio.judgement import Known, findings, judgement
from isfc.cli.studio.tasks import SOURCE, Shown, Subject, pack, unpack
from isfc.reports.html import macro, part

_LOOK: Final = "cli/studio/page/look.html"
_SECTIONS: Final = (
    "said drawing chosen changes part pieces loss_link system run_way relocation_way"
).split()
"""Macros of the template, each by the id of its place on the page."""


class Judge(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layout is to be judged, and the one as opened, to be compared with."""

    pairs: Annotated[int, Meta(ge=1, le=10_000)] = 50


class PieceChosen(Shown, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A CTC or a fibre is chosen, by its id in the drawing."""

    chosen: str


class LayoutEdited(Judge, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A layout, what is struck out of it, and maybe an edit that is to be done first.

    Or what an ``address`` holds instead. ``source`` is what the text is called in an error.
    """

    chosen: str = ""
    edit: dict[str, Any] | None = None
    source: str = SOURCE
    address: str = ""


def look(wanted: LayoutEdited, known: Known) -> dict[str, Any]:
    """What the page shows of it. Raises `ConfigurationError` for what cannot be."""
    shown: Shown = unpack(wanted.address) if wanted.address else wanted
    whole = isfc.parse_links(shown.text, wanted.source)
    edit, chosen, struck = wanted.edit, wanted.chosen, frozenset(shown.struck)
    if edit is not None:
        whole, struck, edit = change(whole, struck, edit)
        chosen = edit.get("chosen", chosen)
    text = isfc.format_collection(whole)
    struck &= {fibre.name for link in whole.links for fibre in link.fibres}
    now = Shown(text, sorted(struck), shown.opened or text)
    subject, opened = now.subject, Subject(now.opened)
    left = subject.read()
    kept = {link.nodes: link for link in left.links}
    page = {
        "whole": whole,
        "struck": now.struck,
        "chosen": chosen,
        "edit": edit,
        "is_changed": (text, now.struck) != (wanted.text, sorted(wanted.struck)),
        "features": isfc.features(),
        "overview": overview(whole),
        "drawn": [
            (link, touchable(link, kept.get(link.nodes), f"-{number}"))
            for number, link in enumerate(whole.links, start=1)
        ],
        "changes": [*differences(opened.read(), whole)],
        "pieces": isfc.pieces(whole),
    }
    sections = {
        **judgement(subject, opened, wanted.pairs, known),
        "worst": part("panel", [("Worst loss:", isfc.losses(left, rule=True).worst_line)]),
        "findings": findings(subject.plans(), able=not struck),
        **{name: macro(_LOOK, name, page) for name in _SECTIONS},
    }
    if wanted.address:
        sections["source"] = macro(_LOOK, "source", wanted.source, shown)
    return {
        "now": {"text": now.text, "struck": now.struck, "opened": now.opened},
        "address": pack(now),
        "title": f"{', '.join(link.name for link in whole.links)} - isfc studio",
        "chosen": chosen,
        "sections": sections,
    }


def choose(wanted: PieceChosen) -> dict[str, Any]:
    """What the page shows of what is chosen."""
    page = {
        "whole": Subject(wanted.text).read(),
        "chosen": wanted.chosen,
        "struck": wanted.struck,
        "features": isfc.features(),
    }
    return {"sections": {"chosen": macro(_LOOK, "chosen", page)}}


Edit = dict[str, Any]


def change(
    whole: isfc.Collection, struck: frozenset[str], edit: Edit
) -> tuple[isfc.Collection, frozenset[str], Edit]:
    """All links after an edit, what is struck out then, and the edit with all that it says.

    A CTC goes to a fibre that is named, to the one a ``step`` below its own, or to one on the
    channel with some ``ends``. Fibres, or all that need a ``part``, are struck ``out`` or taken
    ``back``; if neither is said, they go the other way than they are. Raises `ConfigurationError`
    for what cannot be.
    """
    if edit.get("do") == "strike":
        names: list[str] = edit.get("fibres") or isfc.pieces(whole).get(edit.get("part", ""), [])
        goes = "out" in edit or ("back" not in edit and not struck.issuperset(names))
        kept = struck | {*names} if goes else struck - {*names}
        return whole, kept, {"do": "strike", "fibres": names, "out": goes}
    if "ends" in edit or "step" in edit:
        fibre = _fibre(whole, edit)
        edit = {"do": "move", "link": edit["link"], "rdev": edit["rdev"], "fibre": fibre}
    done = isfc.edit(whole, isfc.read_edit(edit))
    if edit["do"] == "renumber":  # it stays chosen
        edit["chosen"] = f"ctc-{edit['link']}-{edit['rdevs'][0].strip().upper():0>4}"
    return done, struck, edit


def _fibre(whole: isfc.Collection, edit: Edit) -> str:
    """Of several on a channel, one that leaves the CTC a chpid at its other end."""
    link = whole.link(edit["link"], "link")
    own = next(ctc.fibre for ctc in link.ctcs if f"{ctc.rdevs[0]:04X}" == edit["rdev"])
    if "step" in edit:
        place = link.fibres.index(own) + edit["step"]
        return link.fibres[place].name if 0 <= place < len(link.fibres) else own.name

    def is_there(fibre: isfc.Fibre) -> bool:
        ends = map(".".join, zip(link.nodes, fibre.chpid_names, strict=True))
        return fibre != own and not {*ends}.isdisjoint(edit["ends"].split())

    found = [*filter(is_there, link.fibres), own]
    near = (each for each in found[:-1] if any(map(int.__eq__, each.chpids, own.chpids)))
    return next(near, found[0]).name
