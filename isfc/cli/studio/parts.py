"""What fails as one: a chpid, a director, a path or a CEC, and the fibres that go with it."""

from collections.abc import Iterator
from typing import Any

import isfc


def parts_of(collection: isfc.Collection) -> list[dict[str, Any]]:
    """Each part with its fibres, for who strikes it out; the smallest parts first."""
    found: dict[str, list[str]] = {}
    for link in collection.links:
        for fibre in link.fibres:
            for part in _parts(collection, link, fibre):
                found.setdefault(part, []).append(fibre.name)
    kinds = ("chpid", "path", "director", "CEC")
    ordered = sorted(found, key=lambda part: kinds.index(part.split()[0]))
    return [{"name": part, "fibres": found[part]} for part in ordered]


def _parts(collection: isfc.Collection, link: isfc.Layout, fibre: isfc.Fibre) -> Iterator[str]:
    """What a fibre needs, each once."""
    channels = dict.fromkeys(collection.channels_of(fibre, link.nodes))
    for channel in channels:
        chpids = dict.fromkeys(f"{end.chpid:02X}" for end in channel)
        yield f"chpid {', '.join(chpids)} at {', '.join(end.node for end in channel)}"
    if fibre.path is not None:
        yield f"path {fibre.path.name}"
    yield from (f"director {name}" for name in dict.fromkeys(fibre.directors))
    homes = [collection.cec_of(node) for node in link.nodes]
    yield from (f"CEC {cec.name}" for cec in dict.fromkeys(homes) if cec is not None)
