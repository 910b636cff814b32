"""CTCs between real Hercules: each end of one is to its Hercules what its partner would be.

`CtceBox` has an `isfc.live.ctce.exchange.Exchange`, and two `isfc.live.ctce_port.EndPort` for each
CTC of it, which meet their Hercules.
"""

import asyncio
from collections.abc import Callable, Sequence

from ctc.order import Order
from isfc.live.ctce.exchange import CtcPlace, Exchange, ExchangeDefinition, ExchangeInput
from isfc.live.ctce.join import JoinedCtc
from isfc.live.ctce_port import EndPort
from isfc.live.pace import Clock, DeadlineTimer

Record = Callable[[int, ExchangeInput], None]


class CtceBox:
    """CTCs, each with two Hercules. `start` listens; `close` ends all connections.

    Without a ``definition`` nothing takes time.
    """

    def __init__(
        self, ctcs: Sequence[JoinedCtc], definition: ExchangeDefinition | None = None
    ) -> None:
        self.ctcs = ctcs
        self._clock = Clock()
        self._timer: DeadlineTimer | None = None
        self.record: Record | None = None
        """Called with each input of the exchange, and when it came, in ns since this was made."""
        definition = definition or ExchangeDefinition(on=(0,) * len(ctcs))
        self.exchange = Exchange(definition, self._send)
        self.ports = [
            (
                EndPort(self.apply, CtcPlace(ctc, 0), ends[0]),
                EndPort(self.apply, CtcPlace(ctc, 1), ends[1]),
            )
            for ctc, ends in enumerate(ctcs)
        ]

    async def start(self) -> None:
        """Listen for every end, and look for its Hercules. Raises `OSError` for a port in use."""
        self._timer = DeadlineTimer(asyncio.get_running_loop(), self._clock, self._on_due)
        try:
            for pair in self.ports:
                for port in pair:
                    await port.start()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End everything; the guests see their partner gone."""
        for pair in self.ports:
            for port in pair:
                await port.close()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def apply(self, given: ExchangeInput) -> None:
        """Let something happen now."""
        now_ns = self._clock.now_ns()
        if self.record is not None:
            self.exchange.advance(now_ns)
            self.record(now_ns, given)
        self.exchange.apply(given, now_ns)
        if self._timer is not None:
            self._timer.set(self.exchange.due_ns, now_ns)

    def now_ns(self) -> int:
        """Since the box was made."""
        return self._clock.now_ns()

    def _send(self, at: CtcPlace, order: Order) -> None:
        self.ports[at.ctc][at.end].send(order)

    def _on_due(self) -> None:
        now_ns = self.now_ns()
        self.exchange.advance(now_ns)
        if self._timer is not None:
            self._timer.set(self.exchange.due_ns, now_ns)
