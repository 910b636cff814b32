"""A live system as its operator sees it: all its links under one name, on one set of chpids."""

from collections.abc import Sequence

from ctc.address import Rdev
from isfc.live.engine import LiveEngine
from isfc.system.channels import ChannelSubsystem
from isfc.system.inputs import DeviceInput, VaryChpid, VaryDevice
from isfc.system.link_end import LinkEnd
from isfc.system.system import Input


class OperatedSystem:
    """The engines of one live system, one for each of its links, operated as one system.

    It is what `isfc.cp.messages.Operated` asks for. An input reaches the links that it concerns:
    that of its device, or all that have devices on its chpid. Raises `ConfigurationError` when the
    links do not fit together, such as by one device in two of them.
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
            return [self._engine_of[given.rdev]]
        assert isinstance(given, DeviceInput), "operators give no other input"
        return [self._engine_of[given.rdev]]
