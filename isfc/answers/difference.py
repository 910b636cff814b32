"""How a layout differs from another, in words: its fibres, and its CTCs."""

from collections.abc import Iterator

from isfc.layout.capacity import speed_text
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout


def differences(before: Collection, after: Collection) -> Iterator[str]:
    """A line for each fibre and each CTC that is not as it was.

    A CTC is the same one if it has the same device number at the first node of its link.
    """
    links = {link.nodes: link for link in before.links}
    for link in after.links:
        name = link.name
        if link.nodes not in links:
            yield f"{name}: new"
        else:
            yield from _of_link(links.pop(link.nodes), link)
    yield from (f"{'-'.join(nodes)}: gone" for nodes in links)


def _of_link(before: Layout, after: Layout) -> Iterator[str]:
    fibres = {fibre.chpids: fibre for fibre in before.fibres}
    for fibre in after.fibres:
        was = fibres.pop(fibre.chpids, None)
        if was is None:
            yield f"fibre {_fibre(fibre)}: new, {speed_text(fibre)}"
        elif speed_text(was) != speed_text(fibre):
            yield f"fibre {_fibre(fibre)}: {speed_text(was)}, now {speed_text(fibre)}"
    yield from (f"fibre {_fibre(fibre)}: gone" for fibre in fibres.values())
    first, second = after.nodes
    ctcs = {ctc.rdevs[0]: ctc for ctc in before.ctcs}
    for ctc in after.device_list():
        old = ctcs.pop(ctc.rdevs[0], None)
        number = f"{first} {ctc.rdevs[0]:04X}"
        if old is None:
            yield f"CTC {number} - {second} {ctc.rdevs[1]:04X}: new, on chpids {_fibre(ctc.fibre)}"
            continue
        if old.fibre.chpids != ctc.fibre.chpids:
            yield f"CTC {number}: from chpids {_fibre(old.fibre)} to {_fibre(ctc.fibre)}"
        if old.rdevs != ctc.rdevs:
            yield f"CTC {number}: {second} {old.rdevs[1]:04X}, now {ctc.rdevs[1]:04X}"
    yield from (f"CTC {first} {rdev:04X}: gone" for rdev in sorted(ctcs))


def _fibre(fibre: Fibre) -> str:
    """``40-50``: its chpids."""
    return "-".join(f"{chpid:02X}" for chpid in fibre.chpids)
