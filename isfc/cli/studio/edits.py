"""What the page asks to be changed: edits of `isfc.edit`, and fibres that are struck out."""

from typing import Any

import isfc

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
