"""What IBM measured of a logical link, and what of a layout or a run lies outside of it.

There no published figure says what the model should come to. This is the one place that decides
it; `isfc plan`, `isfc run` and sweeps ask here.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from isfc.errors.in_words import exact, number
from isfc.layout.capacity import directions_of
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.link.message import Traffic

if TYPE_CHECKING:
    from scenarios.runs.workload import Workload

MEASURED_FEATURES: Final = frozenset({"FICON Express2", "FICON Express4"})
"""On which IBM measured."""

WRITERS_MAX: Final = 4
"""CTCs of one chpid that one system writes on."""

FIBRES_MAX: Final = 4

PAIRS_MAX: Final = 100

MB_PER_S_MAX: Final = 1_031.0
"""The fastest run, HL/16/100; both directions together."""

ONE_WAY_MB_PER_S_MAX: Final = 963.0
"""What it moved one way. Derived: its messages have 118,316 of the 126,620 bytes that an exchange
has with its headers (H001709C is a run of the same suite)."""

MESSAGE_LENGTHS: Final = (512, 122_880)
REPLY_LENGTHS: Final = (2_048, 32_768)
"""Bytes of ISFC Transport's messages and replies, the least and the greatest."""

APPC_REPLY_LENGTHS: Final = (1, 1_000_000)
"""Bytes of APPC/VM's replies."""

WINDOW: Final = 2
"""Messages of a client under way, in every run of ISFC Transport."""

_SHARING: Final = "fibres that share channels"


def beyond_measured(layout: Layout) -> list[str]:
    """What of a layout no published figure identifies."""
    return list(_of_layout(layout))


def beyond_measured_run(
    layout: Layout, workload: "Workload", pairs: int, mb_per_s: float = 0.0
) -> list[str]:
    """What of a run no published figure identifies; ``mb_per_s`` is what it came to."""
    fast = [f"more than {number(MB_PER_S_MAX)} MB/s both ways"] * (mb_per_s > MB_PER_S_MAX)
    return [*_of_layout(layout), *_of_load(workload, pairs), *fast]


def beyond_measured_cluster(collection: Collection) -> list[str]:
    """What of links that run together no published figure identifies."""
    found = dict.fromkeys(what for link in collection.links for what in _of_layout(link))
    found.pop(_SHARING, None)  # it comes last
    if any(fibre.channels for link in collection.links for fibre in link.fibres):
        found[_SHARING] = None
    return list(found)


def _of_layout(layout: Layout) -> Iterator[str]:
    measured = MEASURED_FEATURES.union(layout.site.features if layout.site else ())
    features = dict.fromkeys(fibre.profile.feature for fibre in layout.fibres)
    if unknown := [feature for feature in features if feature not in measured]:
        yield f"CTCs on {', '.join(unknown)}"
    writers = max(n for way in directions_of(layout) for n in way.ctcs_by_chpid.values())
    if writers > WRITERS_MAX:
        yield f"one system writing on more than {WRITERS_MAX} CTCs of one chpid"
    if len(layout.fibres) > FIBRES_MAX:
        yield f"more than {FIBRES_MAX} fibres"
    if any(fibre.km for fibre in layout.fibres):
        yield "fibres with a length"
    ends = Counter(channel for fibre in layout.fibres for channel in fibre.channels)
    if any(count > 1 for count in ends.values()):  # also one that is both ends
        yield _SHARING


def _of_load(workload: "Workload", pairs: int) -> Iterator[str]:
    if getattr(workload.programs, "is_own", False):
        yield "a workload of one's own (measured: guests with two sizes that wait for replies)"
    if pairs > PAIRS_MAX:
        yield f"more than {PAIRS_MAX} pairs"
    if workload.traffic is not Traffic.TRANSPORT:
        yield from _length("replies", (workload.reply_length,), APPC_REPLY_LENGTHS)
        return
    lengths = (workload.min_length, workload.max_length)
    yield from _length("messages", lengths, MESSAGE_LENGTHS)
    yield from _length("replies", (workload.reply_length,), REPLY_LENGTHS)
    if workload.window != WINDOW:
        yield f"a window of {workload.window} (measured: {WINDOW})"


def _length(what: str, lengths: tuple[int, ...], measured: tuple[int, int]) -> Iterator[str]:
    least, most = measured
    if outside := [exact(length) for length in lengths if not least <= length <= most]:
        bytes_ = " and ".join(dict.fromkeys(outside))
        yield f"{what} of {bytes_} bytes (measured: {exact(least)} to {exact(most)})"


def beyond_rate_one_way(mb_per_s: float) -> list[str]:
    """That so much in one direction is more than was measured, if it is."""
    if mb_per_s <= ONE_WAY_MB_PER_S_MAX:
        return []
    return [f"more than {number(ONE_WAY_MB_PER_S_MAX)} MB/s one way"]


@cache
def shipped_lines(package: str, name: str) -> list[dict[str, str]]:
    """The lines of the CSV file ``name`` in a package, by the names of its columns."""
    import csv  # both: a page by rule of thumb reads no such file
    from importlib import resources

    text = resources.files(package).joinpath(name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))
