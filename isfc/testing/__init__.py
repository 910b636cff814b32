"""For tests of what runs over a logical link, ours and yours: ``pip install 'isfc[testing]'``.

`isfc.testing.pair` has two nodes in virtual time, `isfc.testing.invariants` what must hold of them,
`isfc.testing.strategies` what to try (hypothesis), `isfc.testing.machine` a state machine to add
rules to, `isfc.testing.plugin` the fixtures of pytest. docs/testing.md is a tutorial. The names
that a test needs are here too, each loaded when it is used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from isfc.link.message import Message as Message
    from isfc.link.rules import LinkRules as LinkRules
    from isfc.link.schedule import WriteScheduler as WriteScheduler
    from isfc.testing.invariants import Ledger as Ledger
    from isfc.testing.live_pair import open_pair as open_pair
    from isfc.testing.machine import LinkMachine as LinkMachine
    from isfc.testing.pair import Pair as Pair
    from isfc.testing.pair import Setup as Setup
    from isfc.testing.plan import Step as Step
    from isfc.testing.profiles import register_profiles as register_profiles
    from isfc.testing.side import Side as Side
    from isfc.testing.strategies import fault_schedules as fault_schedules
    from isfc.testing.strategies import faults as faults
    from isfc.testing.strategies import layouts as layouts
    from isfc.testing.strategies import messages as messages
    from isfc.testing.strategies import node_names as node_names
    from isfc.testing.strategies import setups as setups
    from isfc.testing.strategies import traffic_plans as traffic_plans
    from isfc.testing.strategies import workloads as workloads
    from isfc.testing.virtual_programs import ProgramsRun as ProgramsRun
    from isfc.testing.virtual_programs import Stuck as Stuck
    from isfc.testing.virtual_programs import run_programs as run_programs
    from scenarios.faults.fault import Fault as Fault
    from scenarios.faults.fault import FaultKind as FaultKind

_HOMES: Final = {
    "Fault": "scenarios.faults.fault",
    "FaultKind": "scenarios.faults.fault",
    "Ledger": "isfc.testing.invariants",
    "LinkMachine": "isfc.testing.machine",
    "LinkRules": "isfc.link.rules",
    "Message": "isfc.link.message",
    "Pair": "isfc.testing.pair",
    "ProgramsRun": "isfc.testing.virtual_programs",
    "Setup": "isfc.testing.pair",
    "Side": "isfc.testing.side",
    "Step": "isfc.testing.plan",
    "Stuck": "isfc.testing.virtual_programs",
    "WriteScheduler": "isfc.link.schedule",
    "open_pair": "isfc.testing.live_pair",
    "fault_schedules": "isfc.testing.strategies",
    "faults": "isfc.testing.strategies",
    "layouts": "isfc.testing.strategies",
    "messages": "isfc.testing.strategies",
    "node_names": "isfc.testing.strategies",
    "register_profiles": "isfc.testing.profiles",
    "run_programs": "isfc.testing.virtual_programs",
    "setups": "isfc.testing.strategies",
    "traffic_plans": "isfc.testing.strategies",
    "workloads": "isfc.testing.strategies",
}
"""Each name that is here too, and the module that defines it."""


def __getattr__(name: str) -> Any:
    """A name, from the module that defines it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'isfc.testing' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    if isinstance(found, type) and found.__doc__ in (None, "", "mypyc filler docstring"):
        import_module("isfc.documented").document(found)
    return found


def __dir__() -> list[str]:
    return [*_HOMES]
