"""Every strategy: what the properties are tried on."""

from hypothesis import strategies as st

from ctc.address import ChpidId, Rdev
from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.profiles import FEATURES, find_profile
from ctc.subchannel import Command
from isfc.engine.wire import FRAME_LENGTH_MAX
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.link.package import Package
from isfc.link.schedule import CTCS_MAX
from tests.pair import BOTH_FAIL, FIRST_WINS, MS, SECOND_WINS, US, Setup

UINT32_MAX = 2**32 - 1
UINT64_MAX = 2**64 - 1
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


@st.composite
def setups(draw: st.DrawFn, ctc_counts: st.SearchStrategy[int] = ctc_counts) -> Setup:
    """What a pair is made of."""
    ctc_count = draw(ctc_counts)
    return Setup(
        ctc_count=ctc_count,
        fibre_count=draw(st.integers(1, min(4, ctc_count))),
        feature=draw(st.sampled_from(sorted(FEATURES))),
        arbitrations=draw(arbitrations),
        propagation_ns=draw(st.sampled_from([1 * US, 50 * US, MS // 2])),
        roundtrip=draw(st.booleans()),
    )


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """A message as it travels: numbered, maybe a segment, maybe with its data."""
    data = draw(st.none() | st.binary(max_size=200))
    length = draw(st.integers(0, MESSAGE_LENGTH_MAX)) if data is None else len(data)
    message = Message(draw(st.integers(0, UINT32_MAX)), length, draw(traffics), data)
    message.serial = draw(st.integers(0, UINT64_MAX))
    message.more = draw(st.booleans())
    return message


@st.composite
def packages(draw: st.DrawFn) -> Package:
    """A package of a few messages."""
    inside = draw(st.lists(messages(), min_size=1, max_size=MESSAGES_MAX))
    payload_length = sum(message.length for message in inside)
    return Package(draw(st.integers(0, UINT64_MAX)), inside, payload_length)


serials = st.integers(0, UINT64_MAX)
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

names = st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_", min_size=1, max_size=8).map(NodeName)


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """A layout that a layout file may hold: any names, features, chpids and device numbers."""
    nodes = draw(st.lists(names, min_size=2, max_size=2, unique=True))
    first, second = sorted(nodes, key=lambda node: node.collation)
    fibre_names = draw(
        st.lists(
            st.text(
                st.characters(exclude_categories=["Cs"]), min_size=1, max_size=32
            ).filter(str.isprintable),
            min_size=1,
            max_size=4,
            unique=True,
        )
    )  # fmt: skip
    count = len(fibre_names)
    chpids = [
        draw(st.lists(st.integers(0, 0xFF), min_size=count, max_size=count, unique=True))
        for _ in range(2)
    ]
    fibres = [
        Fibre(name, draw(profiles), (ChpidId(here), ChpidId(there)))
        for name, here, there in zip(fibre_names, *chpids, strict=True)
    ]
    ctc_count = draw(st.integers(count, 16))
    rdevs = [draw(_rdevs(ctc_count)) for _ in range(2)]
    ridden = [*fibres, *draw(st.lists(st.sampled_from(fibres), min_size=16, max_size=16))]
    ctcs = [
        CtcPair(fibre, (Rdev(here), Rdev(there)))
        for fibre, here, there in zip(ridden[:ctc_count], *rdevs, strict=True)
    ]
    return Layout((first, second), tuple(fibres), tuple(draw(st.permutations(ctcs))))


profiles = st.builds(
    find_profile,
    st.sampled_from(sorted(FEATURES)),
    st.none() | st.sampled_from([1, 2, 4, 8]) | st.floats(0.1, 128),
)


@st.composite
def _rdevs(draw: st.DrawFn, count: int) -> list[int]:
    """So many different device numbers, in one range or anywhere."""
    if draw(st.booleans()):
        start = draw(st.integers(0, 0x10000 - count))
        return list(range(start, start + count))
    return draw(st.lists(st.integers(0, 0xFFFF), min_size=count, max_size=count, unique=True))
