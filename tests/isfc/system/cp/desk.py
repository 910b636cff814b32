"""An operator's desk: CP commands given to the sides of a pair."""

from isfc.system.cp.messages import CpResponse
from isfc.system.cp.processor import CommandProcessor
from isfc.testing.pair import Pair
from isfc.testing.side import Side


class Desk:
    """Gives commands to both sides of a pair, and lets happen what follows immediately."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self._processors = {side.system.name: CommandProcessor() for side in pair.sides}

    def give(self, command: str, side: Side | None = None) -> CpResponse:
        """The response to a command, given on the first side unless another is named."""
        system = (side or self.pair.first).system
        now_ns = self.pair.engine.now_ns
        response = self._processors[system.name].execute(command, system, now_ns)
        self.pair.engine.drain()
        return response

    def lines(self, command: str, side: Side | None = None) -> list[str]:
        """The lines of the response to a command that must succeed."""
        response = self.give(command, side)
        assert response.return_code == 0, response
        return list(response.lines)

    def refusal(self, command: str, side: Side | None = None) -> tuple[int, str]:
        """Return code and only line of the response to a command that must fail."""
        response = self.give(command, side)
        (line,) = response.lines
        assert not response.announcements
        return response.return_code, line
