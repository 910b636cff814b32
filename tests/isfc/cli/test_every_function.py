"""Commands and functions are the same: each has the other, and their options the same names."""

import inspect
from collections.abc import Callable
from typing import Any, Final

import pytest

import isfc
from tests.isfc.cli.conftest import every_command

WITHOUT: Final = {
    "studio": "a page for people; it computes by these functions",
    "node": "a process of its own: `open_node` opens a system inside a program",
    "up": "processes of their own: `open_node` opens a system inside a program",
    "cp": "speaks to a process that `isfc node` began",
    "ctce": "stands between processes of others, until it is ended",
}
"""Commands that have no function, each with the reason."""

NAMED: Final = {"show": "drawing"}
"""Functions that are not called as their commands are; ``measured fit`` is `measured.fit`."""

PRINTED: Final = frozenset(
    "json csv table html markdown plot output full format fail_on report interval side x y why "
    "plain force notes partitions ports".split()
)
"""Options that say how something is shown or written, of which functions return all; and what is
said of decks, which is `Decks` of a function's layout."""

RENAMED: Final = {"from": ("client", "source", "from_"), "as": ("as_",)}
"""Options whose names are no good for arguments; with the last, ``--from`` of `relocate`."""

OF_FILES: Final = "system zone records usable decimal_comma".split()
OF_A_GUEST: Final = (
    "memory change_rate touched hot_set write_rate like quiesce max_quiesce max_total immediate"
).split()

ELSEWHERE: Final[dict[str, dict[str, str]]] = {
    "plan": dict.fromkeys(["lose", "without"], "`losses`")
    | {"simulate": "`losses`, unless `rule`"},
    "change": {"try": "`trials` of the answer"},
    "new": {"schema": "`schema`"},
    "show": {"connections": "`connections`"},
    "check": {"layouts": "one at a time"},
    "run": dict.fromkeys(["message", "reply", "window"], "`Workload`")
    | dict.fromkeys(["cp", "faults", "fault_seed"], "`meanwhile`, `Meanwhile`")
    | dict.fromkeys(["trace", "release"], "`look`, `Look`, as are those that say what is shown"),
    "relocate": dict.fromkeys(OF_A_GUEST, "`GuestPlan`"),
    "evacuate": {"rolling": "`rolling_maintenance`"},
    "compare": {"files": "`layouts`; of results `compare_results`"},
    **dict.fromkeys(
        ["measured read", "measured compare", "measured fit"],
        dict.fromkeys(OF_FILES, "`about`, `measured.AboutFiles`"),
    ),
    "loads": dict.fromkeys(OF_FILES, "`about`, `measured.AboutFiles`")
    | {"move": "`guests`, a `GuestMemory`"},
}
"""Options that are no arguments of the command's function, and what there is instead."""


EVERY: Final = every_command()


def function_of(name: str) -> Callable[..., Any]:
    """The public function of a command."""
    group, _, below = name.partition(" ")
    if group in ("measured", "loads"):
        assert (below or group) in isfc.measured.__all__
        return getattr(isfc.measured, below or group)  # type: ignore[no-any-return]
    called = NAMED.get(name, name.replace(" ", "_"))
    assert called in isfc.__all__, f"{name}: write a function, or say why there is none"
    return getattr(isfc, called)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", sorted(EVERY))
def test_every_command_has_a_function_or_a_reason(name: str) -> None:
    assert (name in WITHOUT) != callable(name not in WITHOUT and function_of(name))


@pytest.mark.parametrize("name", sorted(set(EVERY) - set(WITHOUT)))
def test_every_option_is_an_argument_of_the_same_name(name: str) -> None:
    arguments = set(inspect.signature(function_of(name)).parameters)
    options = {
        each.name if each.param_type_name == "argument" else each.opts[0].strip("-")
        for each in EVERY[name].params
    }
    options = {option.replace("-", "_") for option in options} - PRINTED - {"link"}
    missing = {
        option for option in options - arguments if not arguments & set(RENAMED.get(option, ()))
    }
    assert missing == set(ELSEWHERE.get(name, ())), "an option is an argument, or is elsewhere"


def test_lists_are_of_commands_that_there_are() -> None:
    assert {*WITHOUT, *NAMED, *ELSEWHERE} <= EVERY.keys()
