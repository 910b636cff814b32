"""A system: its chpids, and an end of a logical link to each of its partners. What engines drive.

Whatever happens to a system is an input, a record with a time: a frame that arrives, a deadline,
messages of a program, a command of the operator. `System.apply` is the only way in. So the same
inputs at the same times lead to the same outputs, and a journal of inputs is all that is needed
to repeat a run (`isfc.engine.journal`). The inputs there are stand in `isfc.system.inputs`.
"""

from collections.abc import Sequence
from typing import Protocol

from mypy_extensions import i64, mypyc_attr

from ctc.address import Rdev
from ctc.fabric import Fabric
from ctc.frame import Departure
from ctc.queues import NEVER_NS
from isfc.errors import ConfigurationError, LocalProtocolError, RemoteProtocolError
from isfc.link.events import InterruptListener, LinkEvent, Sink
from isfc.link.lock import SystemLock
from isfc.link.parameters import LinkRules
from isfc.system.channels import ChannelSubsystem
from isfc.system.link_end import LinkEnd, LinkEndDefinition


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
