"""What a link carries while links that its file does not have are busy on its channels.

Decks tell of those (`isfc.layout.other_links`). All links run together, as in a plan of a file that
has all of them.
"""

from collections.abc import Iterator
from dataclasses import replace

from isfc.arguments import checked
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.note import Note, NoteKind
from isfc.layout.other_links import others_on, say_others, with_others
from scenarios.figures.rates import carry
from scenarios.runs.load import STATED
from scenarios.runs.saturation import RunEach, in_turn


@checked
def others_busy(layout: AnyLayout, link: str | None = None) -> tuple[Note, ...]:
    """What `isfc plan` says of a link beside others that its decks have on its chpids, if any.

    ``link`` is one of several, such as ``"ATLANTA-BOSTON"``. Raises `ConfigurationError` for one
    that there is not.
    """
    collection = given_collection(layout)
    return tuple(_notes(collection, collection.link(link), in_turn))


def with_others_busy(collection: Collection, link: Layout, run_each: RunEach) -> Layout:
    """The link of a collection, with these notes; as it is if decks tell of no others."""
    notes = tuple(_notes(collection, link, run_each))
    return replace(link, notes=(*link.notes, *notes)) if notes else link


def _notes(collection: Collection, link: Layout, run_each: RunEach) -> Iterator[Note]:
    """What the link carries; or why that cannot be run."""
    others = others_on(collection, link)
    if not others:
        return
    said = say_others(others)
    try:
        links = with_others(collection, link)
    except ConfigurationError as error:
        text = f"{said}; what is left with those busy is not run: {error}."
    else:
        (carried,) = carry([links], STATED, run_each)
        rates = " and ".join(
            f"{carried.rate_of(link, way)} from {node}"
            for node, way in zip(link.nodes, (carried.ways or {})[link.name], strict=True)
        )
        text = f"{said}; with those busy it is about {rates}, in MB/s, {carried.load.words}."
    yield Note(NoteKind.OTHERS, text)
