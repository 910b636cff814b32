"""For tests of what runs over a logical link, ours and yours: ``pip install 'isfc[testing]'``.

`isfc.testing.pair` has two nodes in virtual time, `isfc.testing.invariants` what must hold of them,
`isfc.testing.strategies` what to try, and a state machine to add rules to (hypothesis),
`isfc.testing.plugin` the fixtures of pytest. docs/testing.md is a tutorial. The names that a test
needs are here too, each loaded when it is used.
"""

from typing import TYPE_CHECKING, Final

from isfc.errors.loading import public_face

if TYPE_CHECKING:
    from isfc.link.message import Message as Message
    from isfc.link.parameters import LinkRules as LinkRules
    from isfc.link.schedule import WriteScheduler as WriteScheduler
    from isfc.testing.invariants import Ledger as Ledger
    from isfc.testing.pair import Pair as Pair
    from isfc.testing.pair import Setup as Setup
    from isfc.testing.plugin import register_profiles as register_profiles
    from isfc.testing.programs import ProgramsRun as ProgramsRun
    from isfc.testing.programs import Stuck as Stuck
    from isfc.testing.programs import open_pair as open_pair
    from isfc.testing.programs import run_programs as run_programs
    from isfc.testing.side import Side as Side
    from isfc.testing.steps import Step as Step
    from isfc.testing.strategies import LinkMachine as LinkMachine
    from isfc.testing.strategies import fault_schedules as fault_schedules
    from isfc.testing.strategies import faults as faults
    from isfc.testing.strategies import layouts as layouts
    from isfc.testing.strategies import messages as messages
    from isfc.testing.strategies import node_names as node_names
    from isfc.testing.strategies import setups as setups
    from isfc.testing.strategies import traffic_plans as traffic_plans
    from isfc.testing.strategies import workloads as workloads
    from scenarios.faults.fault import Fault as Fault
    from scenarios.faults.fault import FaultKind as FaultKind

_PUBLIC: Final = {
    "isfc.link.message": "Message",
    "isfc.link.parameters": "LinkRules",
    "isfc.link.schedule": "WriteScheduler",
    "isfc.testing.invariants": "Ledger",
    "isfc.testing.pair": "Pair Setup",
    "isfc.testing.side": "Side",
    "isfc.testing.steps": "Step",
    "isfc.testing.strategies": "LinkMachine fault_schedules faults layouts messages node_names "
    "setups traffic_plans workloads",
    "isfc.testing.plugin": "register_profiles",
    "isfc.testing.programs": "ProgramsRun Stuck open_pair run_programs",
    "scenarios.faults.fault": "Fault FaultKind",
}
"""The names that are here too, by the modules that define them."""

_HOMES, __getattr__, __dir__ = public_face("isfc.testing", _PUBLIC)
