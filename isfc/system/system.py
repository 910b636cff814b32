"""A system: its chpids, and an end of a logical link to each of its partners. What engines drive.

Whatever happens to a system is an input, a record with a time: a frame that arrives, a deadline,
messages of a program, a command of the operator. `System.apply` is the only way in. So the same
inputs at the same times lead to the same outputs, and a journal of inputs is all that is needed
to repeat a run (`isfc.engine.journal`).
"""

from collections.abc import Iterator, Sequence
from typing import Protocol, final

from mypy_extensions import i64, mypyc_attr

from ctc.address import ChpidId, Rdev
from ctc.fabric import Fabric
from ctc.frame import Departure, Frame
from ctc.queues import NEVER_NS
from isfc.errors import ConfigurationError, LocalProtocolError, RemoteProtocolError
from isfc.link.events import InterruptListener, LinkEvent, Sink
from isfc.link.lock import SystemLock
from isfc.link.message import Message
from isfc.link.parameters import LinkRules
from isfc.link.state import DeviceState
from isfc.system.link_end import ChannelSubsystem, LinkEnd, LinkEndDefinition


@mypyc_attr(acyclic=True)
class Input:
    """Something that happens to a system from outside. Subclasses are records, never changed."""

    __slots__ = ()

    def reach(self, system: "System", now_ns: i64) -> None:
        """Act on ``system``. Only `System.apply` calls this."""
        raise NotImplementedError


class Recorder(Protocol):
    """Is told of every input to a system, and of what came of it."""

    def take(self, given: Input, now_ns: int) -> None:
        """``given`` is about to reach the system."""

    def conclude(
        self,
        frames: Sequence[Departure],
        events: Sequence[LinkEvent],
        deadline_ns: int | None,
        error: str,
    ) -> None:
        """It has led to these; ``error`` is the name of what was raised, or empty."""


