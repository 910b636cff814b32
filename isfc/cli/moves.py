"""``isfc relocate`` and ``isfc evacuate``: what is asked, and what a guest that stays ends with."""

from isfc.answers.evacuate import RollingMaintenance, evacuate_report, rolling_maintenance
from isfc.answers.evacuate import evacuate as evacuated
from isfc.answers.moves import Moves
from isfc.answers.relocate import relocate as relocated
from isfc.cli.capability import Instead, command_of
from isfc.cli.options.guest import GuestOptions
from isfc.cli.output.exits import ExitCode


def _code(found: Moves | RollingMaintenance) -> ExitCode:
    return ExitCode.GOOD if found.all_moved else ExitCode.FAILED


relocate = command_of(relocated, _code, made={"guests": GuestOptions})
evacuate = command_of(
    evacuated,
    _code,
    report=evacuate_report,
    instead=[
        Instead(
            "rolling",
            "Rolling maintenance: the systems in turn, or all that have guests; each is left, and "
            "gets its guests back.",
            rolling_maintenance,
        )
    ],
)
