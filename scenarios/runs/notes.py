"""Which notes belong to a figure, and what of a layout or a run lies outside of what IBM measured.

There no published figure says what the model should come to. This is the one place that decides
both, for every output. What a link's file says of it, `Layout.notes` brings along; the rest is that
a rule of thumb or a site's profile stands behind a figure.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from ctc.channel import NOTHING
from isfc.errors.arguments import checked
from isfc.errors.in_words import exact, listed, number
from isfc.layout.capacity import RULE_GBPS_MAX, directions_of
from isfc.layout.catalogue import AnyLayout, given_link
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.sharing import OPEN, open_questions
from isfc.link.name import NodeName
from isfc.reports.figure import Note, NoteKind

if TYPE_CHECKING:
    from scenarios.runs.steady import Rate
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
    from isfc.link.message import Traffic  # here and below: a page by rule of thumb has no load

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


@runtime_checkable
class Saturated(Protocol):
    """What one node can send, by the model."""

    @property
    def runs(self) -> "tuple[Rate, Rate]":
        """With so many pairs that more would carry no more, and with the stated load."""


CARRIED_SHARE: Final = 0.9
"""An open load of which less than this is carried is none any more. Chosen: what is drawn differs
by as much in a short run."""

_IN_STEP_PAIRS_MAX: Final = 30
"""Guests of more pairs do not go in step all together. Found: of 160 links of 2 to 8 CTCs with 4 to
30 pairs, at up to 30 km, 43 carry over 5 % more at some greater distance, the worst 26 %; of 24
links with 50 or 500 pairs none carries over 1 % more."""


def run_notes(
    layout: Layout, workload: "Workload", pairs: int, mb_per_s: float = 0.0
) -> tuple[Note, ...]:
    """Of a run; ``mb_per_s`` is what it came to, both directions together."""
    notes = modelled(layout, beyond_measured_run(layout, workload, pairs, mb_per_s))
    offered = workload.offered_mb_per_s
    from isfc.link.message import Traffic

    if offered is None and workload.traffic is Traffic.TRANSPORT:
        notes = (*notes, *_in_step([(layout, pairs)]))
    if offered is None or not 0 < mb_per_s < CARRIED_SHARE * offered:
        return notes
    text = (
        f"{number(offered, 1)} MB/s are offered and {number(mb_per_s, 1)} carried: messages wait, "
        f"and come as {pairs} conversations become free. More pairs, or more seconds, may carry "
        "more."
    )
    return (*notes, Note(NoteKind.OFFERED, text))


def unranged(what: str) -> Note:
    """Of figures that have no range, as nothing tells how far they are off, or not enough."""
    return Note(NoteKind.NO_RANGE, f"No range: too little is published of {what}.")


CHANNELS_UNRANGED: Final = unranged(
    "channels and what is on them; 'isfc replay' shows each published figure beside ours"
)
"""Of everything that ``isfc io`` says of channels, disks, SAPs, zHyperLinks and OSAs."""

BUSY: Final = "how busy channels and locks are"

BUSY_UNRANGED: Final = unranged(BUSY)
"""Of what is said beside a rate of what limits it."""

SHARED_UNRANGED: Final = unranged(
    "collisions, of which link gets how much of a shared channel or path, of the share that "
    f"others leave a link, and of {BUSY}"
)
"""Of links that run together: what they carry has a range, which allows for what they share."""


@checked
def plan_notes(layout: AnyLayout, figures: "Sequence[Saturated]" = ()) -> tuple[Note, ...]:
    """Of what each node can send: by rule of thumb, and by the model if that was asked."""
    layout = given_link(layout)
    if not figures:
        return (*_rule(layout), *layout.notes)
    unknown = beyond_plan(layout, figures)
    return (*_rule(layout), *modelled(layout, unknown), BUSY_UNRANGED)


def loss_notes(layout: Layout, *, simulated: bool) -> tuple[Note, ...]:
    """Of what losses leave: by rule of thumb, and by the model if that was run."""
    if not simulated:
        return plan_notes(layout)
    return (*_rule(layout), *modelled(layout, beyond_measured(layout)), BUSY_UNRANGED)


def cluster_notes(collection: Collection, more: Sequence[str] = ()) -> tuple[Note, ...]:
    """Of links that run together; ``more`` is what else no published figure identifies."""
    links = collection.links
    # what is open of one link is of all of them, and none of several is run alone
    said = OPEN | {NoteKind.ALONE} if len(links) > 1 else OPEN
    own = dict.fromkeys(
        note for link in links for note in (*link.notes, *_profile(link)) if note.kind not in said
    )
    known = dict.fromkeys([*beyond_measured_cluster(collection), *more])
    unknown = _extrapolated([*known])
    pairs: Counter[frozenset[NodeName]] = Counter()
    for each in collection.traffic:
        pairs[frozenset((each.client, each.server))] += each.pairs
    loads = [(link, pairs[frozenset(link.nodes)]) for link in links]
    more_known = (*_in_step(loads), *_machines(*links), *open_questions(collection))
    return (*unknown, *_disks(*links), *own, *more_known)


def several_notes(notes: Iterable[Sequence[Note]], listed: int) -> tuple[Note, ...]:
    """Of many runs, each note once, and those of a kind beyond ``listed`` as their number.

    Several of a kind stand each in a line of its own.
    """
    every = [*notes]
    different = dict.fromkeys(note for each in every for note in each)
    found = []
    for kind in NoteKind:
        texts = [note.text for note in different if note.kind is kind]
        if not texts:
            continue
        count = sum(any(note.kind is kind for note in each) for each in every)
        more = [f"And {len(texts) - listed} more of this kind."] * (len(texts) > listed)
        shown = [*texts[:listed], *more]
        said = f" {shown[0]}" if len(shown) == 1 else "".join(f"\n- {each}" for each in shown)
        found.append(Note(kind, f"{count} of {len(every)} runs:{said}"))
    return tuple(found)


def beyond_plan(layout: Layout, figures: "Sequence[Saturated]") -> list[str]:
    """What of a plan's figures no published one identifies."""
    fastest = max(figure.runs[0].mb_per_s for figure in figures)
    return [*beyond_measured(layout), *beyond_rate_one_way(fastest)]


