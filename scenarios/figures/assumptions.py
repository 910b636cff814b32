"""What a figure rests on that nobody has measured of CTCs, and how much that may be off.

Each assumption is an interval with a reason. A run at its two ends says what it does to a figure:
`variants` makes both runs, `widened` makes a range wider by what they came to. Where there is no
time for runs, `assumed` has what they came to for links of the same kind
(``assumptions.csv``, which ``make docs`` renews).

Assumptions are independent of each other, so that what they do adds up as squares do. The ends of
an interval are meant to hold nineteen of twenty cases. A range only grows.

The profile of a site confirms what it has fitted: such an assumption widens by no more than the
worst error of the site's own figures that were held back. What suites left out tell stays.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from msgspec import Struct, structs

from ctc.channel import BLOCK_LENGTH, EXPRESS4_TRANSPORT_IO_NS
from ctc.features import CHANNELS, EXPRESS4, ChpidProfile
from isfc.layout.capacity import directions_of
from isfc.layout.layout import Fibre, Layout, machines_of, on_machines
from isfc.layout.machines import Estimate
from isfc.reports.figure import Interval, Range
from scenarios.figures.certainty import FigureKind
from scenarios.figures.paces import ends_on_machines
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import MEASURED_FEATURES, WRITERS_MAX, shipped_lines

COMMAND_MODE_NS_PER_BYTE: Final = 1e3 / 600
"""What a byte takes at IBM's "over 600 MB/s" of command mode, both ways together, which is of
disks and of no feature before FICON Express16SA (published: FICON Express16SA Performance)."""

NORMAL_95: Final = 1.960
NORMAL_80: Final = 1.282
"""Standard deviations that hold nineteen of twenty cases of a normal distribution, and four of
five: how much narrower the ends of an interval are for the latter."""

MEASURED_GBPS_MAX: Final = 4
"""Features with faster links than this are later than any that CTCs were measured on."""

LATER_CHANNELS: Final = "channels of later features"
MACHINES: Final = "how fast CP is on its machine"
OVER_DISTANCE: Final = "CTCs over distance"
CROWDED: Final = "more CTCs on a channel than IBM measured"
PORTS: Final = "buffer credits that are not published"

PORT_CREDITS_ENDS: Final = (40, 200)
"""Of a port of any feature but FICON Express16SA, whose are published (chosen: what Express8's and
Express4's are said to have, by no source of ours)."""

Ends = tuple[Experiment, Experiment]


class Assumption(Struct, frozen=True):
    """Something that is assumed of some links: at its two ends the link is slower, and faster.

    ``name`` is what people read: "wider for NAME". ``reason`` says why it ends there.
    ``fitted`` are the constants of a site profile that tell it, all of them.
    """

    name: str
    reason: str
    concerns: Callable[[Layout], bool]
    slower: Callable[[Experiment], Experiment]
    faster: Callable[[Experiment], Experiment]
    fitted: tuple[str, ...] = ()


class Widening(Struct, frozen=True):
    """What an assumption does to a figure at its ends: factors of it, at most 1 and at least 1.

    Of one that is ``even`` no figure between the ends is likelier than another.
    """

    name: str
    low: float
    high: float
    even: bool = False


def variants(experiment: Experiment) -> list[tuple[Assumption, Ends]]:
    """For each assumption that a run rests on, the same run at its two ends."""
    return [
        (each, (each.slower(experiment), each.faster(experiment)))
        for each in ASSUMPTIONS
        if each.concerns(experiment.layout)
    ]


def widening(assumption: Assumption, value: float, at_ends: Iterable[float]) -> Widening:
    """What the runs at the ends came to, beside the figure itself."""
    factors = [figure / value for figure in at_ends if value > 0 and figure > 0]
    return Widening(assumption.name, min([1.0, *factors]), max([1.0, *factors]))


def widened(value: float, found: Range, widenings: Sequence[Widening]) -> Range:
    """The range of a figure with what assumptions may be; never narrower than it was."""
    counting = [each for each in widenings if each.low < 1 or each.high > 1]
    if not counting or value <= 0:
        return found
    lows = [(1 / each.low, each.even) for each in counting]
    highs = [(each.high, each.even) for each in counting]
    ends = [
        Interval(
            value * math.exp(-_together(value / known.low, lows, part)),
            value * math.exp(_together(known.high / value, highs, part)),
        )
        for known, part in ((found.likely, NORMAL_80 / NORMAL_95), (found.sure, 1.0))
    ]
    names = (*found.wider_for, *(each.name for each in counting))
    return structs.replace(found, likely=ends[0], sure=ends[1], wider_for=names)


def assumed(layout: Layout, kind: FigureKind = FigureKind.RATE) -> list[Widening]:
    """What assumptions do to a figure of a layout, as it was run for links of the same kind."""
    latest = feature_of(layout)
    return [
        _confirmed(each, _known(each, layout, latest, kind), layout)
        for each in ASSUMPTIONS
        if each.concerns(layout)
    ]


def _known(each: Assumption, layout: Layout, latest: str, kind: FigureKind) -> Widening:
    """What an assumption does to links of the same kind, and on the same machines if they count."""
    if any(layout.machines) and each.name in (MACHINES, LATER_CHANNELS):
        by_machine, by_channels = ends_on_machines(layout, latest, kind)
        is_machine = each.name == MACHINES
        return Widening(each.name, *(by_machine if is_machine else by_channels), even=is_machine)
    return _line_like(each.name, latest, len(layout.fibres), kind)


def assumed_apart(before: Layout, after: Layout) -> list[Widening]:
    """What assumptions do to how many times the rate of one layout another has.

    At an end of an assumption both figures are what they are there: what it does to both alike
    does nothing to their ratio.
    """
    here, there = ({each.name: each for each in assumed(one)} for one in (before, after))
    found = []
    for name in {**here, **there}:
        nothing = Widening(name, 1.0, 1.0)
        was, comes = here.get(name, nothing), there.get(name, nothing)
        ends = comes.low / was.low, comes.high / was.high
        found.append(Widening(name, min(1.0, *ends), max(1.0, *ends)))
    return found


def _confirmed(assumption: Assumption, known: Widening, layout: Layout) -> Widening:
    """What is left of a widening at a site whose profile has fitted what is assumed."""
    site = layout.site
    if site is None or site.held_back is None or site.doubts or site.is_worse:
        return known
    is_told = assumption.fitted and {*assumption.fitted} <= site.factors.keys()
    if not is_told or not {fibre.profile.feature for fibre in layout.fibres} <= {*site.features}:
        return known
    error = 1 + site.held_back.worst / 100
    return structs.replace(known, low=max(known.low, 1 / error), high=min(known.high, error))


def _together(known: float, assumed_factors: Iterable[tuple[float, bool]], part: float) -> float:
    """The logarithm of the factor that independent factors come to; of an even one all counts."""
    squares = (((1.0 if even else part) * math.log(each)) ** 2 for each, even in assumed_factors)
    return math.sqrt(math.log(known) ** 2 + sum(squares))


@cache
def _line_like(name: str, feature: str, fibres: int, kind: FigureKind) -> Widening:
    """The line of the same feature, if there is one, and of as many fibres, nearly."""
    every = shipped_lines(__package__, "assumptions.csv")
    lines = [line for line in every if (line["assumption"], line["of"]) == (name, kind)]
    if not lines:
        raise LookupError(f"{name}: no runs yet: make docs")
    line = min(
        lines,
        key=lambda line: (
            line["feature"] != feature,
            abs(math.log(int(line["fibres"]) / fibres)),
            -float(line["high"]) + float(line["low"]),
        ),
    )
    return Widening(name, float(line["low"]), float(line["high"]))


def feature_of(layout: Layout) -> str:
    """The layout's latest feature: the one of which least is known."""
    return max((fibre.profile for fibre in layout.fibres), key=lambda p: p.link_gbps).feature


COLUMNS: Final = ("assumption", "feature", "fibres", "of", "value", "low", "high", "source")
"""Of ``assumptions.csv``."""


def _is_later(layout: Layout) -> bool:
    return any(
        fibre.profile.feature not in MEASURED_FEATURES
        and fibre.profile.link_gbps > MEASURED_GBPS_MAX
        for fibre in layout.fibres
    )


def _is_crowded(layout: Layout) -> bool:
    """More writers on a chpid than IBM had, or several links on one channel."""
    writers = (n for way in directions_of(layout) for n in way.ctcs_by_chpid.values())
    shared = any(fibre.channels for fibre in layout.fibres)
    return shared or max(writers, default=0) > WRITERS_MAX


def _has_assumed_credits(layout: Layout) -> bool:
    """A fibre so long that the fewest credits limit it, of a feature whose are not published."""
    return any(
        structs.replace(fibre, port_credits=PORT_CREDITS_ENDS[0]).line_share < 1
        for fibre in layout.fibres
        if fibre.profile.feature != "FICON Express16SA"
    )


def _with_fibres(change: Callable[[Fibre], Fibre]) -> Callable[[Experiment], Experiment]:
    return lambda experiment: experiment.with_fibres(change)


def _credits(count: int) -> Callable[[Experiment], Experiment]:
    return _with_fibres(lambda fibre: structs.replace(fibre, port_credits=count))


def _with_profiles(change: Callable[[ChpidProfile], ChpidProfile]) -> Callable[..., Experiment]:
    return _with_fibres(lambda fibre: structs.replace(fibre, profile=change(fibre.profile)))


def _in_command_mode(profile: ChpidProfile) -> ChpidProfile:
    return structs.replace(
        profile,
        processor_ns_per_byte=max(profile.processor_ns_per_byte, COMMAND_MODE_NS_PER_BYTE),
        io_ns=max(profile.io_ns, EXPRESS4.io_ns),
    )


def _in_transport_mode(profile: ChpidProfile) -> ChpidProfile:
    """As if a CTC's I/O cost the channel what one of zHPF does."""
    disks = CHANNELS[profile.feature]
    if disks.transport_io_ns is None:
        return profile
    per_io = EXPRESS4.io_ns * disks.transport_io_ns / EXPRESS4_TRANSPORT_IO_NS
    per_byte = disks.transport_block_ns / BLOCK_LENGTH
    return structs.replace(
        profile,
        processor_ns_per_byte=min(profile.processor_ns_per_byte, per_byte),
        io_ns=min(profile.io_ns, round(per_io)),
    )


def _longer(factor: float) -> Callable[[Experiment], Experiment]:
    def longer(fibre: Fibre) -> Fibre:
        more = fibre.port_credits * factor  # which let as much through
        return structs.replace(fibre, km=fibre.km * factor, port_credits=more)

    return _with_fibres(longer)


def _turns(factor: float) -> Callable[..., Experiment]:
    return _with_profiles(lambda p: structs.replace(p, turn_ns=round(p.turn_ns * factor)))


def _processor(factor: float) -> Callable[[Experiment], Experiment]:
    """CP's time to receive a byte and its processor time, so many times as long."""

    def changed(experiment: Experiment) -> Experiment:
        link = experiment.link
        faster: dict[str, Any] = {
            name: type(value)(value * factor)
            for name in _PROCESSOR_TIMES
            for value in [getattr(link, name)]
        }
        return replace(experiment, link=replace(link, **faster))

    return changed


def _on_machines(case: Estimate) -> Callable[[Experiment], Experiment]:
    def changed(link: Layout) -> Layout:
        said = machines_of([link]).items()
        return on_machines(link, {node: structs.replace(m, case=case) for node, m in said})

    return lambda experiment: experiment.over(*map(changed, experiment.collection.links))


_PROCESSOR_TIMES: Final = (
    *("receive_ns_per_byte", "cpu_message_ns", "cpu_read_package_ns", "cpu_ns_per_byte"),
    "cpu_appc_message_ns",
)


ASSUMPTIONS: Final = (
    Assumption(
        LATER_CHANNELS,
        "One end is command mode as IBM published it for disks, over 600 MB/s and Express4's time "
        "for an I/O; the other what the feature takes for zHPF, which CTCs do not use.",
        _is_later,
        _with_profiles(_in_command_mode),
        _with_profiles(_in_transport_mode),
        fitted=("transfer",),
    ),
    Assumption(
        "later processors",
        "CP's time to receive a byte, and its processor time, were told by a z10. Machines with "
        "later channels have faster processors; that they take half the time is the most that is "
        "likely, the same time the least. Of a layout without machine.",
        lambda layout: _is_later(layout) and not any(layout.machines),
        lambda experiment: experiment,
        _processor(0.5),
        fitted=("receive",),
    ),
    Assumption(
        MACHINES,
        "What is known of an engine and of memory, low and high. None was measured with ISFC: any "
        "between may be.",
        lambda layout: any(layout.machines),
        _on_machines(Estimate.LOW),
        _on_machines(Estimate.HIGH),
        fitted=("receive",),
    ),
    Assumption(
        OVER_DISTANCE,
        "How often an I/O of a CTC waits for the other end is assumed. Half as often and twice as "
        "often are the ends: nothing is published of CTCs over distance.",
        lambda layout: any(fibre.km for fibre in layout.fibres),
        _longer(2.0),
        _longer(0.5),
    ),
    Assumption(
        CROWDED,
        "How long a channel serves one transfer before the next was told by at most four writers. "
        "Half and twice that are the ends.",
        _is_crowded,
        _turns(2.0),
        _turns(0.5),
        fitted=("turn",),
    ),
    Assumption(
        PORTS,
        "Ports of FICON Express16SA have 90, and those of other features are taken to have as "
        "many. 40 and 200, which others are said to have, are the ends.",
        _has_assumed_credits,
        _credits(PORT_CREDITS_ENDS[0]),
        _credits(PORT_CREDITS_ENDS[1]),
    ),
)
"""Every assumption that counts. Others were tried and move MB/s by less than 2 %: see
``tools/calibration/NOTES.md``."""


def reasons(names: Iterable[str]) -> Iterator[str]:
    """Why assumptions end where they do, for those who ask."""
    known = {each.name: each.reason for each in ASSUMPTIONS}
    yield from (known[name] for name in names)