class System:
    """One system of an ISFC collection: its chpids, and one link end for each of its partners.

    No I/O, no clock, no randomness. Systems of one process whose channels share more than a fibre
    have a ``fabric`` in common, the one thing that an input to another system may change. All
    link ends follow the ``rules``: ISFC's, or others for experiments. After
    every input drain each link end (`isfc.engine.pump`) and ask `next_deadline`. Raises
    `ConfigurationError` for definitions that do not fit together.
    """

    def __init__(
        self,
        definitions: Sequence[LinkEndDefinition],
        trace: Sink | None = None,
        recorder: Recorder | None = None,
        watch: InterruptListener | None = None,
        fabric: Fabric | None = None,
        rules: LinkRules | None = None,
    ) -> None:
        if len({end.name for end in definitions}) != 1:
            raise ConfigurationError("link ends of no system, or of several; expected one system")
        if len({end.partner for end in definitions}) != len(definitions):
            raise ConfigurationError(
                f"{definitions[0].name} has two links to one partner; expected one to each"
            )
        self.name = definitions[0].name
        self.channels = ChannelSubsystem((ctc for end in definitions for ctc in end.ctcs), fabric)
        """The chpids, and what of them and of the devices is online."""
        self._definitions = tuple(definitions)
        self._trace, self._watch, self._rules = trace, watch, rules
        self._lock = SystemLock()
        self.ends = tuple(map(self._make_end, definitions))
        """The link ends, in the order of their definitions."""
        self._end_of = {rdev: end for end in self.ends for rdev in end.ctcs}
        self._recorder = recorder
        self._each = list(self.ends)

    def _make_end(self, definition: LinkEndDefinition) -> LinkEnd:
        return LinkEnd(definition, self.channels, self._trace, self._watch, self._rules, self._lock)

    def restart_end(self, partner: str) -> LinkEnd:
        """Put a fresh end of the link to ``partner`` in the place of the one that is there.

        Its CTCs are to be disconnected before, and to be connected again. It is no input: a
        recorder hears nothing of it.
        """
        number = next(n for n, end in enumerate(self.ends) if end.partner == partner)
        old = self.ends[number]
        old.link.copying.leave()
        fresh = self._make_end(self._definitions[number])
        self.ends = (*self.ends[:number], fresh, *self.ends[number + 1 :])
        self._end_of |= dict.fromkeys(fresh.ctcs, fresh)
        self._each = list(self.ends)
        return fresh

    def end_of(self, rdev: Rdev) -> LinkEnd:
        """The link end that a device belongs to."""
        if rdev not in self._end_of:
            raise LocalProtocolError(f"{rdev:04X} is not a CTC of this system")
        return self._end_of[rdev]

    def apply(self, given: Input, now_ns: i64) -> None:
        """Let one input happen at ``now_ns``, which never goes back.

        Raises what that input raises; the system goes on all the same.
        """
        recorder = self._recorder
        if recorder is None:
            given.reach(self, now_ns)
        else:
            self._apply_recorded(given, now_ns, recorder)

    def handle_deadline(self, now_ns: i64) -> None:
        """Do what is due by ``now_ns``, on the chpids and then at each link end.

        Raises `RemoteProtocolError` as `LinkEnd.handle_deadline` does, when all have had their
        turn.
        """
        self.channels.handle_deadline(now_ns)
        broken: RemoteProtocolError | None = None
        for end in self._each:
            if not end.is_due(now_ns):
                continue
            try:
                end.handle_deadline(now_ns)
            except RemoteProtocolError as error:
                broken = error
        if broken is not None:
            raise broken

    @property
    def due_ns(self) -> i64:
        """When a `Deadline` is due next, in ns; `NEVER_NS` when nothing is pending."""
        due_ns, links_due_ns = self.channels.due_ns, self.links_due_ns
        return due_ns if due_ns < links_due_ns else links_due_ns

    @property
    def links_due_ns(self) -> i64:
        """The same, of the links alone: what no input to another system changes."""
        earliest_ns: i64 = NEVER_NS
        for end in self._each:
            due_ns = end.link.due_ns
            if due_ns < earliest_ns:
                earliest_ns = due_ns
        return earliest_ns

    def next_deadline(self) -> int | None:
        """The same, but None when nothing is pending."""
        due_ns = self.due_ns
        return due_ns if due_ns < NEVER_NS else None

    def _apply_recorded(self, given: Input, now_ns: i64, recorder: Recorder) -> None:
        """Let one input happen, and tell the recorder what it alone has led to."""
        before = [(len(end.frames), len(end.link.events)) for end in self.ends]
        error = ""
        recorder.take(given, now_ns)
        try:
            given.reach(self, now_ns)
        except BaseException as raised:
            error = type(raised).__name__
            raise
        finally:
            frames: list[Departure] = []
            events: list[LinkEvent] = []
            for end, (frame_count, event_count) in zip(self.ends, before, strict=True):
                frames += list(end.frames)[frame_count:]
                events += list(end.link.events)[event_count:]
            recorder.conclude(frames, events, self.next_deadline(), error)


def system_of(definition: LinkEndDefinition) -> System:
    """A system with one link."""
    return System([definition])


@final
@mypyc_attr(acyclic=True, free_list_len=1)
class Send(Input):
    """A program hands messages to a link: to the system's ``end``-th, from 0.

    They go on the CTC ``beside``, if one is named and free: its engine has yet to carry what was
    said there before, so that the partner cannot have begun to write on it. Raises `Backpressure`
    when the link's backlog is full; then nothing is taken.
    """

    __slots__ = ("beside", "end", "messages")

    def __init__(self, messages: list[Message], end: int = 0, beside: Rdev | None = None) -> None:
        self.messages = messages
        self.end = end
        self.beside = beside

    def reach(self, system: System, now_ns: i64) -> None:
        """Hand them to the link."""
        system.ends[self.end].send(self.messages, now_ns, self.beside)


