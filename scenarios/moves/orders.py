"""Commands while guests are on their way, each at a given time.

VMRELOCATE MODIFY, CANCEL and STATUS, what an operator of the system does to its CTCs, and hardware
that is lost.
"""

import re
from collections.abc import Iterable, Sequence
from math import inf
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.address import Rdev
from isfc.engine.virtual import VirtualEngine
from isfc.errors import ConfigurationError
from isfc.errors.in_words import grouped, listed, number
from isfc.layout.collection import Collection
from isfc.layout.loss import PATH, loss_of, one_of_several, places_of
from isfc.link.name import NodeName, matches
from isfc.system.cp.processor import CommandProcessor
from isfc.system.system import System
from scenarios.moves.guest import SECONDS_MAX
from scenarios.moves.leaving import Departures, RelocationQueue
from scenarios.runs.experiment import NS_PER_S
from scenarios.runs.operation import Trunks

_TIMED: Final = re.compile(
    r"(?P<seconds>\d{1,8}(?:\.\d{1,9})?) *s? +(?P<command>\S.*)", re.IGNORECASE | re.ASCII
)
_RELOCATION: Final = re.compile(
    r"(?:VMRELO(?:CATE)? +)?(?P<verb>MODIFY|CANCEL|STATUS)"
    r"(?: +(?:USER +)?(?P<user>\S{1,8}))?(?P<operands>(?: +\S+)*)",
    re.IGNORECASE | re.ASCII,
)
_LOSS: Final = re.compile(r"LOSE +(?P<piece>\S{1,40})", re.IGNORECASE | re.ASCII)
_OF_CTCS: Final = re.compile(r"(?P<verb>\S{1,10}) +\S.*", re.ASCII)
_CTC_VERBS: Final = ("VARY", "ACTivate", "DEActive", "DEACTIVATe")
_CP: Final = "CP"
LOSE: Final = "LOSE"
NOT_GIVEN: Final = "Not given: every guest was over by then."
_LOOK_NS: Final = 100_000
_OPERANDS: Final = {"MAXT": "max_total", "MAXQ": "max_quiesce"}
"""By the shortest abbreviation; ``VMRELOCATE`` itself may be written ``VMRELO``."""

UNNAMED: Final = "GUEST"
"""What a guest is called that nobody has named, and that is alone."""

_EXPECTED: Final = (
    "expected SECONDS and MODIFY USER MAXTOTAL|MAXQUIESCE SECONDS|NOLIMIT (or both), CANCEL USER, "
    "STATUS [USER], or VARY, ACTIVATE or DEACTIVE of CTCs, such as "
    "'5 MODIFY LINUX1 MAXQUIESCE 20' or '2 VARY OFFLINE CHPID 40', or LOSE PIECE, such as "
    "'2 LOSE director:1'"
)


class RelocationOrder(Struct, frozen=True):
    """A command, when it is given (ns since the first VMRELOCATE), and of whom; None is all.

    ``command`` is the whole of one that is no VMRELOCATE, as the system's CP is given it; of a
    ``LOSE`` it is the piece of hardware, by its name in `isfc.layout.loss`.
    """

    at_ns: int
    verb: str
    user: str | None = None
    changes: tuple[tuple[str, float], ...] = ()
    command: str = ""

    @property
    def text(self) -> str:
        """One that is no VMRELOCATE, in words."""
        return f"{LOSE} {self.command}" if self.verb == LOSE else self.command


class StatusLine(Struct, frozen=True, rename={"source": "from", "stage": "status"}):
    """One guest in a response to VMRELOCATE STATUS."""

    user: str
    source: str
    to: str
    elapsed_s: float
    stage: str


class Response(Struct, frozen=True, rename={"lines": "status"}):
    """What came of an order, as ``--json`` has it too; names and meanings of the keys stay."""

    at_s: float
    command: str
    told: str = ""
    """what else there is than lines"""
    lines: tuple[StatusLine, ...] = ()
    """those of STATUS"""


def read_order(text: str, users: Sequence[str]) -> RelocationOrder:
    """An order such as ``5 MODIFY LINUX1 MAXQUIESCE 20``. Raises `ConfigurationError`."""
    timed = _TIMED.fullmatch(text.strip())
    if timed is None:
        raise ConfigurationError(_EXPECTED)
    at_ns = round(float(timed["seconds"]) * NS_PER_S)
    found = _RELOCATION.fullmatch(timed["command"])
    if found is None:
        return _ctc_order(at_ns, timed["command"])
    verb = found["verb"].upper()
    user = (found["user"] or "").upper() or None
    words = (found["operands"] or "").upper().split()
    if user is None and verb != "STATUS":
        raise ConfigurationError(_EXPECTED)
    if user is not None and [*users] == [UNNAMED]:
        user = UNNAMED  # whatever its user id is, it is the only one
    if user is not None and user not in users:
        raise ConfigurationError(f"{verb} {user}: expected one of {', '.join(users)}")
    if bool(words) != (verb == "MODIFY"):
        raise ConfigurationError(_EXPECTED)
    return RelocationOrder(at_ns, verb, user, tuple(_operands(words)))


def _ctc_order(at_ns: int, command: str) -> RelocationOrder:
    if (lost := _LOSS.fullmatch(command)) is not None:
        return RelocationOrder(at_ns, LOSE, command=lost["piece"])
    found = _OF_CTCS.fullmatch(command)
    if found is None or not any(matches(verb, found["verb"].upper()) for verb in _CTC_VERBS):
        raise ConfigurationError(_EXPECTED)
    return RelocationOrder(at_ns, _CP, command=command.upper())


