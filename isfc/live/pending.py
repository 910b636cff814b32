"""One connection from its first byte to its end: who is there, and is it the partner?

Whoever comes is pending until its greeting fits (`isfc.live.admission`). Cheap checks come
first. When too many wait for a greeting, one that has said nothing yet has to go, at random: so a
partner gets in although others keep coming.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Final

from msgspec import Struct

from ctc.address import Rdev, format_rdev
from isfc.errors import WireError
from isfc.live import admission
from isfc.live.admission import Admission, Hello, certificate_names, foreign_user, link_digest
from isfc.live.connection import Connection, ConnectionRefused
from isfc.live.engine import LiveEngine
from isfc.live.frames import measure_frame

GREETING_S: Final = 5.0
"""How long a connection may take to greet, TLS included, in seconds."""

UNGREETED_MAX: Final = 64
"""Connections that may be greeting at the same time for each link of a node: four for each CTC of
the largest link."""

RIVAL_S: Final = 0.1
"""How long another partner of the same name is kept waiting, in seconds: the connections of one
that has been killed end meanwhile."""

_INCARNATION_BITS: Final = 63


class Partnership:
    """Who this node and its partner are on one link, as they greet: their incarnations.

    It is one of the links of ``node_port`` from now on. ``program`` says what runs over the link:
    the same at both ends.
    """

    def __init__(self, engine: LiveEngine, node_port: "Reception", program: str) -> None:
        self.engine = engine
        self.node_port = node_port
        node_port.links.append(self)
        self.checks_user = False
        """Whether the other end must be a process of this user's."""
        self.checks_certificate = False
        """Whether the partner that this node goes to must show its certificate."""
        self._digests = (link_digest(engine.definition), admission.program_digest(program))
        engine.restarted = self._begin_incarnation
        self._begin_incarnation()

    def hello(self, rdev: Rdev) -> Hello:
        """What this node says on one of its CTCs."""
        definition = self.engine.definition
        (device,) = (c.device for c in definition.ctcs if c.device.rdev == rdev)
        return Hello(
            definition.name,
            definition.partner,
            rdev,
            device.partner_rdev,
            self.incarnation,
            self.node_port.dilation,
            self.node_port.capabilities,
            *self._digests,
        )

    def _begin_incarnation(self) -> None:
        """The link knows nothing of what went before: both ends greet again."""
        self.incarnation = self.node_port.random.getrandbits(_INCARNATION_BITS)
        """This node, as one that the partner can tell from the same node after a restart."""
        self._partner_incarnation: int | None = None

    def rivals(self, theirs: int) -> bool:
        """Whether another incarnation of the partner is connected: the one that is up stays."""
        return self.has_restarted(theirs) and self.engine.attached

    def has_restarted(self, theirs: int) -> bool:
        """Whether the partner is another incarnation than the one that we have met."""
        return self._partner_incarnation not in (None, theirs)

    def restart(self) -> None:
        """The partner has restarted, and so does the link."""
        self.engine.sever(f"{self.engine.definition.partner} has restarted")

    def meet(self, theirs: int) -> None:
        """From now on the partner is this one."""
        self._partner_incarnation = theirs


class Reception(Struct, eq=False):
    """What the links of a system have in common for whoever comes.

    ``random`` chooses who has to go when too many are greeting, incarnations, and how much earlier
    than at most is tried again.
    """

    random: Random
    dilation: int = 0
    capabilities: int = 0
    ungreeted: "set[PendingConnection]" = set()
    """Those that have not greeted yet."""
    checks_user: bool = False
    """Whether who comes must be a process of this user's."""
    checks_certificate: bool = False
    """Whether who comes must show the certificate of a partner."""
    admission: Admission | None = None
    """Of strangers, once it listens where they can come."""
    links: list[Partnership] = []
    """Those of all links of this system."""
    awaited: list[Partnership] = []
    """Those whose partners come here; this node goes to the others itself."""

    def link_of(self, hello: Hello) -> Partnership | str:
        """The link that a hello is of, or why there is none.

        With one link it is that one, which says itself what does not fit.
        """
        if len(self.links) == 1:
            return self.links[0]
        name = self.links[0].engine.definition.name
        for link in self.links:
            if link.engine.definition.partner == hello.node:
                if link not in self.awaited:
                    return f"{name} connects to {hello.node} itself"
                return link
        return f"{name} has no link to {hello.node}"

    def refuse(self, refused: ConnectionRefused) -> None:
        """Note a connection that was not let in. One of no link counts at the first awaited."""
        (self.awaited or self.links)[0].engine.refuse(refused)

    def know(self, peer: object) -> None:
        """A partner has come from there, and comes without limit from now on."""
        if self.admission is not None and isinstance(peer, tuple):
            self.admission.know(peer[0])

    def clear(self) -> None:
        """End all who have not greeted yet."""
        for pending in list(self.ungreeted):
            pending.close("this node ends")


