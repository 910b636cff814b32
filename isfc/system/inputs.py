"""The inputs of a system: all that can happen to it, as records."""

from collections.abc import Iterator
from typing import final

from mypy_extensions import i64, mypyc_attr

from ctc.address import ChpidId, Rdev
from ctc.frame import Frame
from isfc.link.message import Message
from isfc.link.state import DeviceState
from isfc.system.system import Input, System


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
