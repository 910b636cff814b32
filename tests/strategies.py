"""Every strategy: what the properties are tried on."""

from hypothesis import strategies as st

from ctc.frame import CommandFrame, DataFrame, Frame, Signal, StatusFrame
from ctc.profiles import FEATURES
from ctc.subchannel import Command
from isfc.engine.wire import FRAME_LENGTH_MAX
from isfc.link.message import Message, Traffic
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