@dataclass(eq=False, slots=True)
class PendingConnection:
    """One connection, from its greeting to its end.

    If we connect, its link and RDEV are known from the start. It is a `Receiver`, and a
    `Guard` for as long as TLS is not there.
    """

    node_port: Reception
    known_link: Partnership | None = None
    rdev: Rdev | None = None
    ended: "asyncio.Future[str | None]" = field(init=False)
    """Why it has ended, if nobody was told."""
    was_attached: bool = False
    wants_retry: bool = False
    """Nothing was wrong but the time: both are to greet again immediately."""
    _connects: bool = field(init=False)
    _hello: Hello | None = None
    theirs: Hello | None = None
    """The partner's hello, if one has come."""
    _connection: Connection | None = None
    _end: Callable[[], object] | None = None
    """Ends it as long as there is no connection."""
    _timer: asyncio.TimerHandle | None = None
    _rivalry: asyncio.TimerHandle | None = None
    _peer: str = ""
    _explained: bool = False
    """Whether its end needs no more words."""

    def __post_init__(self) -> None:
        self.ended = asyncio.get_running_loop().create_future()
        self._connects = self.rdev is not None

    def close(self, reason: str) -> None:
        """End it."""
        self._explained = True
        if self._connection is not None:
            self._connection.abort(reason)
        elif self._end is not None:
            self._end()

    def come(self, peer: object, end: Callable[[], object]) -> None:
        """A TLS connection was accepted; ``end`` ends it. One more that has not greeted."""
        self._end = end
        self._peer = f"{peer[0]}:{peer[1]}" if isinstance(peer, tuple) else ""
        ungreeted = self.node_port.ungreeted
        if len(ungreeted) >= UNGREETED_MAX * len(self.node_port.links):
            silent = [pending for pending in ungreeted if pending.theirs is None]
            self.node_port.random.choice(silent or list(ungreeted)).leave()
        ungreeted.add(self)
        self._timer = asyncio.get_running_loop().call_later(
            GREETING_S, self._refuse, f"no greeting within {GREETING_S:g} s"
        )

    def leave(self) -> None:
        """Make room for another."""
        self._settle()
        self._refuse("too many connections are greeting at the same time")

    def fail(self, reason: str | None) -> None:
        """Its TLS handshake has failed; ``reason`` is None if this node ended it."""
        self._settle()
        if reason is not None and not self._explained:
            self._note(reason)

    def connected(self, connection: Connection) -> None:
        """Begin to greet."""
        self._connection = connection
        transport = connection.transport
        if self._end is None:
            self.come(transport.get_extra_info("peername"), transport.abort)
        pending = self._impostor()
        if pending is not None:
            self._refuse(pending)
        elif self.rdev is not None:
            self._hello = self._link.hello(self.rdev)
            self._say(self._hello)

    def received(self, connection: Connection, data: bytes | memoryview) -> None:
        """A greeting."""
        try:
            greeting = admission.decode_greeting(data)
        except WireError as error:
            self._refuse(str(error))
            return
        if isinstance(greeting, admission.Refusal):
            self._note(greeting.reason, by_partner=True)
            connection.abort(greeting.reason)
        elif isinstance(greeting, Hello):
            self._greet(greeting)
        else:
            self._begin()

    def lost(self, connection: Connection, reason: str) -> None:
        """It is gone."""
        self._settle()
        self._connection = self._end = None
        if not self.was_attached:
            if not (self._connects or self._explained):
                self._note(reason)
        elif self.rdev is not None and self._link.engine.is_attached(self.rdev, connection):
            self._link.engine.detach(self.rdev, reason)
        if not self.ended.done():
            self.ended.set_result(None if self.was_attached or self._explained else reason)

    def _greet(self, theirs: Hello) -> None:
        """The partner's hello: answer it, or accept its answer."""
        if self.theirs is not None:
            self._refuse("a second hello")
            return
        self.theirs = theirs
        if self.known_link is None:
            found = self.node_port.link_of(theirs)
            if isinstance(found, str):
                self._refuse(found)
                return
            self.known_link = found
            impostor = self._impostor()
            if impostor is not None:
                self._refuse(impostor)
                return
        link = self._link
        if self._hello is None:
            definition = link.engine.definition
            mates = {c.device.partner_rdev: c.device.rdev for c in definition.ctcs}
            if theirs.rdev not in mates:
                self._refuse(f"no CTC of {definition.name} goes to {format_rdev(theirs.rdev)}")
                return
            self.rdev = mates[theirs.rdev]
        assert self.rdev is not None, "a hello without a CTC"
        reason = admission.fault(self._hello or link.hello(self.rdev), theirs)
        checks_user = link.checks_user if self._connects else self.node_port.checks_user
        if reason is None and checks_user:
            assert self._connection is not None, "a hello without a connection"
            reason = foreign_user(self._connection.transport.get_extra_info("socket"))
        if reason is not None:
            self._refuse(reason)
        elif link.rivals(theirs.incarnation):
            loop = asyncio.get_running_loop()
            self._rivalry = loop.call_later(RIVAL_S, self._welcome, theirs)
        else:
            self._welcome(theirs)

    def _welcome(self, theirs: Hello) -> None:
        """It is one who fits, unless the partner is there already."""
        link = self._link
        if link.rivals(theirs.incarnation):
            self._refuse(f"another {theirs.node} is connected already")
            return
        assert self.rdev is not None, "welcome on no CTC"
        restarted = link.has_restarted(theirs.incarnation)
        if restarted:
            link.restart()
        if not self._connects:
            self._hello = link.hello(self.rdev)
            self._say(self._hello)
        elif restarted:
            self._retry("the partner has restarted")
        else:
            self._say(admission.Accept())
            self._attach()

    def _begin(self) -> None:
        """The partner accepts."""
        if self._connects or self._hello is None or self.theirs is None:
            self._refuse("an accept out of turn")
        else:
            self._attach()

    def _attach(self) -> None:
        link, hello, theirs = self._link, self._hello, self.theirs
        connection, rdev = self._connection, self.rdev
        assert hello is not None, "attached without our hello"
        assert theirs is not None, "attached without the partner's"
        assert connection is not None, "attached to nothing"
        assert rdev is not None, "attached to no CTC"
        if link.rivals(theirs.incarnation):
            self._refuse(f"another {theirs.node} is connected already")
            return
        if link.has_restarted(theirs.incarnation):
            link.restart()
        if hello.incarnation != link.incarnation:
            self._retry("this node has restarted")
            return
        link.meet(theirs.incarnation)
        self._settle()
        self.was_attached = True
        if not self._connects:
            self.node_port.know(connection.transport.get_extra_info("peername"))
        connection.measure_with(measure_frame)
        link.engine.attach(rdev, connection)

    def _retry(self, reason: str) -> None:
        self.wants_retry = self._explained = True
        if self._connection is not None:
            self._connection.abort(reason)

    def _refuse(self, reason: str) -> None:
        """Say why not, and end it."""
        self._note(reason)
        self._say(admission.Refusal(reason))
        if self._connection is not None:
            self._connection.close(reason)
        elif self._end is not None:  # TLS is not there, and so nothing can be said
            self._end()

    def _note(self, reason: str, *, by_partner: bool = False) -> None:
        self._explained = True
        place = f"{format_rdev(self.rdev)} {self._peer}" if self.rdev is not None else self._peer
        refused = ConnectionRefused(place.strip(), reason, by_partner)
        if self.known_link is None:
            self.node_port.refuse(refused)
        else:
            self.known_link.engine.refuse(refused)

    def _say(self, greeting: admission.Greeting) -> None:
        if self._connection is not None:
            self._connection.write(admission.encode_greeting(greeting))

    def _settle(self) -> None:
        """Its greeting has fitted, or it is gone."""
        self.node_port.ungreeted.discard(self)
        for timer in (self._timer, self._rivalry):
            if timer is not None:
                timer.cancel()

    @property
    def _link(self) -> Partnership:
        assert self.known_link is not None, "of no link yet"
        return self.known_link

    def _impostor(self) -> str | None:
        """Why the certificate is not the partner's; None if it is, or none is asked for.

        As long as the link is not known it may be any partner's.
        """
        place = self._link if self._connects else self.node_port
        if not place.checks_certificate or self._connection is None:
            return None
        links = self.node_port.links if self.known_link is None else [self.known_link]
        partners = [link.engine.definition.partner for link in links]
        names = certificate_names(self._connection.transport.get_extra_info("peercert") or {})
        if not names.isdisjoint(partner.upper() for partner in partners):
            return None
        wanted = " or ".join(partners)
        return f"the certificate is of {', '.join(sorted(names)) or 'nobody'}, not of {wanted}"
