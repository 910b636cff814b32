"""Strategies of hypothesis: names, layouts, workloads, messages, frames, plans of what happens.

`LinkMachine` is a state machine of hypothesis. Subclass it and add rules and invariants of your
own, which use ``self.pair``; or run it as it is: ``TestLink = LinkMachine.TestCase``.
"""

from collections.abc import Sequence
from typing import TypeVar

from ctc.address import CHPID_MAX, RDEV_MAX, ChpidId, Rdev
from ctc.features import FEATURES, ChpidProfile, find_profile
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.subchannel import Command
from isfc.engine.wire import FRAME_LENGTH_MAX, NUMBER_MAX
from isfc.errors.loading import missing_library
from isfc.layout.catalogue import load_layout
from isfc.layout.checked_toml import TABLE_NAME_LENGTH_MAX
from isfc.layout.collection import Collection
from isfc.layout.document import KM_MAX, LINK_GBPS_MIN
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.message import Message, Traffic
from isfc.link.name import NAME_LENGTH_MAX, NodeName
from isfc.link.package import Package
from isfc.link.scan import CTCS_MAX, LinkDevice
from isfc.testing.invariants import Ledger
from isfc.testing.pair import BOTH_FAIL, FIRST_WINS, MS, NAMES, SECOND_WINS, US, Pair, Setup
from isfc.testing.steps import (
    ActivateCtc,
    DeactivateCtc,
    Plug,
    SendMessages,
    Step,
    Unplug,
    VaryCtcChpid,
    VaryRdev,
    Wait,
)
from scenarios.faults.fault import (
    DRAWN,
    DRAWN_COUNT,
    Fault,
    FaultKind,
    chpids_of,
    draw_fault,
    with_chpid,
)
from scenarios.runs.workload import WINDOW_MAX, Workload

try:
    from hypothesis import strategies as st
    from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing_library("hypothesis", __name__), name="hypothesis") from error

UINT32_MAX = 2**32 - 1
MESSAGES_MAX = 5
MESSAGE_LENGTH_MAX = FRAME_LENGTH_MAX // MESSAGES_MAX

conversations = st.integers(0, 3)
traffics = st.sampled_from(Traffic)

lengths = st.one_of(
    st.integers(1, 10_000),
    st.sampled_from([98_304, 122_880]),
    st.integers(1, 1_000_000),
)
"""Bytes of a message: small ones, those that open a CTC, and those that are cut."""

ctc_counts = st.one_of(st.integers(1, 4), st.integers(5, CTCS_MAX))

arbitrations = st.sampled_from([BOTH_FAIL, FIRST_WINS, SECOND_WINS])


names = st.text(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_", min_size=1, max_size=NAME_LENGTH_MAX
).map(NodeName)
"""Names of systems."""


def node_names() -> st.SearchStrategy[tuple[NodeName, NodeName]]:
    """Two systems' names; either may come first."""
    return st.tuples(names, names).filter(lambda both: both[0] != both[1])


_T = TypeVar("_T")


def _so_many(
    each: st.SearchStrategy[_T], count: int, *, unique: bool = True
) -> st.SearchStrategy[list[_T]]:
    return st.lists(each, min_size=count, max_size=count, unique=unique)


def rdev_sets(count: int) -> st.SearchStrategy[tuple[Rdev, ...]]:
    """So many device numbers of one system: in one range, or anywhere in any order."""
    numbers = st.integers(0, RDEV_MAX).map(Rdev)
    return st.one_of(
        st.integers(0, RDEV_MAX + 1 - count).map(
            lambda start: tuple(Rdev(start + index) for index in range(count))
        ),
        _so_many(numbers, count).map(tuple),
    )


@st.composite
def islinks(draw: st.DrawFn) -> tuple[LinkDevice, ...]:
    """The CTCs of one logical link as one of its systems sees them, in any order."""
    rdevs, partner_rdevs = draw(rdev_sets(CTCS_MAX)), draw(rdev_sets(CTCS_MAX))
    pairs = zip(rdevs, partner_rdevs, strict=True)
    return tuple([LinkDevice(*pair) for pair in pairs][: draw(st.integers(1, CTCS_MAX))])


kilometres = st.sampled_from([0.0, 10.0]) | st.floats(0, KM_MAX)
"""Lengths of fibres."""


def _at_any_speed(feature: ChpidProfile) -> st.SearchStrategy[ChpidProfile]:
    """A feature whose link runs as fast as it can, or slower."""
    most = feature.link_gbps
    usual = [speed for speed in (1, 2, 4, 8) if speed <= most]
    slower = st.sampled_from(usual) | st.floats(LINK_GBPS_MIN, most)
    return st.builds(find_profile, st.just(feature.feature), st.none() | slower)


