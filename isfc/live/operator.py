"""The operator of a live node: answers its control socket, and tells what happens to its links."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isfc.cp.messages import announcement
from isfc.cp.processor import CommandProcessor
from isfc.live.control import BadRequest, ControlServer
from isfc.live.operated import OperatedSystem
from isfc.live.run_directory import control_path
from isfc.live.snapshot import look, snapshot_record
from isfc.system.link_end import LinkEnd

if TYPE_CHECKING:
    from isfc.live.engine import LiveEngine
    from isfc.live.events import LiveEvent


async def open_control(
    engines: Sequence["LiveEngine"], directory: Path, *, paced: bool = True
) -> ControlServer:
    """Serve the control socket of the engines' node in a run directory, until it is closed.

    There is an engine for each of its links. ``paced`` says whether they go at the model's pace, so
    that they can be late. Raises `ConfigurationError` when a node of that name has a socket there
    already.
    """
    operator = OperatorService(engines, paced=paced)
    operator.server = ControlServer(control_path(directory, operator.name), operator.handle)
    await operator.server.start()
    return operator.server


class OperatorService:
    """Answers requests of the kinds ``cp``, ``snapshot`` and ``node``; announces what CP would."""

    def __init__(self, engines: Sequence["LiveEngine"], *, paced: bool = True) -> None:
        self.server: ControlServer | None = None
        """Who is to announce; nobody as long as it is None."""
        self._engines = tuple(engines)
        self._system = OperatedSystem(engines)
        self.name = self._system.name
        self._paced = paced
        self._processor = CommandProcessor()
        for engine in engines:
            engine.listeners.append(self._hear)

    def handle(self, kind: str, operand: object) -> dict[str, Any]:
        """The reply to a request. Raises `BadRequest` for one that makes no sense."""
        if kind == "cp":
            if not isinstance(operand, str):
                raise BadRequest("cp: expected a command, a text")
            return self._give(operand)
        if kind == "snapshot":
            seen = [look(engine, paced=self._paced) for engine in self._engines]
            channels = self._system.channels
            offline = [f"{rdev:04X}" for rdev in self._system.rdevs if not channels.is_online(rdev)]
            return {"links": [*map(snapshot_record, seen)], "offline": offline}
        if kind == "node":
            partners = [engine.definition.partner for engine in self._engines]
            rdevs = [f"{rdev:04X}" for rdev in self._system.rdevs]
            return {"name": self.name, "partners": partners, "rdevs": rdevs}
        raise BadRequest(f"{kind[:40]}: expected cp, snapshot, node or listen")

    def _give(self, command: str) -> dict[str, Any]:
        """What a command is answered with; operators who listen hear of it too."""
        response = self._processor.execute(command, self._system, self._system.now_ns())
        for line in response.announcements:
            self._announce(line)
        return {"return_code": response.return_code, "lines": list(response.lines)}

    def _hear(self, end: LinkEnd, event: "LiveEvent", _now_ns: int) -> None:
        line = announcement(event, end.partner)
        if line is not None:
            self._announce(line)

    def _announce(self, line: str) -> None:
        if self.server is not None:
            self.server.announce(line)