@mypyc_attr(acyclic=True)
class Arrive(Input):
    """A frame has arrived for one CTC. An engine may add where it keeps it until then."""

    __slots__ = ("frame", "rdev")

    def __init__(self, rdev: Rdev, frame: Frame) -> None:
        self.rdev = rdev
        self.frame = frame

    def reach(self, system: System, now_ns: i64) -> None:
        """Let the CTC have it."""
        system.end_of(self.rdev).receive_frame(self.rdev, self.frame, now_ns)


@final
class Deadline(Input):
    """The time that `System.next_deadline` said has come; an input that comes earlier does nothing.

    Raises `RemoteProtocolError` when what a partner has sent cannot be received.
    """

    __slots__ = ()

    def reach(self, system: System, now_ns: i64) -> None:
        """Do what is due."""
        system.handle_deadline(now_ns)


DEADLINE = Deadline()
"""The one `Deadline`: it has no fields, so that it can be shared."""


class DeviceInput(Input):
    """Something that concerns one CTC."""

    __slots__ = ("rdev",)

    def __init__(self, rdev: Rdev) -> None:
        self.rdev = rdev


@final
class Connect(DeviceInput):
    """The path of one CTC to the partner is there; it is used if it is active and online."""

    __slots__ = ()

    def reach(self, system: System, now_ns: i64) -> None:
        """Let it be used."""
        system.end_of(self.rdev).connect(self.rdev, now_ns)


@final
class Disconnect(DeviceInput):
    """The path of one CTC to the partner is gone."""

    __slots__ = ()

    def reach(self, system: System, now_ns: i64) -> None:
        """Use it no more."""
        system.end_of(self.rdev).disconnect(self.rdev, now_ns)


@final
class Activate(DeviceInput):
    """ACTIVATE ISLINK for one CTC. Raises `LocalProtocolError` if it is active."""

    __slots__ = ()

    def reach(self, system: System, now_ns: i64) -> None:
        """Put it into the link."""
        system.end_of(self.rdev).activate(self.rdev, now_ns)


@final
class Deactivate(DeviceInput):
    """DEACTIVE ISLINK for one CTC; what it was writing goes to another."""

    __slots__ = ()

    def reach(self, system: System, now_ns: i64) -> None:
        """Take it out of the link."""
        system.end_of(self.rdev).deactivate(self.rdev, now_ns)


@final
class VaryDevice(Input):
    """VARY ON or OFF one device. Off, an active CTC is down, and the partner sees it."""

    __slots__ = ("online", "rdev")

    def __init__(self, rdev: Rdev, *, online: bool) -> None:
        self.rdev = rdev
        self.online = online

    def reach(self, system: System, now_ns: i64) -> None:
        """Note it, and let the hardware follow."""
        system.channels.vary_rdev(self.rdev, online=self.online)
        system.end_of(self.rdev).follow(self.rdev, now_ns)


@final
class VaryChpid(Input):
    """VARY ON or OFF one chpid, and so the path of every device on it, whatever its link."""

    __slots__ = ("chpid", "online")

    def __init__(self, chpid: ChpidId, *, online: bool) -> None:
        self.chpid = chpid
        self.online = online

    def reach(self, system: System, now_ns: i64) -> None:
        """Note it, and let the hardware of each device follow."""
        system.channels.vary_chpid(self.chpid, online=self.online)
        for rdev in system.channels.rdevs_on(self.chpid):
            system.end_of(rdev).follow(rdev, now_ns)


def operated_like(system: System) -> Iterator[Input]:
    """The inputs that bring a fresh system to where operators have brought ``system``."""
    for chpid in sorted(system.channels.offline_chpids):
        yield VaryChpid(chpid, online=False)
    for rdev in sorted(system.channels.offline_rdevs):
        yield VaryDevice(rdev, online=False)
    for end in system.ends:
        for rdev, ctc in end.link.ctcs.items():
            if ctc.state is DeviceState.INACTIVE:
                yield Deactivate(rdev)
