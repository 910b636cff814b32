"""The operator of a live node: answers its control socket, and tells what happens to the link."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from isfc.cp.messages import Response, announcement
from isfc.cp.processor import CommandProcessor
from isfc.live.control import BadRequest, ControlServer
from isfc.live.run_directory import control_path
from isfc.live.snapshot import look, snapshot_record
from isfc.system.link_end import LinkEnd
from isfc.system.system import System

if TYPE_CHECKING:
    from isfc.live.engine import LiveEngine
    from isfc.live.events import LiveEvent


async def open_control(
    engine: "LiveEngine", directory: Path, *, paced: bool = True
) -> ControlServer:
    """Serve the control socket of the engine's node in a run directory, until it is closed.

    ``paced`` says whether the engine goes at the model's pace, so that it can be late.
    Raises `ConfigurationError` when a node of that name has a socket there already.
    """
    operator = Operator(engine, paced=paced)
    name = engine.definition.name
    operator.server = ControlServer(control_path(directory, name), operator.handle)
    await operator.server.start()
    return operator.server


class Operator:
    """Answers requests of the kinds ``cp`` and ``snapshot``; announces what CP would."""

    def __init__(self, engine: "LiveEngine", *, paced: bool = True) -> None:
        self.server: ControlServer | None = None
        """Who is to announce; nobody as long as it is None."""
        self._engine = engine
        self._paced = paced
        self._processor = CommandProcessor()
        engine.listeners.append(self._hear)

    def handle(self, kind: str, operand: object) -> dict[str, Any]:
        """The reply to a request. Raises `BadRequest` for one that makes no sense."""
        if kind == "cp":
            if not isinstance(operand, str):
                raise BadRequest("cp: expected a command, a text")
            return self._give(operand)
        if kind == "snapshot":
            return snapshot_record(look(self._engine, paced=self._paced))
        if kind == "node":
            rdevs = [f"{rdev:04X}" for rdev in self._engine.end.ctcs]
            definition = self._engine.definition
            return {"name": definition.name, "partner": definition.partner, "rdevs": rdevs}
        raise BadRequest(f"{kind[:40]}: expected cp, snapshot, node or listen")

    def _give(self, command: str) -> dict[str, Any]:
        """What a command is answered with; operators who listen hear of it too."""

        def act(system: System, now_ns: int) -> Response:
            return self._processor.execute(command, system, now_ns)

        response = self._engine.operate(act)
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