def _operands(words: Sequence[str]) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    if len(words) % 2:
        raise ConfigurationError(_EXPECTED)
    for name, value in zip(words[::2], words[1::2], strict=True):
        whole = "MAXTOTAL" if name.startswith("MAXT") else "MAXQUIESCE"
        if len(name) < 4 or not whole.startswith(name):
            raise ConfigurationError(f"{name[:40]}: expected MAXTOTAL or MAXQUIESCE")
        if _OPERANDS[name[:4]] in dict(found):
            raise ConfigurationError(f"{whole} twice; expected it once")
        found.append((_OPERANDS[name[:4]], _seconds(whole, value)))
    return found


def _seconds(name: str, text: str) -> float:
    if text == "NOLIMIT":
        return inf
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= SECONDS_MAX):
        raise ConfigurationError(
            f"{name} {text[:40]}: expected 1 to {number(SECONDS_MAX)} seconds, or NOLIMIT"
        )
    return float(text)


class Hardware:
    """The hardware of some links that run, of which pieces are lost for good."""

    def __init__(self, collection: Collection, engine: VirtualEngine) -> None:
        self._collection = collection
        self._engine = engine
        self._trunks = Trunks(engine)
        self._gone: set[tuple[NodeName, Rdev]] = set()

    def lose(self, piece: str) -> str:
        """Cut the CTCs that go with a piece; which links have lost any."""
        isl = one_of_several(piece, self._collection)
        if isl is not None and not self._trunks.change(isl, 1):
            return self.lose(f"{PATH}:{isl.path}")
        for node, rdev in places_of(piece, self._collection):
            if (node, rdev) not in self._gone:
                self._gone.add((node, rdev))
                self._engine.unplug(rdev, node)
        return lost_in_words(self._collection, piece)


def lost_in_words(collection: Collection, piece: str) -> str:
    """Which links a piece cuts, and which have fewer CTCs without it."""
    isl = one_of_several(piece, collection)
    if isl is not None:
        return f"one of {isl.count} inter-switch links of path {isl.path} is gone"
    loss = loss_of(collection, [piece])
    down = [("down", link) for link in loss.cut]
    fewer = [(f"left with {few} of {had} CTCs", link) for link, few, had in loss.fewer]
    found = grouped([*down, *fewer])
    said = (
        f"{listed(links)} {'are' if len(links) > 1 else 'is'} {how}" for how, links in found.items()
    )
    return "; ".join(said)


class Operator:
    """Gives the orders, each at its time, and keeps the responses.

    What happens to CTCs happens to those of links that have come up, which takes some round trips.
    """

    def __init__(
        self,
        orders: Sequence[RelocationOrder],
        queue: RelocationQueue,
        source: System,
        departures: Iterable[Departures],
        begin_ns: int,
        hardware: Hardware,
    ) -> None:
        self._orders = sorted(orders, key=lambda order: order.at_ns)
        self._queue = queue
        self._source = source
        self._departures = tuple(departures)
        self._processor = CommandProcessor()
        self._hardware = hardware
        self._not_before_ns = 0
        self._begin_ns = begin_ns
        self.responses: list[Response] = []

    @property
    def due_ns(self) -> int | None:
        """When the next order is to be given; None if there is none."""
        if not self._orders:
            return None
        return max(self._not_before_ns, self._begin_ns + self._orders[0].at_ns)

    def act(self, now_ns: int) -> None:
        """Give the orders that are due. The engine is to be drained then: CTCs may have gone."""
        while self.due_ns is not None and self.due_ns <= now_ns:
            order = self._orders[0]
            if order.verb in (_CP, LOSE) and not all(each.was_up for each in self._departures):
                self._not_before_ns = now_ns + _LOOK_NS
                return
            self._orders = self._orders[1:]
            if order.verb == _CP:
                at_ns = self._queue.clock.engine_ns(now_ns)
                response = self._processor.execute(order.command, self._source, at_ns)
                self._respond(order, (), "\n".join((*response.lines, *response.announcements)))
            elif order.verb == LOSE:
                self._respond(order, (), self._hardware.lose(order.command))
            elif order.verb == "STATUS":
                self._respond(order, self._status(order, now_ns))
            else:
                self._respond(order, (), self._change(order, now_ns))

    def end(self) -> None:
        """Every guest is over: say of the orders that are left that they were not given."""
        for order in self._orders:
            self._respond(order, (), NOT_GIVEN)
        self._orders = []

    def _respond(
        self, order: RelocationOrder, lines: tuple[StatusLine, ...], told: str = ""
    ) -> None:
        operands = "".join(
            f" {name.replace('_', '').upper()} {'NOLIMIT' if value == inf else f'{value:g}'}"
            for name, value in order.changes
        )
        user = f" {order.user}" if order.user else ""
        command = order.text or f"VMRELOCATE {order.verb}{user}{operands}"
        self.responses.append(Response(order.at_ns / NS_PER_S, command, told, lines))

    def _status(self, order: RelocationOrder, now_ns: int) -> tuple[StatusLine, ...]:
        return tuple(
            StatusLine(
                guest.plan.name,
                self._source.name,
                self._queue.destination(guest),
                (now_ns - guest.begin_ns) / NS_PER_S,
                guest.stage,
            )
            for guest in self._queue.going
            if order.user in (None, guest.plan.name)
        )

    def _change(self, order: RelocationOrder, now_ns: int) -> str:
        """MODIFY and CANCEL; of a guest that waits its VMRELOCATE is not yet given."""
        guest = next((each for each in self._queue.going if each.plan.name == order.user), None)
        if guest is None:
            return "The guest is not being relocated at that time."
        if order.verb == "CANCEL":
            guest.cancel(now_ns)
        else:
            changes: dict[str, Any] = dict(order.changes)
            guest.modify(replace(guest.limits, **changes), now_ns)
        return ""
