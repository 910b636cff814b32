"""What a system runs on, as a file says it: a machine, its engines, how many, with SMT or without.

How fast CP is there tells `isfc.layout.machines`.
"""

from collections.abc import Iterable
from typing import Annotated, Final

from msgspec import Struct

from isfc.layout.checked_toml import holds

IFL: Final = "IFL"
THREADS: Final = "SMT"
ENGINES: Final = '"IFL", "CP", or a CP with its setting, such as "CP 601"'
PROCESSORS_MAX: Final = 64
"""More than z/VM takes of logical processors without SMT (general knowledge)."""


class MachineTable(Struct, frozen=True, forbid_unknown_fields=True, rename={"name": "is"}):
    """A machine in a file, with what a system has of it."""

    name: Annotated[str, holds('a machine in quotes, such as "z16"')]
    engine: Annotated[str, holds(ENGINES)] = IFL
    processors: (
        Annotated[int, holds(f"processors, from 1 to {PROCESSORS_MAX}", ge=1, le=PROCESSORS_MAX)]
        | None
    ) = None
    smt: Annotated[bool, holds("true where a core runs two threads, or false")] = False


class Processors(Struct, frozen=True):
    """What a system runs on: a machine, the ``engine``, how many, and whether with SMT.

    ``case`` says which figures of the machine a run takes (`isfc.layout.machines.Estimate`).
    """

    machine: str
    engine: str = IFL
    processors: int | None = None
    smt: bool = False
    case: int = 1

    @property
    def option(self) -> str:
        """``z16/CP 601``: as options take it, without how many."""
        return "/".join(self._parts())

    def __str__(self) -> str:
        return ", ".join(self._parts())

    def _parts(self) -> Iterable[str]:
        return filter(None, (self.machine, self.engine * (self.engine != IFL), THREADS * self.smt))
