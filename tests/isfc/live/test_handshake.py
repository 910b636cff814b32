"""What the ends of a connection say before the link's frames."""

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctc.address import Rdev
from isfc.errors import WireError
from isfc.link.name import NodeName
from isfc.live.handshake import (
    GREETING_LENGTH_MAX,
    REASON_LENGTH_MAX,
    Accept,
    Hello,
    Refusal,
    decode_greeting,
    encode_greeting,
    fault,
    greeting_length,
    link_digest,
    program_digest,
)
from isfc.testing.pair import Setup

OURS = Hello("ATLANTA", "BOSTON", Rdev(0x6000), Rdev(0x7000), 1, 0, 0, b"d" * 32)
THEIRS = Hello("BOSTON", "ATLANTA", Rdev(0x7000), Rdev(0x6000), 2, 0, 0, b"d" * 32)

names = st.text("ABC19$#@_", min_size=1, max_size=8).map(NodeName)
rdevs = st.integers(0, 0xFFFF).map(Rdev)
hellos = st.builds(
    Hello,
    names,
    names,
    rdevs,
    rdevs,
    st.integers(0, 2**64 - 1),
    st.integers(0, 2**32 - 1),
    st.integers(0, 2**32 - 1),
    st.binary(min_size=32, max_size=32),
    st.binary(min_size=8, max_size=8),
)
reasons = st.text(st.characters(codec="ascii", categories=("L", "N", "P")), max_size=100)


@given(st.one_of(hellos, st.just(Accept()), st.builds(Refusal, reasons)))
def test_a_greeting_comes_out_as_it_went_in(greeting: Hello | Accept | Refusal) -> None:
    data = encode_greeting(greeting)
    assert len(data) <= GREETING_LENGTH_MAX
    assert greeting_length(data + b"more") == len(data)
    assert decode_greeting(data) == greeting


@given(st.binary(max_size=600))
def test_arbitrary_bytes_are_no_greeting_and_nothing_worse(data: bytes) -> None:
    with pytest.raises(WireError):
        decode_greeting(data)


@given(st.one_of(hellos, st.just(Accept())), st.data())
def test_a_mutated_greeting_is_one_or_is_refused(
    greeting: Hello | Accept, data: st.DataObject
) -> None:
    mutated = bytearray(encode_greeting(greeting))
    mutated[data.draw(st.integers(0, len(mutated) - 1))] = data.draw(st.integers(0, 255))
    with suppress(WireError):
        decode_greeting(mutated)


def test_the_length_is_unknown_until_the_prefix_is_there() -> None:
    data = encode_greeting(OURS)
    assert [greeting_length(data[:count]) for count in range(8)] == [None] * 8
    assert greeting_length(data[:8]) == len(data)


def test_a_stranger_shows_with_his_first_wrong_byte() -> None:
    with pytest.raises(WireError, match="no greeting"):
        greeting_length(b"GET / HTTP/1.1")


def test_another_version_is_named() -> None:
    data = bytearray(encode_greeting(OURS))
    data[6] = 9
    with pytest.raises(WireError, match="speaks version 9"):
        decode_greeting(data)


def test_a_refusal_of_any_version_is_understood_and_is_safe_to_print() -> None:
    data = bytearray(encode_greeting(Refusal("no \x1b[31m" + "x" * 400)))
    data[6] = 9
    refusal = decode_greeting(data)
    assert isinstance(refusal, Refusal)
    assert refusal.reason.startswith("no ?[31mx")
    assert len(refusal.reason) == REASON_LENGTH_MAX


def test_two_ends_of_one_ctc_fit() -> None:
    assert fault(OURS, THEIRS) is None
    assert fault(THEIRS, OURS) is None


@pytest.mark.parametrize(
    ("theirs", "reason"),
    [
        (replace(THEIRS, node="CHICAGO"), "node CHICAGO is not BOSTON"),
        (replace(THEIRS, partner="CHICAGO"), "BOSTON wants CHICAGO, and this is ATLANTA"),
        (
            replace(THEIRS, partner_rdev=Rdev(0x6001)),
            "BOSTON joins its 7000 to our 6001, and ATLANTA joins its 6000 to 7000",
        ),
        (replace(THEIRS, digest=b"e" * 32), "BOSTON and ATLANTA have different layouts"),
        (
            replace(THEIRS, program=program_digest("HL 50 ATLANTA")),
            "BOSTON and ATLANTA have different workloads",
        ),
        (
            replace(THEIRS, dilation=5),
            "BOSTON goes at pace modelled with dilation 5, and ATLANTA at none",
        ),
        (
            replace(THEIRS, capabilities=1),
            "one of BOSTON and ATLANTA verifies messages, and the other does not",
        ),
    ],
)
def test_whatever_does_not_fit_is_named(theirs: Hello, reason: str) -> None:
    assert (fault(OURS, theirs) or "").startswith(reason)


def test_both_ends_of_a_layout_have_one_digest_and_other_layouts_another() -> None:
    digests = [link_digest(Setup().definition(here)) for here in (0, 1)]
    others = [link_digest(Setup(ctc_count=5).definition(0))]
    others.append(link_digest(Setup(feature="FICON Express4").definition(0)))
    ctcs = tuple(replace(ctc, way_ns=50_000) for ctc in Setup().definition(0).ctcs)
    others.append(link_digest(replace(Setup().definition(0), ctcs=ctcs)))
    assert digests[0] == digests[1]
    assert len({digests[0], *others}) == 4