def modelled(layout: Layout, unknown: Sequence[str]) -> tuple[Note, ...]:
    """Of a figure of the model, with what was never published of it."""
    own = (*_disks(layout), *layout.notes, *_profile(layout), *_machines(layout))
    return (*_extrapolated(unknown), *own)


def _extrapolated(unknown: Sequence[str]) -> Iterator[Note]:
    if unknown:
        text = f"The model is extrapolated: nothing is published of {', nor of '.join(unknown)}."
        yield Note(NoteKind.EXTRAPOLATED, text)


def _in_step(loads: Iterable[tuple[Layout, int]]) -> Iterator[Note]:
    """That few pairs keep a rhythm over some distance, on one of several links with their pairs."""
    if any(
        0 < pairs <= _IN_STEP_PAIRS_MAX
        and len(layout.ctcs) > 1
        and any(fibre.km for fibre in layout.fibres)
        for layout, pairs in loads
    ):
        yield Note(
            NoteKind.IN_STEP,
            "The guests of so few pairs go in step, and the distance decides how many messages "
            "meet in a package: a shorter fibre may be up to a fifth slower, as a sweep shows.",
        )


def _rule(layout: Layout) -> Iterator[Note]:
    if any(fibre.profile.link_gbps > RULE_GBPS_MAX for fibre in layout.fibres):
        yield Note(
            NoteKind.RULE,
            f"The rule of thumb was published up to {RULE_GBPS_MAX} Gb/s; it is taken to grow on "
            "with the link's speed.",
        )


def _disks(*links: Layout) -> Iterator[Note]:
    """That disks use channels of the links too."""
    channels = dict.fromkeys(
        " = ".join(fibre.channel_ends(end, node))
        for link in links
        for fibre in link.fibres
        for end, node in enumerate(link.nodes)
        if fibre.disks[end] != NOTHING
    )
    if channels:
        yield Note(
            NoteKind.DISKS,
            f"Disks use {listed([*channels])} too, and slow every link there: the figures have "
            "them.",
        )


def _machines(*links: Layout) -> Iterator[Note]:
    """That CP is a z10's, of features that no z10 has had; a site's fit may know better.

    And that a machine has a feature only from the one before, where a new one was to be ordered.
    """
    from isfc.layout.machines import Card, find_machine, machines_with  # not by rule of thumb

    ends = dict.fromkeys(
        (on.machine if on else "", fibre.profile.feature)
        for link in links
        for on in link.machines
        if on or not link.site
        for fibre in link.fibres
    )
    had = {feature: machines_with(feature) for machine, feature in ends if not machine}
    if later := [f"{name}: {those}" for name, those in had.items() if "z10" not in those]:
        yield Note(
            NoteKind.MACHINE,
            "Without machine in the layout CP is as fast as on the z10 EC that IBM measured, which "
            f"never had these cards. Machines that had (general knowledge) {'; '.join(later)}.",
        )
    rows = [(find_machine(machine), feature) for machine, feature in ends if machine]
    if said := [
        f"{row.name} is ordered with FICON {row.ordered.replace(' ', ' or ')}, and {feature} is "
        "carried forward"
        for row, feature in rows
        if row.card(feature) is Card.CARRIED
    ]:
        yield Note(NoteKind.MACHINE, f"By general knowledge a {'; a '.join(said)} only.")


def _profile(layout: Layout) -> Iterator[Note]:
    if layout.site is not None:
        features = (fibre.profile.feature for fibre in layout.fibres)
        yield Note(NoteKind.PROFILE, layout.site.describe(features))
