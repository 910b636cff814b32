"""What ran, inferred from what a site measured: workload, clients' system, pairs of guests.

Link activity tells messages, their mean lengths and bytes each way. It does not tell how lengths
are spread, how many messages a conversation has under way, or how many conversations there are;
what is assumed of these is said. Device rows alone tell none of it: the user must say what ran.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from isfc.errors import ConfigurationError
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.link.package import BLOCK_HEADER_LENGTH, BLOCK_LENGTH, MESSAGE_HEADER_LENGTH
from isfc.measured.measurement import FilePlace, LinkFigures, Measurement, WayFigures
from isfc.measured.seen import SeenInterval, SeenLink
from scenarios.runs.run import Experiment, run
from scenarios.runs.workload import Workload, find_workload, free_workload

PAIRS_TRIED_MAX: Final = 256
"""Pairs that are tried: more than IBM's 100 only add to what waits."""

QUIET_MB_PER_S: Final = 0.1
"""Below this, a link does nothing that identifies a workload."""

_EXCHANGE_RATIO: Final = 0.9
"""Messages back per message forth, from which on there is one reply for each."""
_ENOUGH: Final = 0.97
"""Share of the measured rate at which pairs are enough: a report's last digit is 0.1 to 1 %."""


class QuietLink(ConfigurationError):
    """Nothing went over the link that a workload can be inferred from."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A workload that gives what was measured; ``uncertain`` says what of it is assumed.

    ``offered_per_s`` is the exchanges a second that an open loop would offer, None if no link
    activity says it.
    """

    workload: Workload
    pairs: int
    client: NodeName
    offered_per_s: float | None
    uncertain: tuple[str, ...]

    def experiment(
        self, layout: Layout, seconds: float, warmup: float, seed: int = 1
    ) -> Experiment:
        """A run of it."""
        return Experiment(
            layout, self.workload, self.pairs, seconds, warmup, seed, client=self.client
        )


def derive(layout: Layout, interval: SeenInterval, seconds: float = 0.5) -> Derived:
    """The workload of an interval: as the first of its ends says it that does.

    Pairs that nobody says are found by runs of ``seconds`` each. Raises `QuietLink` where nothing
    ran, and `ConfigurationError` where nothing says what.
    """
    for end in interval.ends:
        _check_busy(end.measurement)
    told = next((end for end in interval.ends if end.measurement.ran), None)
    active = next((end for end in interval.ends if end.measurement.links), None)
    if told is not None:
        return _as_told(layout, told, active)
    if active is None:
        raise ConfigurationError(
            f"{interval.place}: device rows say nothing of messages; expected link activity of the "
            "same interval as well, or --ran NAME:PAIRS"
        )
    one, link = active.measurement, active.measurement.links[0]
    here = _clients_here(one, link)
    out, back = _ways(link, clients_here=here)
    workload = _workload(one.place, out, back)
    client = _client(layout, active.node, here=here)
    pairs, enough = _pairs(layout, workload, client, out.mb_per_s + back.mb_per_s, seconds)
    uncertain = [*_assumed(out, back, workload)]
    if not enough:
        uncertain.append(f"the model does not reach the rate; with {pairs} pairs it comes nearest")
    return Derived(workload, pairs, client, out.messages_per_s, tuple(uncertain))


def find_ran(name: str) -> Workload:
    """A workload by its name: a published one, or ``MIN:MAX:PERCENT/REPLY``."""
    message, slash, reply = name.partition("/")
    if slash and reply.isascii() and reply.isdigit():
        return free_workload(message, int(reply))
    return find_workload(name)


def _check_busy(one: Measurement) -> None:
    link = one.links[0] if one.links else None
    io_per_s = sum(device.io_per_s for device in one.devices)
    mb_per_s = None if link is None else link.written.mb_per_s + link.read.mb_per_s
    if (mb_per_s is not None and mb_per_s < QUIET_MB_PER_S) or (link is None and io_per_s < 1):
        what = f"{io_per_s:.1f} I/O/s" if mb_per_s is None else f"{mb_per_s:.2f} MB/s"
        raise QuietLink(f"{one.place}: the link was quiet ({what}): it says nothing of the model")


