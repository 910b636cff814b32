"""What faults do to frames on their way, and to programs that want to send."""

from collections import deque
from collections.abc import Iterable, Mapping
from random import Random

from ctc.address import Rdev
from ctc.frame import DataFrame, Departure, Frame
from isfc.engine.wire import decode, encode
from isfc.errors import WireError
from isfc.link.events import LinkEvent, Offer, Program, Sent, Severed
from isfc.link.message import Message
from isfc.link.name import NodeName
from isfc.link.package import Package


class Disturbance:
    """The fibres of an engine, disturbed: a `Transit`. Frames of one CTC stay in their order.

    Nothing is disturbed until `delay_ns` and its like are set, or `arm` is called.
    """

    def __init__(self, random: Random) -> None:
        self.delay_ns = 0
        self.jitter_ns = 0
        """Up to so much more, drawn for each frame."""
        self.slow_ns: dict[NodeName, int] = {}
        """How much longer data take to arrive at a system."""
        self.broken: list[tuple[NodeName, Rdev]] = []
        """CTCs on which a frame was noticed to be damaged: their connection is to be closed."""
        self.lost_count = 0
        self.doubled_count = 0
        self._random = random
        self._armed: dict[tuple[NodeName, Rdev], deque[str]] = {}
        self._last_ns: dict[tuple[NodeName, Rdev], int] = {}
        self._partners: Mapping[tuple[NodeName, Rdev], NodeName] = {}

    @property
    def will_damage(self) -> bool:
        """Whether a frame is still to be damaged: somebody must look at `broken` now and then."""
        damaging = ("corrupted", "truncated")
        return bool(self.broken) or any(
            kind in damaging for kinds in self._armed.values() for kind in kinds
        )

    def know(self, partners: Mapping[tuple[NodeName, Rdev], NodeName]) -> None:
        """Be told to which system each CTC of each system leads; before the first frame."""
        self._partners = partners

    def arm(self, kind: str, name: NodeName, rdev: Rdev) -> None:
        """Let the next frame that leaves a CTC be dropped, doubled, corrupted, truncated or a gap.

        A gap concerns the next data: they arrive, and the partner loses their messages.
        """
        self._armed.setdefault((name, rdev), deque()).append(kind)

    def disarm(self, kind: str, name: NodeName, rdev: Rdev) -> None:
        """Let no frame suffer that any more, if none has."""
        armed = self._armed.get((name, rdev), deque())
        if kind in armed:
            armed.remove(kind)

    def calm(self) -> None:
        """Disturb nothing from now on."""
        self._armed.clear()
        self.slow_ns.clear()
        self.delay_ns = self.jitter_ns = 0

    def __call__(self, name: NodeName, departure: Departure) -> Iterable[Departure]:
        """What leaves in place of a frame."""
        rdev, frame = departure.rdev, departure.frame
        frames = self._disturbed(name, rdev, frame)
        late_ns = self.delay_ns
        if self.jitter_ns:
            late_ns += self._random.randrange(self.jitter_ns)
        if isinstance(frame, DataFrame):
            late_ns += self.slow_ns.get(self._partners.get((name, rdev), name), 0)
        key = (name, rdev)
        leaves_ns = max(departure.at_ns + late_ns, self._last_ns.get(key, 0))
        self._last_ns[key] = leaves_ns
        return [Departure(leaves_ns, rdev, each) for each in frames]

    def _disturbed(self, name: NodeName, rdev: Rdev, frame: Frame) -> list[Frame]:
        armed = self._armed.get((name, rdev))
        if not armed or (armed[0] == "gap" and not isinstance(frame, DataFrame)):
            return [frame]
        kind = armed.popleft()
        if kind == "dropped":
            self.lost_count += 1
            return []
        if kind == "doubled":
            self.doubled_count += 1
            return [frame, frame]
        if kind == "gap":
            assert isinstance(frame, DataFrame)
            assert isinstance(frame.load, Package)
            return [DataFrame(Package(frame.load.number, [], 0), frame.serial)]
        self.broken.append((name, rdev))
        self._damage(kind, frame)
        return []

    def _damage(self, kind: str, frame: Frame) -> None:
        """What the partner has of a damaged frame: its check sum does not fit, or it ends early.

        The codec must withstand it either way.
        """
        data = bytearray(encode(frame))
        if kind == "truncated":
            del data[self._random.randrange(len(data)) :]
        else:
            data[self._random.randrange(len(data))] ^= 1 + self._random.randrange(255)
        try:
            decode(bytes(data))
        except WireError:
            return
        assert kind != "truncated", "a truncated frame decodes"


class Throttled:
    """A program whose system is short of storage for a while: little of it may be in the link.

    While `limit` is set, a message waits until less than that of what was sent before is under way;
    one message may always be.
    """

    def __init__(self, program: Program) -> None:
        self.limit: int | None = None
        """Bytes that may be under way; None: as many as the link takes."""
        self._program = program
        self._held: deque[Message] = deque()
        self._under_way = 0

    def start(self, now_ns: int) -> Iterable[Offer]:  # a `Program`
        """What the program offers."""
        return self.let_through(self._program.start(now_ns), now_ns)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Pass the event on; what has been read makes room for what waits."""
        if isinstance(event, Sent):
            self._under_way -= sum(message.length for message in event.messages)
        elif isinstance(event, Severed):
            self._under_way = 0
            self._held.clear()
        return self.let_through(self._program.receive(event, now_ns), now_ns)

    def let_through(self, offers: Iterable[Offer], now_ns: int) -> list[Offer]:
        """Of what has waited and of further offers, what the link is given now, in this order."""
        let: list[Offer] = []
        while self._held and self._has_room():
            message = self._held.popleft()
            self._under_way += message.length
            let.append((now_ns, [message]))
        for at_ns, messages in offers:
            for message in messages:
                if self._held or not self._has_room():
                    self._held.append(message)
                else:
                    self._under_way += message.length
                    let.append((at_ns, [message]))
        return let

    @property
    def held_length(self) -> int:
        """Bytes of the messages that wait."""
        return sum(message.length for message in self._held)

    def _has_room(self) -> bool:
        return self.limit is None or self._under_way < max(1, self.limit)
