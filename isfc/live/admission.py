"""Who may come to a node: with which greeting, whose process, which certificate, and how often.

The first frames of every connection are not of the link: each end says hello, and the link's
frames begin only when both hellos fit. The end that connects speaks first::

    connects                              listens
    Hello                ->               checks it, answers Hello or Refusal
    checks it            ->  Accept, or Refusal; from here on the link's frames

All are ``length`` (2 bytes, of all that follows), ``ISFC``, ``version`` (1), ``kind`` (1) and a
body; numbers are big-endian and unsigned. This prefix stays the same in every version, so that
ends of different versions can tell each other so.

Any local user can reach a port of the loopback interface, to connect or to listen there first.
Linux says to whom a connection belongs: netlink's ``sock_diag`` is asked for that one alone, which
takes microseconds however many others there are.
"""

import hashlib
import os
import socket
import ssl
import struct
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import astuple

from ctc.address import Rdev, format_rdev
from isfc.engine.wire import VERSION
from isfc.errors import ConfigurationError, WireError
from isfc.live.accepting import Tls
from isfc.live.endpoint import Endpoint, UnixEndpoint
from isfc.system.link_end import LinkEndDefinition

GREETING_LENGTH_MAX: Final = 512
"""Most bytes of a greeting, its length included: whatever else comes is not one."""

REASON_LENGTH_MAX: Final = 300

VERIFY: Final = 1
"""Capability: a checksum goes with every message (`isfc.programs.verification`)."""

_MAGIC: Final = b"ISFC"
_PREFIX: Final = struct.Struct(">H4sBB")
_LENGTH: Final = 2
_HELLO: Final = struct.Struct(">8s8sHHQII32s8s")

_HELLO_KIND: Final = 1
_ACCEPT_KIND: Final = 2
_REFUSAL_KIND: Final = 3


class Hello(Struct, frozen=True):
    """Who speaks, on which CTC, of which link.

    ``incarnation`` names one incarnation of the node at this end: another number is another node,
    which knows nothing of what went before. ``dilation`` is 0 where the model's times are
    ignored. ``digest`` is `link_digest`, and ``program`` `program_digest`.
    """

    node: str
    partner: str
    rdev: Rdev
    partner_rdev: Rdev
    incarnation: int
    dilation: int
    capabilities: int
    digest: bytes
    program: bytes = bytes(8)


class Accept(Struct, frozen=True):
    """Both hellos fit."""


class Refusal(Struct, frozen=True):
    """They do not, and why."""

    reason: str


Greeting = Hello | Accept | Refusal


def link_digest(definition: LinkEndDefinition) -> bytes:
    """32 bytes that are the same at both ends if and only if they are defined alike.

    What both ends know of the link: the two names, each CTC's two device numbers, the FICON
    feature that joins them, and the length of the fibre if that counts.
    """
    order = 1 if definition.name.precedes(definition.partner) else -1  # the lesser one's first
    names = (definition.name, definition.partner)
    lines = []
    for ctc in definition.ctcs:
        first, second = (ctc.device.rdev, ctc.device.partner_rdev)[::order]
        profile = ctc.profile
        way = f" {ctc.way_ns} ns" if ctc.way_ns else ""
        lines.append(f"{first:04X} {second:04X} {profile.feature} {profile.link_gbps:g}{way}")
    text = "\n".join([*names[::order], *sorted(lines)])
    return hashlib.sha256(text.encode()).digest()


def program_digest(words: str) -> bytes:
    """8 bytes for what runs over a link, in words that must be the same at both ends."""
    return hashlib.sha256(words.encode()).digest()[:8]