def _as_told(layout: Layout, told: SeenLink, active: SeenLink | None) -> Derived:
    """What ran as one end says it; the other may say where the clients were, and how much."""
    uncertain = []
    end, here = told, told.measurement.clients
    if here is None and active is not None:
        end, here = active, _clients_here(active.measurement, active.measurement.links[0])
    if here is None:
        here = True
        uncertain.append(f"clients on {end.node}: nothing says on which system they were")
    client = _client(layout, end.node, here=here)
    offered = None
    if active is not None:
        out, _ = _ways(active.measurement.links[0], clients_here=active.node == client)
        offered = out.messages_per_s
    ran = told.measurement.ran
    assert ran is not None
    return Derived(find_ran(ran.workload), ran.pairs, client, offered, tuple(uncertain))


def _client(layout: Layout, node: NodeName, *, here: bool) -> NodeName:
    first, second = layout.nodes
    return node if here else second if node == first else first


def _clients_here(one: Measurement, link: LinkFigures) -> bool:
    """Whether the side that sends the longer messages, the clients, is the one measured."""
    if one.clients is not None:
        return one.clients
    return link.written.mb_per_s >= link.read.mb_per_s


def _ways(link: LinkFigures, *, clients_here: bool) -> tuple[WayFigures, WayFigures]:
    """What clients send, and what comes back."""
    return (link.written, link.read) if clients_here else (link.read, link.written)


def _workload(place: FilePlace, out: WayFigures, back: WayFigures) -> Workload:
    if out.messages_per_s <= 0:
        raise QuietLink(f"{place}: no messages were sent: nothing says what ran")
    length = _payload(out.mb_per_s * 2**20 / out.messages_per_s)
    reply = _payload(back.mb_per_s * 2**20 / back.messages_per_s) if back.messages_per_s else 1
    return free_workload(f"{length}:{length}:0", reply)


def _payload(length: float) -> int:
    """The bytes of a message whose length with its headers is known."""
    without = length - MESSAGE_HEADER_LENGTH
    return max(1, round(without - BLOCK_HEADER_LENGTH * max(1.0, without / BLOCK_LENGTH)))


def _assumed(out: WayFigures, back: WayFigures, workload: Workload) -> Iterator[str]:
    yield "all messages of the mean length; how lengths are spread is not measured"
    yield f"{workload.window} messages of a conversation under way, as in IBM's runs"
    ratio = back.messages_per_s / out.messages_per_s
    if not _EXCHANGE_RATIO <= ratio <= 1 / _EXCHANGE_RATIO:
        yield (
            f"one reply for each message, though {ratio:.2f} came back for each: the model has no "
            "other traffic"
        )


def _pairs(
    layout: Layout, workload: Workload, client: NodeName, mb_per_s: float, seconds: float
) -> tuple[int, bool]:
    """The fewest pairs with which the model carries the rate, and whether it does."""
    rates: dict[int, float] = {}

    def rate(pairs: int) -> float:
        if pairs not in rates:
            found = run(Experiment(layout, workload, pairs, seconds, seconds / 2, client=client))
            rates[pairs] = found.mb_per_s
        return rates[pairs]

    enough = _ENOUGH * mb_per_s
    most = 1
    while rate(most) < enough and most < PAIRS_TRIED_MAX:
        if most > 8 and rate(most) < 1.02 * rate(most // 2):
            break  # more pairs only wait
        most *= 2
    if rate(most) < enough:
        return min(rates, key=lambda pairs: abs(rates[pairs] - mb_per_s)), False
    least = most // 2
    while most - least > max(1, most // 16):
        middle = (least + most) // 2
        least, most = (least, middle) if rate(middle) >= enough else (middle, most)
    return most, True
