"""Who may come: with which greeting, whose process, with which certificate, and how often."""

import asyncio
import os
import socket
import struct
import subprocess
import time
from contextlib import ExitStack, suppress
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ctc.address import Rdev
from isfc.errors import ConfigurationError, WireError
from isfc.link.name import NodeName
from isfc.live import admission
from isfc.live.admission import (
    ADDRESSES,
    ADDRESSES_MAX,
    GREETING_LENGTH_MAX,
    GREETINGS,
    GREETINGS_PER_S,
    REASON_LENGTH_MAX,
    Accept,
    Admission,
    Hello,
    Refusal,
    certificate_names,
    decode_greeting,
    encode_greeting,
    fault,
    foreign_user,
    greeting_length,
    link_digest,
    program_digest,
)
from isfc.live.endpoint import TcpEndpoint
from isfc.testing.pair import Setup
from tests.live.pair import LiveSide
from tests.waiting import PATIENCE_S

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
        (structs.replace(THEIRS, node="CHICAGO"), "node CHICAGO is not BOSTON"),
        (structs.replace(THEIRS, partner="CHICAGO"), "BOSTON wants CHICAGO, and this is ATLANTA"),
        (
            structs.replace(THEIRS, partner_rdev=Rdev(0x6001)),
            "BOSTON joins its 7000 to our 6001, and ATLANTA joins its 6000 to 7000",
        ),
        (structs.replace(THEIRS, digest=b"e" * 32), "BOSTON and ATLANTA have different layouts"),
        (
            structs.replace(THEIRS, program=program_digest("HL 50 ATLANTA")),
            "BOSTON and ATLANTA have different workloads, or versions",
        ),
        (
            structs.replace(THEIRS, dilation=5),
            "BOSTON goes at pace modelled with dilation 5, and ATLANTA at none",
        ),
        (
            structs.replace(THEIRS, capabilities=1),
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


NOBODY = 65_534

OTHERS_COUNT = 400
LOOKUP_S_MAX = 0.001
"""Seconds of the processor, those within the system included; 10 us as a rule."""

SPEAK = """\
import socket, sys
connection = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
connection.sendall(bytes.fromhex(sys.argv[2]))
sys.stdout.write(connection.recv(1000).hex())
"""


def test_a_connection_that_nobody_has_is_nobodys() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        address = listener.getsockname()
        with socket.create_connection(address, PATIENCE_S) as there:
            reason = foreign_user(there)  # nobody has accepted it yet
            assert reason is not None
            assert reason.startswith("nobody knows")
            here, _ = listener.accept()
            there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            there.close()
        with here:  # its other end is gone, though somebody listens at its address
            with pytest.raises(OSError, match="not connected"):
                here.getpeername()
            reason = foreign_user(here)
            assert reason is not None
            assert reason.startswith("nobody knows")


def test_who_listens_at_the_address_of_a_connection_is_not_who_has_it() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        owner = admission._owner  # noqa: SLF001  # a connection that never was
        assert owner(socket.AF_INET, listener.getsockname(), ("127.0.0.1", 1)) is None


def test_other_connections_cost_nothing() -> None:
    """Reading the table of all of them took some 40 ms for each 10,000."""
    with socket.create_server(("127.0.0.1", 0), backlog=OTHERS_COUNT) as listener, ExitStack() as s:
        listener.settimeout(PATIENCE_S)
        address = listener.getsockname()
        for _ in range(OTHERS_COUNT):
            s.enter_context(socket.create_connection(address, PATIENCE_S))
            here, _ = listener.accept()
            s.enter_context(here)
        durations_s = []
        for _ in range(20):
            begin_s = time.thread_time()
            assert foreign_user(here) is None
            durations_s.append(time.thread_time() - begin_s)
        assert min(durations_s) < LOOKUP_S_MAX


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_connection_within_this_process_is_ours(
    host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listener = socket.create_server((host, 0), family=family)
    except OSError:
        pytest.skip(f"there is no {host}")
    listener.settimeout(PATIENCE_S)
    with listener, socket.create_connection(listener.getsockname()[:2], PATIENCE_S) as there:
        here, _ = listener.accept()
        with here:
            assert foreign_user(here) is None
            assert foreign_user(there) is None
            monkeypatch.setattr(os, "getuid", lambda: 12_345)
            assert foreign_user(here) == (
                f"a process of another user, {os.geteuid()}: it takes TLS, or --insecure"
            )
            monkeypatch.setattr(admission, "_NETLINK_SOCK_DIAG", 31)  # nobody answers there
            reason = foreign_user(here)
            assert reason is not None
            assert reason.startswith("nobody knows")


async def test_where_users_cannot_be_told_tls_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "_NETLINK_SOCK_DIAG", 31)  # nobody answers there

    side = LiveSide(Setup().definition(0), 1)
    with pytest.raises(ConfigurationError, match=r"by other users: give --cert.*--insecure"):
        await side.attachments.listen(TcpEndpoint("127.0.0.1", 0))
    await side.attachments.listen(TcpEndpoint("127.0.0.1", 0), insecure=True)
    await side.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("insecure", [False, True])
async def test_another_user_of_this_machine_is_refused(insecure: bool) -> None:
    first, second = (LiveSide(Setup().definition(here), here + 1) for here in (0, 1))
    endpoint = await first.attachments.listen(TcpEndpoint("127.0.0.1", 0), insecure=insecure)
    assert isinstance(endpoint, TcpEndpoint)
    rdev = second.engine.definition.ctcs[0].device.rdev
    words = (str(endpoint.port), encode_greeting(second.attachments.hello(rdev)).hex())

    def speak() -> bytes:
        command = ("/usr/bin/env", "python3", "-I", "-c", SPEAK, *words)
        told = subprocess.run(
            command, user=NOBODY, cwd="/", capture_output=True, check=True, timeout=60
        )
        return bytes.fromhex(told.stdout.decode())

    answer = decode_greeting(await asyncio.to_thread(speak))
    assert isinstance(answer, Refusal) is not insecure
    if isinstance(answer, Refusal):
        assert answer.reason == "a process of another user, 65534: it takes TLS, or --insecure"
    for side in (first, second):
        await side.close()


def test_a_certificate_is_for_its_common_name_and_its_dns_names() -> None:
    certificate = {
        "subject": ((("countryName", "US"),), (("commonName", "atlanta"),)),
        "subjectAltName": (("DNS", "Boston"), ("IP Address", "127.0.0.1")),
    }
    assert certificate_names(certificate) == {"ATLANTA", "BOSTON"}
    assert certificate_names({}) == set()


class Clock:
    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


def admitted(admission: Admission, address: str, count: int = 100_000) -> int:
    """Of so many that come together from one address."""
    return sum(admission.admits(address) for _ in range(count))


@pytest.mark.parametrize("links", [1, 3])
def test_address_has_its_greetings_for_each_link_and_then_so_many_a_second(links: int) -> None:
    admission = Admission(links, clock := Clock())
    assert admitted(admission, "a") == links * GREETINGS
    clock.now_s += 2.0
    assert admitted(admission, "a") == 2 * GREETINGS_PER_S
    clock.now_s += 1e6
    assert admitted(admission, "a") == links * GREETINGS


def test_one_address_takes_nothing_from_another_and_all_together_have_a_limit() -> None:
    admission = Admission(1, Clock())
    assert [admitted(admission, f"{n}", 1000) for n in range(ADDRESSES + 2)] == [
        *[GREETINGS] * ADDRESSES,
        0,
        0,
    ]


def test_partner_has_no_limit_and_is_forgotten_only_for_so_many_others() -> None:
    admission = Admission(1, Clock())
    admission.know("partner")
    assert admitted(admission, "partner") == 100_000
    for number in range(ADDRESSES_MAX - 1):
        admission.know(f"{number}")
    assert admitted(admission, "partner", 1000) == 1000
    for number in range(ADDRESSES_MAX):
        admission.know(f"{number}")
    assert admitted(admission, "partner", 1000) == GREETINGS