def fault(ours: Hello, theirs: Hello) -> str | None:
    """Why the partner's hello does not fit ours, in words for both ends; None if it does."""
    if theirs.node != ours.partner:
        return f"node {theirs.node} is not {ours.partner}, the partner of {ours.node}"
    if theirs.partner != ours.node:
        return f"{theirs.node} wants {theirs.partner}, and this is {ours.node}"
    if (theirs.rdev, theirs.partner_rdev) != (ours.partner_rdev, ours.rdev):
        return (
            f"{theirs.node} joins its {format_rdev(theirs.rdev)} to our "
            f"{format_rdev(theirs.partner_rdev)}, and {ours.node} joins its "
            f"{format_rdev(ours.rdev)} to {format_rdev(ours.partner_rdev)}"
        )
    if theirs.digest != ours.digest:
        return f"{theirs.node} and {ours.node} have different layouts"
    if theirs.dilation != ours.dilation:
        return f"{theirs.node} goes at pace {_pace(theirs)}, and {ours.node} at {_pace(ours)}"
    if theirs.capabilities != ours.capabilities:
        return f"one of {theirs.node} and {ours.node} verifies messages, and the other does not"
    if theirs.program != ours.program:
        return f"{theirs.node} and {ours.node} have different workloads, or versions"
    return None


def _pace(hello: Hello) -> str:
    return f"modelled with dilation {hello.dilation}" if hello.dilation else "none"


def encode_greeting(greeting: Greeting) -> bytes:
    """The bytes of a greeting, its length first."""
    if isinstance(greeting, Hello):
        node, partner, *others = astuple(greeting)
        kind, body = _HELLO_KIND, _HELLO.pack(node.encode(), partner.encode(), *others)
    elif isinstance(greeting, Accept):
        kind, body = _ACCEPT_KIND, b""
    else:
        kind, body = _REFUSAL_KIND, greeting.reason.encode()[:REASON_LENGTH_MAX]
    return _PREFIX.pack(_PREFIX.size - _LENGTH + len(body), _MAGIC, VERSION, kind) + body


def greeting_length(data: bytes | bytearray | memoryview) -> int | None:
    """How many bytes the greeting that ``data`` begins with has; None if that is not yet known.

    Raises `WireError` for what cannot become a greeting, as early as that shows.
    """
    expected = _MAGIC[: max(0, len(data) - _LENGTH)]
    if bytes(data[_LENGTH : _LENGTH + len(_MAGIC)]) != expected:
        raise WireError("no greeting", _LENGTH)
    if len(data) < _PREFIX.size:
        return None
    length = _LENGTH + int.from_bytes(data[:_LENGTH], "big")
    if not _PREFIX.size <= length <= GREETING_LENGTH_MAX:
        raise WireError(f"a greeting of {length} bytes", 0)
    return length


def decode_greeting(data: bytes | bytearray | memoryview) -> Greeting:
    """The one greeting that ``data`` is. Raises `WireError` for anything else."""
    if greeting_length(data) != len(data):
        raise WireError("a greeting whose length is wrong", 0)
    _, _, version, kind = _PREFIX.unpack_from(data)
    body = bytes(data[_PREFIX.size :])
    if kind == _REFUSAL_KIND:  # whatever version says so
        return Refusal(_printable(body.decode("utf-8", "replace")[:REASON_LENGTH_MAX]))
    if version != VERSION:
        raise WireError(f"the partner speaks version {version}, and we speak {VERSION}", _LENGTH)
    if kind == _ACCEPT_KIND and not body:
        return Accept()
    if kind == _HELLO_KIND and len(body) == _HELLO.size:
        node, partner, rdev, partner_rdev, *others = _HELLO.unpack(body)
        return Hello(_name(node), _name(partner), Rdev(rdev), Rdev(partner_rdev), *others)
    raise WireError(f"a greeting of kind {kind}, {len(body)} bytes long", _PREFIX.size)


def _name(field: bytes) -> str:
    return _printable(field.rstrip(b"\0").decode("ascii", "replace"))


def _printable(text: str) -> str:
    """What a partner says goes to a terminal."""
    return "".join(char if char.isprintable() else "?" for char in text)


GREETINGS_PER_S: Final = 20.0
"""Greetings that an address may begin each second, when it has used up its first `GREETINGS`."""

GREETINGS: Final = 64.0
"""Greetings together, for each link of the node: four for each CTC of the largest link."""

ADDRESSES: Final = 8
"""All strangers together may greet as often as so many addresses."""

