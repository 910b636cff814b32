"""Layouts for tests, made from what matters about them."""

from itertools import combinations

from ctc.address import ChpidId, Rdev
from ctc.features import find_profile
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.name import NodeName


def mesh(systems: int, *, shared: bool, ctcs: int = 4, feature: str = "FICON Express4") -> str:
    """The layout file of a link between each two of ``systems`` systems, S1, S2, ...

    If they are ``shared``, each system has one chpid that all its links use; if not, each link has
    a fibre of its own. A link has up to sixteen ``ctcs``.
    """
    lines: list[str] = []
    for number, (one, other) in enumerate(combinations(range(1, systems + 1), 2)):
        here, there = ("40", "40") if shared else (f"{0x40 + other:X}", f"{0x40 + one:X}")
        lines += ["[[link]]", f'nodes = ["S{one}", "S{other}"]', f"[fibre.{number}]"]
        lines += [
            f'feature = "{feature}"',
            f'chpid = {{ S{one} = "{here}", S{other} = "{there}" }}',
        ]
        last = f"{ctcs - 1:X}"
        rdevs = [
            f"{0x6000 + 0x100 * mate:X}-{0x600 + 0x10 * mate:X}{last}" for mate in (other, one)
        ]
        lines += ["[[ctc]]", f'fibre = "{number}"']
        lines += [f'rdevs = {{ S{one} = "{rdevs[0]}", S{other} = "{rdevs[1]}" }}']
    return "\n".join(lines) + "\n"


def layout_of(*groups: tuple[float, int]) -> Layout:
    """A link whose device list has, for each (Gb/s, CTCs), a fibre of its own."""
    fibres = tuple(
        Fibre(
            str(index),
            find_profile("FICON Express8", gbps),
            (ChpidId(0x40 + index), ChpidId(0x50 + index)),
        )
        for index, (gbps, _) in enumerate(groups)
    )
    ctcs = tuple(
        CtcPair(fibre, (Rdev(0x6000 + 16 * index + unit), Rdev(0x7000 + 16 * index + unit)))
        for index, (fibre, (_, count)) in enumerate(zip(fibres, groups, strict=True))
        for unit in range(count)
    )
    return Layout((NodeName("ATLANTA"), NodeName("BOSTON")), fibres, ctcs)
