"""Rules for what systems run on: features and engines that a machine never had."""

from collections.abc import Iterator
from typing import Final

from isfc.errors.in_words import grouped
from isfc.layout.processors import IFL
from isfc.layout.rules.rule import Broken, Find, Judged, RuleBook, Untried

MACHINE_RULES: Final = RuleBook()
"""In the order in which they are listed."""

_CORRECT: Final = "Correct `machine` or `feature`."
_OF_FILE: Final = Untried("it is about a mistake in the file")


def _without(verb: str, card: str) -> Find:
    """Finds fibres on features that a machine has not had, as far as is known."""

    def find(judged: Judged) -> Iterator[Broken]:
        if not any(judged.layout.machines):
            return
        from isfc.layout.machines import find_machine, machines_with  # few layouts say one

        rows = [find_machine(each.machine) if each else None for each in judged.layout.machines]
        found = grouped(
            ((row.name, fibre.profile.feature), fibre)
            for fibre in judged.layout.fibres
            for row in dict.fromkeys(filter(None, rows))
            if row.card(fibre.profile.feature) == card
        )
        for (machine, feature), fibres in found.items():
            had = machines_with(feature)
            ends = [end for end, row in enumerate(rows) if row and row.name == machine]
            place = judged.place(*fibres, ends=ends)
            text = f"{place}: {machine} {verb} {feature}; these have: {had}."
            yield Broken(text, fibres=tuple(fibres))

    return find


MACHINE_RULES.rule(
    "card-never",
    "A machine never had the FICON feature.",
    "The z13 and z13s are the last machines to support FICON Express8, and later ones no older "
    "feature either.",
    "IBM Redbooks, IBM Z Connectivity Handbook, FICON Express",
    _CORRECT,
    _OF_FILE,
)(_without("never had", "never had"))

MACHINE_RULES.rule(
    "card-unknown",
    "A machine is not known to have had the FICON feature.",
    "No source of ours says that it never had it, so that nothing is refused.",
    "general knowledge",
    _CORRECT,
    _OF_FILE,
    is_remark=True,
)(_without("is not known to have had", "not known"))

_BEFORE_SMT: Final = ("z10", "z196", "z114", "zEC12", "zBC12")
_SMALLER: Final = ("BC", "z114", "zBC12", "z13s", "ZR1", "T02", "A02", "ME2")


@MACHINE_RULES.rule(
    "engine-unknown",
    "A machine is not known to have had the engine, or z/VM to run two threads on it.",
    "IFLs alone run two threads under z/VM, from the z13 on; settings with a letter are of smaller "
    "machines, such as T02.",
    "IBM, z/VM performance report, SMT; settings by general knowledge",
    "Correct what `machine` says.",
    _OF_FILE,
    is_remark=True,
)
def _engines(judged: Judged) -> Iterator[Broken]:
    """Threads and capacity settings that do not go with an engine or a machine."""
    for node, on in zip(judged.layout.nodes, judged.layout.machines, strict=True):
        if on is None:
            continue
        setting = on.engine.partition(" ")[2]
        if on.smt and on.engine != IFL:
            yield Broken(f"{node}: two threads on a {on.engine}; z/VM has them on IFLs only.")
        elif on.smt and on.machine.startswith(_BEFORE_SMT):
            yield Broken(f"{node}: two threads on a {on.machine}; z13 and later have them.")
        if setting and setting.startswith("Z") != on.machine.endswith(_SMALLER):
            yield Broken(f"{node}: a {on.machine} is not known to have had {on.engine}.")