ADDRESSES_MAX: Final = 256
"""Addresses that are remembered, of strangers and of partners each."""


class Allowance:
    """Greetings that may begin: at most ``most`` of them together, ``per_s`` more each second."""

    def __init__(self, most: float, per_s: float, now_s: float) -> None:
        self._most = self._left = most
        self._per_s = per_s
        self._since_s = now_s

    def has_any(self, now_s: float) -> bool:
        """Whether one more may begin."""
        self._left = min(self._most, self._left + self._per_s * (now_s - self._since_s))
        self._since_s = now_s
        return self._left >= 1.0

    def take(self) -> None:
        """One more begins."""
        self._left -= 1.0


class Admission:
    """Whose connections may greet while partners are there: a stranger's so many, a partner's any.

    Before it is known who is there, a connection costs the loop up to a millisecond, most of it for
    TLS; and one loop serves all links of a node. So an address has an allowance of greetings, and
    all addresses together have one. Beyond it a connection is closed as soon as it is accepted,
    which costs microseconds. Addresses from which a partner has come are free of it. While a
    partner is missing nobody is bound by it: the partner may come from an address of strangers.
    ``link_count`` is of the node's links; ``clock`` gives seconds.
    """

    def __init__(self, link_count: int, clock: Callable[[], float]) -> None:
        self._most = GREETINGS * max(1, link_count)
        self._clock = clock
        self._all = Allowance(ADDRESSES * self._most, ADDRESSES * GREETINGS_PER_S, clock())
        self._strangers: OrderedDict[str, Allowance] = OrderedDict()
        self._partners: OrderedDict[str, None] = OrderedDict()

    def know(self, address: str) -> None:
        """A partner has come from there."""
        self._partners[address] = None
        self._partners.move_to_end(address)
        _forget_oldest(self._partners)

    def admits(self, address: str) -> bool:
        """Whether a connection from there may greet."""
        if address in self._partners:
            self._partners.move_to_end(address)
            return True
        now_s = self._clock()
        own = self._strangers.get(address)
        if own is None:
            own = self._strangers[address] = Allowance(self._most, GREETINGS_PER_S, now_s)
            _forget_oldest(self._strangers)
        self._strangers.move_to_end(address)
        if not (own.has_any(now_s) and self._all.has_any(now_s)):
            return False
        own.take()
        self._all.take()
        return True


def _forget_oldest(known: OrderedDict[str, Allowance] | OrderedDict[str, None]) -> None:
    if len(known) > ADDRESSES_MAX:
        known.popitem(last=False)


def must_check_user(endpoint: Endpoint, tls: Tls | None, *, insecure: bool) -> bool:
    """Whether who is at the other end of an endpoint must be a process of this user's.

    Raises `ConfigurationError` for an endpoint that is not safe.
    """
    if tls or insecure or isinstance(endpoint, UnixEndpoint):
        return False
    remedy = "give --cert, --key and --ca for mutual TLS, or --insecure to do without"
    if not endpoint.private:
        raise ConfigurationError(f"{endpoint} can be reached from other machines: {remedy}")
    if not can_tell_users():
        raise ConfigurationError(f"{endpoint} can be reached by other users: {remedy}")
    return True


def must_check_certificate(endpoint: Endpoint, tls: Tls | None, *, server: bool) -> bool:
    """Whether who is at the other end of an endpoint must show a certificate: not on Unix sockets.

    Raises `ConfigurationError` for a context that is of the other side of TLS.
    """
    if tls is None or isinstance(endpoint, UnixEndpoint):
        return False
    wrong = ssl.PROTOCOL_TLS_CLIENT if server else ssl.PROTOCOL_TLS_SERVER
    if isinstance(tls, ssl.SSLContext) and tls.protocol is wrong:
        raise ConfigurationError(
            "tls: a context of a client, and this node listens: expected one of a server"
            if server
            else f"tls: a context of a server, and this node connects to {endpoint}: expected one "
            "of a client, as connect_tls if it listens too"
        )
    return True


