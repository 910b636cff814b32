"""The operator of a live node: what it shows and announces, and what its control socket answers."""

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from msgspec import Struct, convert, structs, to_builtins

from ctc.address import Rdev, format_rdev
from isfc.link.counters import DeviceSnapshot, LinkEndSnapshot
from isfc.live.connection import LiveEvent
from isfc.live.control import BadRequest, ControlServer
from isfc.live.engine import LiveEngine
from isfc.live.run_directory import control_path
from isfc.system.cp.messages import announcement
from isfc.system.cp.processor import CommandProcessor
from isfc.system.link_end import ChannelSubsystem, LinkEnd
from isfc.system.system import DeviceInput, Input, VaryChpid, VaryDevice


class LiveSnapshot(Struct, frozen=True):
    """A node's counters, and what its engine has seen since it began. Times in nanoseconds.

    Severing replaces the node, so that its counters begin again; ``severed_count`` tells.
    ``late_ns`` of ``waited_ns`` that deadlines were waited for were lateness; all three are 0
    where the model's times are ignored, so that nothing can be late.
    """

    node: LinkEndSnapshot
    attached_count: int
    detached_count: int
    refused_count: int
    severed_count: int
    late_ns: int
    late_ns_max: int
    waited_ns: int


def look(engine: LiveEngine, *, paced: bool) -> LiveSnapshot:
    """How a node and its engine are now; ``paced`` says whether they go at the model's pace.

    If not, the model's processor time is none, and the process's is in its place.
    """
    lag = engine.lag
    late = (lag.late_ns, lag.late_ns_max, lag.waited_ns) if paced else (0, 0, 0)
    node = engine.end.snapshot(engine.now_ns())
    if not paced:
        node = replace(node, cpu_ns=time.process_time_ns())
    seen = (*structs.astuple(engine.counters), *late)
    return LiveSnapshot(node, *seen)


def snapshot_record(snapshot: LiveSnapshot) -> dict[str, Any]:
    """The snapshot as JSON has it, for another process."""
    record: dict[str, Any] = to_builtins(snapshot, enc_hook=str)  # a name
    return record


def read_snapshot(record: dict[str, Any]) -> LiveSnapshot:
    """The snapshot that `snapshot_record` made this of, in this or in another process."""
    # devices by themselves: a compiled class knows no item's type
    devices = convert(record["node"]["devices"], tuple[DeviceSnapshot, ...])
    node = replace(convert(record["node"], LinkEndSnapshot), devices=devices)
    return LiveSnapshot(**record | {"node": node})


class OperatedSystem:
    """The engines of one live system, one for each of its links, operated as one system.

    It is what `isfc.system.cp.messages.Operated` asks for. An input reaches the links that it
    concerns: that of its device, or all that have devices on its chpid. Raises
    `ConfigurationError` when the links do not fit together, such as by one device in two of them.
    """

    def __init__(self, engines: Sequence[LiveEngine]) -> None:
        self.name: str = engines[0].definition.name
        self.channels = ChannelSubsystem(
            ctc for engine in engines for ctc in engine.definition.ctcs
        )
        """What of the chpids and devices is online; nothing is ever moved over these."""
        self._engines = tuple(engines)
        self._engine_of: dict[Rdev, LiveEngine] = {
            ctc.device.rdev: engine for engine in engines for ctc in engine.definition.ctcs
        }

    @property
    def ends(self) -> tuple[LinkEnd, ...]:
        """The link ends, in the order of the engines."""
        return tuple(engine.end for engine in self._engines)

    @property
    def rdevs(self) -> tuple[Rdev, ...]:
        """The devices of all links."""
        return tuple(self._engine_of)

    def now_ns(self) -> int:
        """Model time, the same on all links."""
        return self._engines[0].now_ns()

    def apply(self, given: Input, now_ns: int) -> None:
        """Let an operator's input happen, and carry on what it leads to."""
        for engine in self._concerned(given):
            engine.apply(given)

    def _concerned(self, given: Input) -> Sequence[LiveEngine]:
        """The engines that an input reaches; it is noted for the system."""
        if isinstance(given, VaryChpid):
            self.channels.vary_chpid(given.chpid, online=given.online)
            rdevs = self.channels.rdevs_on(given.chpid)
            return list(dict.fromkeys(self._engine_of[rdev] for rdev in rdevs))
        if isinstance(given, VaryDevice):
            self.channels.vary_rdev(given.rdev, online=given.online)
        else:
            assert isinstance(given, DeviceInput), "operators give no other input"
        return [self._engine_of[given.rdev]]


async def open_control(
    engines: Sequence[LiveEngine], directory: Path, *, paced: bool = True
) -> ControlServer:
    """Serve the control socket of the engines' node in a run directory, until it is closed.

    There is an engine for each of its links. It answers requests of the kinds ``cp``, ``snapshot``
    and ``node``, and announces what CP would. ``paced`` says whether the links go at the model's
    pace, so that they can be late. Raises `ConfigurationError` when a node of that name has a
    socket there already.
    """
    system, processor = OperatedSystem(engines), CommandProcessor()

    def handle(kind: str, operand: object) -> dict[str, Any]:
        """The reply to a request. Raises `BadRequest` for one that makes no sense."""
        if kind == "cp":
            if not isinstance(operand, str):
                raise BadRequest("cp: expected a command, a text")
            response = processor.execute(operand, system, system.now_ns())
            for line in response.announcements:  # operators who listen hear of it too
                server.announce(line)
            return {"return_code": response.return_code, "lines": response.lines}
        if kind == "snapshot":
            seen = [look(engine, paced=paced) for engine in engines]
            offline = [rdev for rdev in system.rdevs if not system.channels.is_online(rdev)]
            return {"links": [*map(snapshot_record, seen)], "offline": [*map(format_rdev, offline)]}
        if kind == "node":
            partners = [engine.definition.partner for engine in engines]
            rdevs = [*map(format_rdev, system.rdevs)]
            return {"name": system.name, "partners": partners, "rdevs": rdevs}
        raise BadRequest(f"{kind[:40]}: expected cp, snapshot, node or listen")

    def hear(end: LinkEnd, event: LiveEvent, _now_ns: int) -> None:
        line = announcement(event, end.partner)
        if line is not None:
            server.announce(line)

    server = ControlServer(control_path(directory, system.name), handle)
    for engine in engines:
        engine.listeners.append(hear)
    await server.start()
    return server
