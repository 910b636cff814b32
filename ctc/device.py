"""One end of one CTC: drives the state table, notices collisions, keeps the I/O's times.

The two ends share no memory. Each knows its own outstanding command and, from the frames
that have arrived, the mate's; `ctc.state.rule_of` is consulted with both.
"""

from enum import Enum
from typing import Final

from mypy_extensions import i64

from ctc.address import Rdev
from ctc.chpid import Chpid
from ctc.frame import CommandFrame, DataFrame, Departure, Frame, Signal, StatusFrame
from ctc.queues import NEVER_NS, Fifo
from ctc.state import CommandOutcome, State, rule_of
from ctc.subchannel import (
    Attention,
    Collided,
    Command,
    DeviceLost,
    DeviceReady,
    Ended,
    Interrupt,
    IoTimes,
    Payload,
    Ssch,
    UnitStatus,
)

_NO_TIMES: Final = IoTimes(0, 0, 0)


class Arbitration(Enum):
    """What happens to our command when it meets one of the mate's that it cannot pass.

    IBM's report says that neither write succeeds (``BOTH_FAIL``). By the architecture one of
    the two stays pending: then one end is built with ``WIN`` and the other with ``LOSE``.
    """

    BOTH_FAIL = "both fail"
    WIN = "ours stays, the mate's fails"
    LOSE = "ours fails, the mate's stays"