profiles = st.sampled_from([FEATURES[name] for name in sorted(FEATURES)]).flatmap(_at_any_speed)
"""FICON features, at their own speed or slower."""

_fibre_names = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=TABLE_NAME_LENGTH_MAX
).filter(str.isprintable)


@st.composite
def layouts(draw: st.DrawFn, ctc_counts: st.SearchStrategy[int] = ctc_counts) -> Layout:
    """A logical link with any names, device numbers and chpids, its CTCs on any of its fibres."""
    ctc_count = draw(ctc_counts)
    fibre_count = draw(st.integers(1, min(4, ctc_count)))
    first, second = sorted(draw(node_names()), key=lambda name: name.collation)
    chpids = _so_many(st.integers(0, CHPID_MAX).map(ChpidId), fibre_count)
    names = draw(_so_many(_fibre_names, fibre_count))
    fibres = tuple(
        Fibre(name, draw(profiles), pair, km=draw(kilometres))
        for name, pair in zip(names, zip(draw(chpids), draw(chpids), strict=True), strict=True)
    )
    fibre_numbers = st.integers(0, fibre_count - 1)
    uses = [*range(fibre_count)]  # every fibre carries something
    uses += draw(_so_many(fibre_numbers, ctc_count - fibre_count, unique=False))
    rdevs = zip(draw(rdev_sets(ctc_count)), draw(rdev_sets(ctc_count)), strict=True)
    ctcs = [CtcPair(fibres[use], pair) for use, pair in zip(uses, rdevs, strict=True)]
    return Layout((first, second), fibres, tuple(draw(st.permutations(ctcs))))


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """What guests send each other, of either kind of traffic."""
    shortest, longest = sorted((draw(lengths), draw(lengths)))
    traffic = draw(traffics)
    windows = st.one_of(st.integers(1, 4), st.integers(1, WINDOW_MAX))
    return Workload(
        "drawn",
        shortest,
        longest,
        draw(st.floats(0, 100)),
        draw(lengths),
        draw(windows) if traffic is Traffic.TRANSPORT else 1,
        traffic,
    )