def certificate_names(certificate: dict[str, Any]) -> set[str]:
    """The names a certificate is for, as `ssl` gives it: its common name and its DNS names."""
    subject = {pair for part in certificate.get("subject", ()) for pair in part}
    names = [name for key, name in subject if key == "commonName"]
    names += [name for key, name in certificate.get("subjectAltName", ()) if key == "DNS"]
    return {name.upper() for name in names}


_NETLINK_SOCK_DIAG: Final = 4
_SOCK_DIAG_BY_FAMILY: Final = 20
_NLM_F_REQUEST: Final = 1
_ANY: Final = 0xFFFF_FFFF
_LISTENING: Final = 10
"""From linux/netlink.h, linux/sock_diag.h and net/tcp_states.h."""

_HEADER: Final = struct.Struct("=I H H I I")  # struct nlmsghdr
_ASK: Final = struct.Struct("=B B B x I")  # the begin of struct inet_diag_req_v2
_ENDS: Final = struct.Struct("!H H 16s 16s")  # that of struct inet_diag_sockid
_REST: Final = struct.Struct("=I I I")  # its interface and cookie
_FOUND: Final = struct.Struct("=B B B B")  # the begin of struct inet_diag_msg
_OWNER: Final = struct.Struct("=I I I I I")  # its end: expires, two queues, uid, inode
_ANSWER_LENGTH_MAX: Final = 8_192


def can_tell_users() -> bool:
    """Whether this system says whose a connection is: Linux does, macOS does not."""
    if not hasattr(socket, "AF_NETLINK"):
        return False
    try:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            address = listener.getsockname()
            with socket.create_connection(address) as connection:
                return _owner(socket.AF_INET, connection.getsockname(), address) is not None
    except OSError:
        return False


def foreign_user(connection: socket.socket) -> str | None:
    """Why the other end of a connection on this machine is not ours; None if it is."""
    try:
        uid = _owner(connection.family, connection.getpeername(), connection.getsockname())
    except (OSError, AttributeError):  # a system without netlink has no AF_NETLINK either
        uid = None
    if uid is None:
        return "nobody knows whose process this is: it takes TLS, or --insecure"
    if uid != os.getuid():
        return f"a process of another user, {uid}: it takes TLS, or --insecure"
    return None


def _owner(family: int, local: tuple[str | int, ...], remote: tuple[str | int, ...]) -> int | None:
    """Who has the connection between two places; None if nobody has. Raises `OSError`.

    One that nobody has accepted yet, or that was closed, has no inode.
    """
    ends = _ENDS.pack(local[1], remote[1], _packed(family, local[0]), _packed(family, remote[0]))
    question = _ASK.pack(family, socket.IPPROTO_TCP, 0, _ANY) + ends + _REST.pack(0, _ANY, _ANY)
    length = _HEADER.size + len(question)
    header = _HEADER.pack(length, _SOCK_DIAG_BY_FAMILY, _NLM_F_REQUEST, 0, 0)
    kind = socket.SOCK_RAW | socket.SOCK_CLOEXEC
    with socket.socket(socket.AF_NETLINK, kind, _NETLINK_SOCK_DIAG) as netlink:
        netlink.setblocking(False)
        netlink.send(header + question)
        answer = netlink.recv(_ANSWER_LENGTH_MAX)  # the kernel has answered before send returns
    if _HEADER.unpack_from(answer)[1] != _SOCK_DIAG_BY_FAMILY:
        return None  # an error: no such connection
    at = _HEADER.size
    state = _FOUND.unpack_from(answer, at)[1]
    at += _FOUND.size
    if state == _LISTENING or answer[at : at + _ENDS.size] != ends:
        return None  # the connection is gone, and this is who listens there
    at += _ENDS.size + _REST.size
    _, _, _, uid, inode = _OWNER.unpack_from(answer, at)
    return int(uid) if inode else None


def _packed(family: int, host: str | int) -> bytes:
    """An address as the kernel has it, in 16 bytes."""
    return socket.inet_pton(family, str(host).partition("%")[0]).ljust(16, b"\0")
