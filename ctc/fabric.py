"""A fabric: channels that share more than one fibre, and how fast each path of theirs may go.

A *path* leads the transfers of CTCs from one channel to another. Where one channel has several
paths, is both ends of one, or paths cross the same inter-switch links, what a path can carry
depends on what all the others do. A `Fabric` knows all paths, and lets the transfers of each go at
one pace. Each path end is a `ctc.chpid.Chpid`; those of one channel share its `Starts`.

Only an engine that has all systems in one process can have a fabric. Without one each end knows
what it sends and what comes in, and no more: see `ctc.chpid`.
"""

from dataclasses import dataclass
from typing import Final, final

from mypy_extensions import i64

_LINE: Final = 0
_COMMON: Final = 1
_BYTES: Final = 2
"""What a path needs of a resource: its share of a line, of a data processor, or bytes."""

_TIGHT: Final = 1.0 + 1e-9
"""More of a resource than this is wanted where it is short."""


@dataclass(frozen=True, slots=True)
class FabricRoute:
    """The channels at the two ends of a path, by name, and the inter-switch links between them.

    Both names are the same if the path is straight: then each byte passes the channel's data
    processor twice. ``trunk`` is the name of the inter-switch links, one way of them, empty if
    there are none, and ``trunk_ns_per_byte`` what a byte takes of all of them together.
    """

    here: str
    there: str
    trunk: str = ""
    trunk_ns_per_byte: float = 0.0


@final
class Starts:
    """What starts and ends the I/Os of a channel: its processor, and turns of what is under way."""

    __slots__ = ("free_ns", "in_turns_ns", "out_turns_ns")

    def __init__(self) -> None:
        self.free_ns: i64 = 0
        self.out_turns_ns: i64 = 0
        self.in_turns_ns: i64 = 0
        """A turn of every transfer that goes out, and of every one that comes in."""


@final
class DeadlinesChanged:
    """Says that the deadlines of one system are other ones than before."""

    __slots__ = ("rung",)

    def __init__(self) -> None:
        self.rung = False


class PathEnd:
    """The sender's end of a path: whoever sends there is told its pace."""

    def set_pace(self, pace: float, now_ns: i64) -> None:
        """Go on at this fraction of the pace that each transfer would have alone."""
        raise NotImplementedError


@final
class _Resource:
    """A line one way, a data processor, or inter-switch links one way; there is 1 of each."""

    __slots__ = ("kind", "left", "ns_per_byte", "paths", "seen", "wanted")

    def __init__(self, kind: i64, ns_per_byte: float = 0.0) -> None:
        self.kind = kind
        self.ns_per_byte = ns_per_byte
        self.paths: list[Path] = []
        """Those with transfers under way. A straight path is there twice at its processor."""
        self.wanted = 0.0
        """What they need of it at full pace."""
        self.left = 1.0
        self.seen = False

    def renew(self) -> None:
        """Find what is wanted of it: sums that are kept would gather what rounding leaves."""
        wanted = 0.0
        for path in self.paths:
            wanted += self.need(path)
        self.wanted = wanted

    def open_need(self) -> float:
        """What the paths need at full pace whose pace is still to be found."""
        need = 0.0
        for path in self.paths:
            if path.open:
                need += self.need(path)
        return need

    def need(self, path: "Path") -> float:
        """What a path needs of it at full pace."""
        if self.kind == _LINE:
            return path.line
        if self.kind == _COMMON:
            return path.common
        return path.bytes_per_ns * self.ns_per_byte


@final
class Path:
    """The transfers under way from one channel to another: sums of what each needs, and a pace.

    ``line`` and ``common`` are as in `ctc.sharing.DirectionLoad`; ``bytes_per_ns`` is what all
    would move if each went at the pace that it has alone.
    """

    __slots__ = (
        "alarm", "bytes_per_ns", "common", "count", "end", "line", "open", "pace", "seen",
        "uses",
    )  # fmt: skip

    def __init__(self, uses: list[_Resource]) -> None:
        self.uses = uses
        self.end: PathEnd | None = None
        self.alarm = DeadlinesChanged()
        self.count: i64 = 0
        self.line = 0.0
        self.common = 0.0
        self.bytes_per_ns = 0.0
        self.pace = 1.0
        self.seen = False
        self.open = False
        """Whether its pace is still to be found."""

    def close(self, pace: float) -> None:
        """Note its pace, and what is left of what is short beside it."""
        self.open = False
        self.pace = pace
        for use in self.uses:
            if use.seen:
                use.left -= pace * use.need(self)