@st.composite
def setups(draw: st.DrawFn, ctc_counts: st.SearchStrategy[int] = ctc_counts) -> Setup:
    """What a pair is made of: often with names and device numbers of its own."""
    ctc_count = draw(ctc_counts)
    own = draw(st.booleans())
    rdevs = st.tuples(rdev_sets(ctc_count), rdev_sets(ctc_count))
    return Setup(
        ctc_count=ctc_count,
        fibre_count=draw(st.integers(1, min(4, ctc_count))),
        feature=draw(st.sampled_from(sorted(FEATURES))),
        arbitrations=draw(arbitrations),
        propagation_ns=draw(st.sampled_from([1 * US, 50 * US, MS // 2])),
        roundtrip=draw(st.booleans()),
        names=draw(node_names()) if own else NAMES,
        rdevs=draw(rdevs) if own else None,
    )


sides = st.integers(0, 1)
indexes = st.integers(0, CTCS_MAX - 1)

pauses = st.builds(Wait, st.one_of(st.integers(1, 300 * US), st.integers(1, 50 * MS)))
"""Microseconds, in which something is under way, or long enough for much to happen."""

sends = st.builds(
    SendMessages,
    here=sides,
    lengths=st.lists(lengths, min_size=1, max_size=8).map(tuple),
    conversation=conversations,
    traffic=traffics,
)

cuts = st.one_of(st.builds(Unplug, indexes), st.builds(Plug, indexes))
"""CTCs lost and restored."""

operations = st.one_of(
    st.builds(DeactivateCtc, sides, indexes),
    st.builds(ActivateCtc, sides, indexes),
    st.builds(VaryCtcChpid, sides, indexes, st.booleans()),
    st.builds(VaryRdev, sides, indexes, st.booleans()),
)
"""What operators do at either system."""


@st.composite
def traffic_plans(draw: st.DrawFn) -> list[Step]:
    """Both sides send, now and then, and nothing goes wrong. The first step sends something."""
    return [draw(sends), *draw(st.lists(st.one_of(sends, pauses), max_size=20))]


def fault_plans() -> st.SearchStrategy[list[Step]]:
    """CTCs are lost, restored, deactivated and varied off, at any time and by either side."""
    return st.lists(st.one_of(cuts, operations, pauses), max_size=15)


@st.composite
def faults(
    draw: st.DrawFn,
    kind: FaultKind | None = None,
    layout: str | Layout = "atlanta-boston",
    until_ns: int = 100 * MS,
) -> Fault:
    """A fault of one kind, or of any, at either system, that begins before ``until_ns``.

    It lasts up to 30 ms, and fits `isfc.testing.run_programs` over the same layout.
    """
    link = layout if isinstance(layout, Layout) else load_layout(layout)
    what = draw(st.sampled_from(DRAWN)) if kind is None else kind
    collection = Collection.of(link)
    places = chpids_of(collection)
    place = draw(st.sampled_from([*places]))
    at_ns = draw(st.integers(0, until_ns - 1))
    drawn = draw_fault(draw(st.randoms(use_true_random=False)), [what], at_ns, [place])
    return with_chpid(drawn, places[place], collection)


def fault_schedules(
    layout: str | Layout = "atlanta-boston",
    kinds: Sequence[FaultKind] = DRAWN,
    until_ns: int = 100 * MS,
) -> st.SearchStrategy[list[Fault]]:
    """Up to five faults of some kinds, by their times: `isfc.testing.run_programs` takes them."""
    one = st.one_of([faults(kind, layout, until_ns) for kind in kinds])
    return st.lists(one, max_size=DRAWN_COUNT).map(
        lambda found: sorted(found, key=lambda fault: fault.at_ns)
    )


def eventful_plans() -> st.SearchStrategy[list[Step]]:
    """Traffic and faults, mixed."""
    return st.lists(st.one_of(sends, sends, pauses, pauses, cuts, operations), max_size=25)


@st.composite
def colliding_plans(draw: st.DrawFn) -> list[Step]:
    """Both sides send at the same instant, again and again.

    A pair of one CTC collides each time that its CTC is free then.
    """
    plan: list[Step] = []
    for length, conversation, pause in draw(
        st.lists(st.tuples(lengths, conversations, pauses), min_size=1, max_size=10)
    ):
        plan += [SendMessages(here, (length,), conversation) for here in (0, 1)]
        plan.append(pause)
    return plan


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """A message as it travels: numbered, maybe a segment, maybe with its data."""
    data = draw(st.none() | st.binary(max_size=200))
    length = draw(st.integers(0, MESSAGE_LENGTH_MAX)) if data is None else len(data)
    message = Message(draw(st.integers(0, UINT32_MAX)), length, draw(traffics), data)
    message.serial = draw(st.integers(0, NUMBER_MAX))
    message.more = draw(st.booleans())
    return message


@st.composite
def packages(draw: st.DrawFn) -> Package:
    """A package of a few messages."""
    inside = draw(st.lists(messages(), min_size=1, max_size=MESSAGES_MAX))
    payload_length = sum(message.length for message in inside)
    return Package(draw(st.integers(0, NUMBER_MAX)), inside, payload_length)


serials = st.integers(0, NUMBER_MAX)
frames: st.SearchStrategy[Frame] = st.one_of(
    st.builds(
        CommandFrame,
        st.sampled_from(Command),
        serials,
        st.integers(0, UINT32_MAX),
        st.integers(0, UINT32_MAX),
    ),
    st.builds(DataFrame, packages(), serials),
    st.builds(StatusFrame, st.sampled_from(Signal), serials),
)


class LinkMachine(RuleBasedStateMachine):
    """Two nodes; all invariants hold after every step, and at the end everything arrives."""

    setups: st.SearchStrategy[Setup] = setups()
    """What the pair is made of; a subclass may have another."""

    def __init__(self) -> None:
        super().__init__()
        self.begin_with(Setup())

    @initialize(data=st.data())
    def begin(self, data: st.DataObject) -> None:
        """Begin with a pair that is drawn."""
        self.begin_with(data.draw(type(self).setups))

    def begin_with(self, setup: Setup) -> None:
        """Begin with a pair of this make."""
        self.pair = Pair(setup)
        self.ledger = Ledger(self.pair)

    @rule(step=sends)
    def send(self, step: SendMessages) -> None:
        """One side sends."""
        self.pair.do(step)

    @rule(length=lengths)
    def collide(self, length: int) -> None:
        """Both sides send at the same instant."""
        for side in self.pair.sides:
            self.pair.send(side, length)

    @rule(step=pauses)
    def wait(self, step: Wait) -> None:
        """Time passes."""
        self.pair.do(step)

    @rule(step=cuts)
    def lose_or_restore_a_ctc(self, step: Step) -> None:
        """A CTC is cut, or comes back."""
        self.pair.do(step)

    @rule(step=operations)
    def operate(self, step: Step) -> None:
        """An operator does something."""
        self.pair.do(step)

    @invariant()
    def all_holds(self) -> None:
        """What must hold after every step."""
        self.ledger.check()

    def teardown(self) -> None:
        """Restore everything: then everything arrives, and the link is as good as new."""
        self.pair.restore()
        self.ledger.check_end()
