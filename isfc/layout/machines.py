"""The machines that systems run on, and how long CP takes on each beside a z10 EC.

IBM measured ISFC on a z10 EC alone. ``machines.csv`` has a row for each machine: how many times as
fast a full-speed engine is, low, mid and high. What takes time of CP has one of three natures:

- *path length* goes with the engine;
- what is paid *by byte* is path length by half, as a byte in the cache takes half, and memory by
  the other;
- what is *waited* for is not known: at most as long as on a z10, at least as path length.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from enum import IntEnum, StrEnum
from functools import cache
from importlib import resources
from typing import Any, Final, TypeVar

from msgspec import Struct, convert

from ctc.features import FEATURES
from isfc.errors import ConfigurationError
from isfc.layout.processors import ENGINES, IFL, THREADS, MachineTable, Processors


class Estimate(IntEnum):
    """Which of the three figures of a machine counts."""

    LOW = 0
    MID = 1
    HIGH = 2


Three = tuple[float, float, float]

MEMORY: Final[Three] = (1.0, 0.6, 0.0)
"""How long what misses a z10's caches takes on a later machine, beside a z10 (assumed: not shorter;
between; nothing, as all is in its larger caches). It is not published."""


class Card(StrEnum):
    """How a machine has a FICON feature, from the best."""

    ORDERED = "ordered"
    CARRIED = "carried"
    UNKNOWN = "not known"
    NEVER = "never had"


class MachineType(Struct, frozen=True):
    """A row of ``machines.csv``: ``low``, ``mid`` and ``high`` speeds, a z10 EC's engine being 1.

    ``type`` is IBM's machine type. ``status`` and ``source`` say how the speeds are known.
    ``features`` are those that it has had, ``ordered`` those of them that are not only carried
    forward (general knowledge), ``gone`` some that it never had (published).
    """

    name: str
    type: str
    low: float
    mid: float
    high: float
    status: str
    source: str
    features: str
    ordered: str
    gone: str

    def card(self, feature: str) -> Card:
        """How it has a FICON feature."""
        said = {Card.ORDERED: self.ordered, Card.CARRIED: self.features, Card.NEVER: self.gone}
        name = feature.removeprefix("FICON ")
        return next((card for card, names in said.items() if name in names.split()), Card.UNKNOWN)


@cache
def machines() -> Mapping[str, MachineType]:
    """Every machine by name, the oldest first."""
    text = resources.files(__package__).joinpath("machines.csv").read_text("utf-8")
    names, *lines = (line.split(",") for line in text.splitlines())
    rows = [dict(zip(names, line, strict=True)) for line in lines]
    return {each.name: each for each in convert(rows, list[MachineType], strict=False)}


def known_machine(name: str) -> MachineType | None:
    """The machine of a name, of a type, such as ``3931``, or the first of a family: ``z16``."""
    found: dict[str, MachineType] = {}
    for each in machines().values():
        for called in (each.name, each.name.partition(" ")[0], each.type):
            found.setdefault(called.casefold(), each)
    return found.get(name.casefold().strip())


def find_machine(name: str) -> MachineType:
    """The same; raises `ConfigurationError` for one that is not known."""
    if found := known_machine(name):
        return found
    raise ConfigurationError(
        f"{name[:40]!r} is no machine; expected one of {', '.join(machines())}"
    )


def machines_with(feature: str) -> str:
    """The machines that have had a FICON feature (general knowledge)."""
    return ", ".join(name for name in machines() if is_had(card_on(feature, [name])))


def card_on(feature: str, names: Iterable[str]) -> Card:
    """How machines have a FICON feature: that one that has it least."""
    cards = [find_machine(name).card(feature) for name in names]
    return max(cards, key=[*Card].index, default=Card.UNKNOWN)


def is_had(card: Card) -> bool:
    """Whether a machine can have it."""
    return card in (Card.ORDERED, Card.CARRIED)


def newest_on(names: Collection[str]) -> str | None:
    """The newest FICON feature that all machines are ordered with, or else have; None without."""
    cards = {feature: card_on(feature, names) for feature in FEATURES}
    had = [name for card in (Card.CARRIED, Card.ORDERED) for name in cards if cards[name] is card]
    return had[-1] if had else None


LEVELS: Final = {"7": 1.0, "Z": 1.0, "6": 0.66, "5": 0.41, "4": 0.24}
"""The share of a full-speed engine that a CP's capacity setting is, by its first character
(published: 6 and 5 of z16, 4 of z10 EC; assumed of other machines)."""

SMT: Final[Three] = (0.5, 0.62, 1.0)
"""The share of an engine that one of its two threads is, beside a busy one and an idle one
(derived: IBM's ITR of 1.01 to 1.97 on z13; mid of 15 to 30 % more capacity)."""

PATH_SHARE: Final = 0.5
"""Of what a byte takes, which is path length (derived: what one takes that is in the cache)."""


class CpPace(Struct, frozen=True):
    """So many times as long as on a z10 EC something takes, by its nature."""

    path: float
    by_byte: float
    waited: float


def speed_of(on: Processors, case: int) -> float:
    """How many times as fast as a z10 EC's an engine of it is."""
    row, level = find_machine(on.machine), LEVELS[on.engine.partition(" ")[2][:1] or "7"]
    return (row.low, row.mid, row.high)[case] * level * (SMT[case] if on.smt else 1.0)


def pace_of(on: Processors, case: int | None = None) -> CpPace:
    """How long CP takes on it; in its own case, if no other is said."""
    case = on.case if case is None else case
    path = 1 / speed_of(on, case)
    memory = 1.0 if on.machine.startswith("z10") else MEMORY[case]
    by_byte = PATH_SHARE * path + (1 - PATH_SHARE) * memory
    waited = (max(1.0, path), (1 + path) / 2, min(1.0, path))[case]
    return CpPace(path, by_byte, waited)


ENGINE: Final = r"IFL|CP( ([4-7][0-9][0-9]|Z[0-9][0-9]))?"
"""What an engine may be called: an IFL, or a CP with its capacity setting."""


def processors_of(said: str | MachineTable) -> Processors:
    """What a file says that a system runs on; raises `ConfigurationError`."""
    if isinstance(said, str):
        return Processors(find_machine(said).name)
    if not re.fullmatch(ENGINE, said.engine):
        raise ConfigurationError(f"engine {said.engine[:40]!r}: expected {ENGINES}")
    return Processors(find_machine(said.name).name, said.engine, said.processors, said.smt)


def read_processors(text: str) -> Processors:
    """A machine as an option says it: ``z16``, or ``z15 T02/CP 601``, or ``z16/SMT``."""
    name, *more = (part.strip() for part in text.split("/"))
    said = [part.upper() for part in more]
    if has_threads := THREADS in said:
        said.remove(THREADS)
    return processors_of(MachineTable(name, "/".join(said) if said else IFL, None, has_threads))


def on_type(text: str) -> Processors | None:
    """What systems of a machine of a type run on, if it is known."""
    return Processors(found.name) if (found := known_machine(text)) else None


NATURES: Final = {
    "path": "build_package_ns cpu_message_ns cpu_read_package_ns cpu_appc_message_ns "
    "server_ns client_ns",
    "by_byte": "receive_ns_per_byte release_ns_per_byte single_ctc_release_ns_per_byte "
    "appc_ns_per_byte_built appc_ns_per_byte_taken cpu_ns_per_byte client_ns_per_byte",
    "waited": "dispatch_ns recovery_ns client_latency_ns appc_server_ns appc_client_ns",
}
"""The constants of CP and of guests that go with the machine, by their nature (assumed). What is
the channel's, and what CP's policy is, does not."""

_Constants = TypeVar("_Constants")


def on_machine(constants: _Constants, machine: Processors | None) -> _Constants:
    """A record of constants as they are on a machine; as it is without one."""
    return constants if machine is None else at_pace(constants, pace_of(machine))


def at_pace(constants: _Constants, pace: CpPace) -> _Constants:
    """A record of constants at a pace."""
    changed: dict[str, Any] = {}
    for nature, names in NATURES.items():
        for name in names.split():
            if (value := getattr(constants, name, None)) is not None:
                slower = getattr(pace, nature) * value
                changed[name] = round(slower) if isinstance(value, int) else slower
    if hasattr(constants, "recent_share"):
        changed["recent_share"] = PATH_SHARE * pace.path / pace.by_byte
    return replace(constants, **changed)  # type: ignore[type-var]  # dataclasses, in rings above
