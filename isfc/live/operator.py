"""The operator of a live node: answers its control socket, and tells what happens to its links."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ctc.address import Rdev, format_rdev
from isfc.live.control import BadRequest, ControlServer
from isfc.live.engine import LiveEngine
from isfc.live.events import LiveEvent
from isfc.live.run_directory import control_path
from isfc.live.snapshot import look, snapshot_record
from isfc.system.channels import ChannelSubsystem
from isfc.system.cp.messages import announcement
from isfc.system.cp.processor import CommandProcessor
from isfc.system.inputs import DeviceInput, VaryChpid, VaryDevice
from isfc.system.link_end import LinkEnd
from isfc.system.system import Input


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