class Ctc:
    """One end of a channel-to-channel device.

    What it has to say it adds to ``departures`` and ``interrupts``, which it shares with
    the other CTCs of its system, as the real ones share the channel subsystem. It starts not
    ready; `connect` it.
    """

    def __init__(
        self,
        rdev: Rdev,
        chpid: "Chpid[Ctc]",
        arbitration: Arbitration,
        departures: Fifo[Departure],
        interrupts: Fifo[Interrupt],
    ) -> None:
        self.rdev = rdev
        self.stale_count = 0
        """Frames that answered nothing we had outstanding: dropped and counted."""
        self._chpid = chpid
        self._arbitration = arbitration
        self._departures = departures
        self._interrupts = interrupts
        self._state = State.NOT_READY
        self._mate = State.NOT_READY
        self._mate_write: CommandFrame | None = None
        self._mate_serial: i64 = 0
        self._serial: i64 = 0
        self._command: Command | None = None
        self._load: Payload | None = None
        self._started_ns: i64 = 0
        self._departed_ns: i64 = 0
        self._matched_ns: i64 = NEVER_NS
        self._sending = False
        self._status = UnitStatus.ENDED
        self._fails_both = False
        """Whether our write was begun while the mate's waited for us, so that neither succeeds."""
        self._ended: Ended | None = None
        """What is over, and CP has yet to be told."""
        self._attends = False
        """Whether an attention has come of which CP has yet to be told."""
        self._prompt = False

    @property
    def state(self) -> State:
        """What this end has outstanding."""
        return self._state

    @property
    def idle(self) -> bool:
        """Whether a new SSCH would be accepted."""
        return self._command is None

    @property
    def reads(self) -> bool:
        """Whether a READ of ours is outstanding: the mate's data may come."""
        return self._state is State.READ

    def data_of(self, serial: i64) -> DataFrame | None:
        """The data of our write ``serial``, whether or not the mate has asked for them yet.

        None when that write is not the one outstanding.
        """
        load = self._load
        return DataFrame(load, serial) if load is not None and serial == self._serial else None

    def times_so_far(self, now_ns: i64) -> IoTimes:
        """Where the time of the I/O has gone that no interrupt has told of; zeros without one."""
        if self._ended is not None:
            return self._ended.times
        return _NO_TIMES if self._command is None else self._times(now_ns)

    def moved_length(self, now_ns: i64) -> int:
        """The bytes on the fibre of a WRITE whose end CP has yet to be told; 0 without one."""
        ended = self._ended
        if ended is not None:
            return (
                0 if ended.command is not Command.WRITE or ended.load is None else ended.load.length
            )
        load = self._load
        if load is None or self._matched_ns == NEVER_NS:
            return 0
        return self._chpid.moved_length(self, load, now_ns) if self._sending else load.length

    def start(self, ssch: Ssch, now_ns: i64) -> None:
        """Issue a command. One at a time: the interrupt that ends the last one must have come."""
        assert self._command is None, f"{self.rdev:04X}: SSCH while an I/O is in progress"
        command = ssch.command
        rule = rule_of(command)
        outcome = rule.outcome(self._mate)
        self._serial += 1
        self._command = command
        self._load = ssch.load
        self._prompt = ssch.prompt
        self._started_ns = now_ns
        # the commands of one device leave in their order, even those that have failed since
        self._departed_ns = max(self._departed_ns, self._chpid.admit(now_ns))
        self._matched_ns = NEVER_NS
        if outcome is CommandOutcome.ATTEND or outcome is CommandOutcome.WAIT:
            self._state = rule.waiting
            self._issue()
        elif outcome is CommandOutcome.TRANSFER:
            self._state = rule.waiting
            self._issue()
            self._match(self._departed_ns, now_ns)
        elif outcome is CommandOutcome.MATCH_WAIT:
            self._state = rule.waiting
            self._mate = State.AVAILABLE
            self._issue()
        else:
            collides = command is Command.WRITE and self._mate is State.WRITE
            self._fails_both = collides and self._arbitration is Arbitration.BOTH_FAIL
            if outcome is CommandOutcome.MATCH or self._fails_both:
                self._mate = State.AVAILABLE
                self._issue()
            self._status = _status(outcome)
            if self._attends:  # told by this status, or void as neither write succeeds
                self._chpid.abandon(self, None, now_ns)
                self._attends = False
                if self._mate is State.WRITE:
                    self._interrupts.add(Attention(self.rdev))
            self._chpid.end_later(self, self._departed_ns)

    def receive_frame(self, frame: Frame, now_ns: i64) -> None:
        """Receive what the mate has sent; a frame that fits nothing is counted as stale."""
        if self._state is State.NOT_READY:
            self.stale_count += 1
        elif isinstance(frame, StatusFrame):
            self._receive_status(frame, now_ns)
        elif self._mate is State.NOT_READY:
            self.stale_count += 1
        elif isinstance(frame, CommandFrame):
            if frame.serial > self._mate_serial and self._mate is State.AVAILABLE:
                self._receive_command(frame, now_ns)
            else:
                self.stale_count += 1  # given up before it left, or a second one at a time
        else:
            self._receive_data(frame, now_ns)

    def complete(self, now_ns: i64) -> None:
        """All data of our write is on the fibre: send it, and wait to hear it was read."""
        assert self._load is not None, "a transfer without data"
        self._chpid.finish(self._load, now_ns)
        self._sending = False
        departure_ns = max(now_ns, self._departed_ns)  # data does not overtake its command
        data = DataFrame(self._load, self._serial)
        self._departures.add(Departure(departure_ns, self.rdev, data))

    def end(self, now_ns: i64) -> None:
        """An I/O that needed nothing from the mate is over, or an interrupt is due."""
        if self._ended is not None:
            self._interrupt()
        elif self._attends:
            self._attends = False
            self._interrupts.add(Attention(self.rdev))
        elif self._fails_both and self._load is not None:
            self._collide(self._load, now_ns)
        elif self._command is Command.SENSE_COMMAND_BYTE:
            self._tell_later(self._status, None, self._chpid.notice_ns, now_ns)
        else:
            self._finish(self._status, self._load, now_ns)

    def connect(self, now_ns: i64) -> None:
        """The path to the mate is there: say so, and wait for the mate to say the same."""
        assert self._state is State.NOT_READY, f"{self.rdev:04X}: connected already"
        self._state = State.AVAILABLE
        self._signal(Signal.READY, self._serial, now_ns)

    def retire(self, now_ns: i64) -> None:
        """Leave: tell the mate that this end is not ready until it connects again."""
        self._signal(Signal.NOT_READY, self._serial, now_ns)
        self.disconnect(now_ns)

    def disconnect(self, now_ns: i64) -> None:
        """The path to the mate is gone; whatever was outstanding ends with `DeviceLost`."""
        self._give_up(now_ns)
        self._state = State.NOT_READY

    def reset(self, now_ns: i64) -> None:
        """Give up whatever is outstanding at both ends and begin again."""
        self._give_up(now_ns)
        self._signal(Signal.RESET, self._serial, now_ns)

    def _issue(self) -> None:
        assert self._command is not None
        load = self._load
        if load is None:
            frame = CommandFrame(self._command, self._serial)
        else:
            frame = CommandFrame(self._command, self._serial, load.length, load.count)
        self._departures.add(Departure(self._departed_ns, self.rdev, frame))

    def _signal(self, signal: Signal, serial: i64, now_ns: i64) -> None:
        self._departures.add(Departure(now_ns, self.rdev, StatusFrame(signal, serial)))

    def _match(self, matched_ns: i64, now_ns: i64) -> None:
        """A write has met a read: the writer's data joins the fibre, the reader watches it."""
        self._matched_ns = max(matched_ns, self._departed_ns)
        if self._state is State.WRITE:
            assert self._load is not None, "a write without data"
            self._sending = True
            self._chpid.begin(self, self._load, now_ns)
        else:
            assert self._mate_write is not None, "a read without a write"
            self._chpid.observe(1, self._mate_write, now_ns)

    def _receive_command(self, frame: CommandFrame, now_ns: i64) -> None:
        rule = rule_of(frame.command)
        outcome = rule.outcome(self._state)
        if frame.command is Command.WRITE:
            self._mate_write = frame
        if outcome is CommandOutcome.ATTEND:
            self._mate = rule.waiting
            if self._ended is not None or self._command is not None:
                # for the mate our last I/O is over: its interrupt must not come later
                self._chpid.abandon(self, None, now_ns)
                self.end(now_ns)
            self._attend(now_ns)
        elif outcome is CommandOutcome.TRANSFER:
            self._mate = rule.waiting
            self._match(now_ns, now_ns)
        elif outcome is CommandOutcome.WAIT:
            self._mate = State.PREPARE
        elif outcome is CommandOutcome.MATCH:
            self._mate = State.AVAILABLE
            self._finish(UnitStatus.ENDED, None, now_ns)
        elif outcome is CommandOutcome.MATCH_WAIT:
            self._mate = rule.waiting
            self._finish(UnitStatus.ENDED, None, now_ns)
        elif outcome is CommandOutcome.BUSY and rule.waiting is not State.AVAILABLE:
            self._arbitrate(frame, now_ns)
        else:
            self.stale_count += 1  # a mate does not send what ends immediately

    def _arbitrate(self, frame: CommandFrame, now_ns: i64) -> None:
        """Both ends issued before either had seen the other's command."""
        if self._arbitration is Arbitration.WIN:
            return
        if self._load is None:
            self._finish(UnitStatus.BUSY_ATTENTION, None, now_ns)
        else:
            self._collide(self._load, now_ns)
        if self._arbitration is Arbitration.LOSE:
            self._mate = rule_of(frame.command).waiting
            self._interrupts.add(Attention(self.rdev))

    def _attend(self, now_ns: i64) -> None:
        """The mate's write has come: CP is told in its turn."""
        notice_ns = self._chpid.notice_ns
        if notice_ns:
            self._attends = True
            self._chpid.end_later(self, now_ns + notice_ns)
        else:
            self._interrupts.add(Attention(self.rdev))

    def _collide(self, load: Payload, now_ns: i64) -> None:
        times = self._times(now_ns)
        self._clear()
        self._interrupts.add(Collided(self.rdev, load, times))

    def _receive_data(self, frame: DataFrame, now_ns: i64) -> None:
        write = self._mate_write
        reads = self._state is State.READ and self._matched_ns < NEVER_NS
        if not reads or write is None or frame.serial != write.serial:
            self.stale_count += 1
            return
        self._chpid.observe(-1, write, now_ns)
        self._mate = State.AVAILABLE
        self._signal(Signal.RECEIVED, frame.serial, now_ns)
        self._finish_transfer(frame.load, now_ns)

    def _receive_status(self, frame: StatusFrame, now_ns: i64) -> None:
        if frame.signal is Signal.RECEIVED:
            writes = self._state is State.WRITE and self._matched_ns < NEVER_NS
            if not writes or frame.serial != self._serial:
                self.stale_count += 1
                return
            if self._sending:  # the mate has had the data some other way, or says so
                self._chpid.abandon(self, self._load, now_ns)
                self._sending = False
            self._mate = State.AVAILABLE
            self._finish_transfer(self._load, now_ns)
            return
        self._mate_serial = frame.serial
        if frame.signal is not Signal.READY:
            self._give_up(now_ns)
        if frame.signal is not Signal.NOT_READY and self._mate is State.NOT_READY:
            self._mate = State.AVAILABLE
            self._signal(Signal.READY, self._serial, now_ns)
            self._interrupts.add(DeviceReady(self.rdev))

    def _give_up(self, now_ns: i64) -> None:
        self._interrupt()
        load = self._load
        times = self._times(now_ns) if self._command is not None else _NO_TIMES
        reads = self._state is State.READ and self._matched_ns < NEVER_NS
        if reads and self._mate_write is not None:
            self._chpid.observe(-1, self._mate_write, now_ns)
        self._chpid.abandon(self, load if self._sending else None, now_ns)
        self._sending = False
        self._attends = False
        self._clear()
        self._mate = State.NOT_READY
        self._interrupts.add(DeviceLost(self.rdev, load, times))

    def _finish_transfer(self, load: Payload | None, now_ns: i64) -> None:
        """The data are over: this end is free, and an interrupt will say so."""
        prompt = self._prompt and self._command is Command.WRITE
        self._tell_later(UnitStatus.ENDED, load, self._chpid.interrupt_ns(prompt), now_ns)

    def _tell_later(
        self, status: UnitStatus, load: Payload | None, later_ns: i64, now_ns: i64
    ) -> None:
        """An I/O is over, of which CP is told ``later_ns`` later."""
        if not later_ns:
            self._finish(status, load, now_ns)
            return
        self._ended = self._conclude(status, load, now_ns)
        self._chpid.end_later(self, now_ns + later_ns)

    def _finish(self, status: UnitStatus, load: Payload | None, now_ns: i64) -> None:
        self._interrupts.add(self._conclude(status, load, now_ns))

    def _conclude(self, status: UnitStatus, load: Payload | None, now_ns: i64) -> Ended:
        command = self._command
        assert command is not None, "an end without a command"
        times = self._times(now_ns)
        self._clear()
        return Ended(self.rdev, command, status, times, load)

    def _interrupt(self) -> None:
        """Say what has ended, unless it has been said."""
        if self._ended is not None:
            self._interrupts.add(self._ended)
            self._ended = None

    def _times(self, now_ns: i64) -> IoTimes:
        departed_ns = min(self._departed_ns, now_ns)
        matched_ns = min(self._matched_ns, now_ns)
        return IoTimes(
            departed_ns - self._started_ns, matched_ns - departed_ns, now_ns - matched_ns
        )

    def _clear(self) -> None:
        if self._state is not State.NOT_READY:
            self._state = State.AVAILABLE
        self._command = None
        self._load = None


def _status(outcome: CommandOutcome) -> UnitStatus:
    """How a command ends that does not wait for the mate."""
    if outcome is CommandOutcome.BUSY:
        return UnitStatus.BUSY_ATTENTION
    return UnitStatus.UNIT_CHECK if outcome is CommandOutcome.CHECK else UnitStatus.ENDED
