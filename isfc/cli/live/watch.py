"""Watching live links: a page that is redrawn every second, or a line a second."""

import asyncio
import sys
from collections import defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime

from rich.live import Live

from ctc.address import Rdev
from isfc.cli.live import watch_page
from isfc.cli.live.measured import NodeRates, rates
from isfc.cli.live.watch_page import Ends, Surroundings
from isfc.cli.output.streams import ERROR_PREFIX, show, show_log
from isfc.live.operator import LiveSnapshot
from isfc.reports.terminal import open_console

SMOOTHED_DILATION = 10
SMOOTHED_LOOKS = 5
"""From that dilation on, rates are those since so many looks ago: a second has few packages."""


async def relay(log: asyncio.StreamReader, said: set[str]) -> None:
    """Pass a node's log on to stderr, line by line, so that it does not run into the page.

    What both nodes say of the same mistake appears once: ``said`` is what one of them has said.
    """
    while True:
        try:
            line = await log.readline()
        except ValueError:  # too long for one; nothing of ours is
            continue
        if not line:
            return
        text = line.decode("utf-8", "replace").rstrip("\n")
        if not text.startswith(ERROR_PREFIX):
            show_log(text)
        elif text not in said:
            said.add(text)
            show_log(text)


def local_time() -> str:
    """The time of day here, HH:MM:SS."""
    return datetime.now().astimezone().strftime("%H:%M:%S")


class LiveView(AbstractContextManager["LiveView"]):
    """Shows links as they are at every call of `show`, from entering to leaving.

    ``links`` have the names of their two systems in the layout's order, ``dilation`` is 0 with no
    pace; ``chpids`` are those of each CTC of one link, by the first system's device numbers. With
    ``plain`` each call prints a line, as for a log; so it does where stdout is no terminal, or one
    that can do no more (``TERM=dumb``).
    """

    def __init__(
        self,
        links: Sequence[tuple[str, str]],
        *,
        plain: bool = False,
        dilation: int = 0,
        chpids: Mapping[Rdev, str] | None = None,
    ) -> None:
        self._links = links
        self._dilation = dilation
        self._chpids = chpids or {}
        looks = SMOOTHED_LOOKS if dilation >= SMOOTHED_DILATION else 1
        self._before: defaultdict[tuple[str, str], deque[LiveSnapshot]] = defaultdict(
            lambda: deque(maxlen=looks)
        )
        self._history: deque[float] = deque(maxlen=watch_page.SPARKS_MAX)
        self._look_count = 0
        self._console = console = open_console()
        self._live: Live | None = None
        if not plain and console.is_terminal and not console.is_dumb_terminal:
            self._live = Live(
                console=console,
                auto_refresh=False,
                redirect_stdout=False,
                redirect_stderr=sys.stderr.isatty(),  # what is said there scrolls by above
                vertical_overflow="crop",
            )

    def __enter__(self) -> "LiveView":
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, seen: Iterable[LiveSnapshot]) -> None:
        """The link ends of all systems that answer, as they are now."""
        found = {(each.node.name, each.node.partner): each for each in seen}
        ends: list[Ends] = [
            (self._rates(found.get((here, there))), self._rates(found.get((there, here))))
            for here, there in self._links
        ]
        self._look_count += 1
        self._history.append(sum(end.link.mb_per_s_out for both in ends for end in both if end))
        size = self._console.size
        if self._live is not None:
            around = Surroundings(
                *(size.width, size.height, self._look_count, self._dilation),
                history=tuple(self._history),
                chpids=self._chpids,
            )
            is_one = len(self._links) == 1
            self._live.update(
                watch_page.watch_page(self._links[0], ends[0], around)
                if is_one
                else watch_page.links_page(self._links, ends, around),
                refresh=True,
            )
        elif len(self._links) > 1:
            time = local_time()
            show(watch_page.links_headings())
            for names, both in zip(self._links, ends, strict=True):
                show(watch_page.links_line(time, names, both))
        else:
            if self._look_count % watch_page.HEADINGS_EVERY == 1:
                show(watch_page.watch_headings(self._links[0]))
            show(watch_page.watch_line(local_time(), ends[0]))

    def _rates(self, after: LiveSnapshot | None) -> NodeRates | None:
        if after is None:
            return None
        earlier = self._before[after.node.name, after.node.partner]
        before = earlier[0] if earlier else None
        earlier.append(after)
        return rates(before, after)