@final
class Fabric:
    """All channels, inter-switch links and paths that share anything."""

    def __init__(self) -> None:
        self._starts: dict[str, Starts] = {}
        self._resources: dict[tuple[str, str], _Resource] = {}

    def starts(self, channel: str) -> Starts:
        """What starts the I/Os of a channel."""
        return self._starts.setdefault(channel, Starts())

    def add_path(self, route: FabricRoute) -> Path:
        """One more path from the channel here to the one there: each system has its own."""
        uses = [
            self._resource("out", route.here, _LINE),
            self._resource("in", route.there, _LINE),
            self._resource("processor", route.here, _COMMON),
            self._resource("processor", route.there, _COMMON),
        ]
        if route.trunk:
            uses.append(self._resource("trunk", route.trunk, _BYTES, route.trunk_ns_per_byte))
        return Path(uses)

    def change(
        self, path: Path, sign: int, line: float, common: float, bytes_per_ns: float, now_ns: i64
    ) -> None:
        """Add (+1) or take away (-1) one transfer, by its shares, and find all paces again."""
        touched = [use for use in path.uses if use.wanted > _TIGHT]
        was_idle = path.count == 0
        path.count += sign
        if path.count:
            path.line += sign * line
            path.common += sign * common
            path.bytes_per_ns += sign * bytes_per_ns
        else:
            path.line = path.common = path.bytes_per_ns = 0.0
        for use in path.uses:
            if was_idle:
                use.paths.append(path)
            elif not path.count:
                use.paths.remove(path)
        for use in path.uses:
            use.renew()
            if use.wanted > _TIGHT and use not in touched:
                touched.append(use)
        self._settle(path, touched, now_ns)

    def _settle(self, changed: Path, touched: list[_Resource], now_ns: i64) -> None:
        """Find the paces of all paths that a change reaches: by what is short, and was or is.

        All rise from 0 together; where something becomes full, its paths stay, and the others rise
        on. This is the fairest there is (max-min), and nothing is left over that anybody could use.
        """
        paths, short = _reached(changed, touched)
        old_paces = [path.pace for path in paths]
        full: _Resource | None = None
        while True:
            pace = 1.0
            full = None
            for use in short:
                need = use.open_need()
                if need > 0.0 and use.left < pace * need:
                    pace = max(0.0, use.left / need)
                    full = use
            for path in paths if full is None else full.paths:
                if path.open:
                    path.close(pace)
            if full is None:
                break
        for use in short:
            use.seen = False
        for path, old_pace in zip(paths, old_paces, strict=True):
            path.seen = False
            end = path.end
            if end is not None and (path is changed or path.pace != old_pace):
                end.set_pace(path.pace, now_ns)
                path.alarm.rung = True

    def _resource(self, what: str, name: str, kind: i64, ns_per_byte: float = 0.0) -> _Resource:
        """One that may be there already."""
        if (what, name) not in self._resources:
            self._resources[what, name] = _Resource(kind, ns_per_byte)
        return self._resources[what, name]


def _reached(changed: Path, touched: list[_Resource]) -> tuple[list[Path], list[_Resource]]:
    """The paths whose pace a change can change, and the resources that are short among them."""
    paths = [changed]
    changed.seen = changed.open = True
    short = touched
    for use in short:
        use.seen = True
        use.left = 1.0
    place = 0
    while place < len(short):
        for path in short[place].paths:
            if not path.seen:
                path.seen = path.open = True
                paths.append(path)
                for use in path.uses:
                    if use.wanted > _TIGHT and not use.seen:
                        use.seen = True
                        use.left = 1.0
                        short.append(use)
        place += 1
    return paths, short
