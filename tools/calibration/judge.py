"""Judge the model as it stands in the code: every bound and goal of the published tables beside it.

``python -m tools.calibration.judge`` replays the published tables, with three seeds of 10 s each
unless told otherwise, and prints a line for each number that is bounded or wanted. It ends with 1
if a bound is not kept. ``--set chpid.turn_ns=0`` judges with another value of a constant.
"""

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Annotated, Final

import typer

from isfc.answers.replay_checks import Check, checks_of
from tools.calibration.knobs import build_constants
from tools.calibration.replayed import ReplayedTable, replay_all

SEEDS: Final = 3
SECONDS: Final = 10.0
"""What a judgement takes: collisions that happen twice a second are known within a seventh then."""


def judge(replays: Iterable[ReplayedTable]) -> list[Check]:
    """Every bound and goal of a replay."""
    return [check for one in replays for check in checks_of(one.verdict)]


def line(check: Check) -> str:
    """As it is printed."""
    reached, bound, goal = (
        "" if each is None else f"{each:.3g} {check.unit}"
        for each in (check.reached, check.bound, check.goal)
    )
    of = f"{check.table}, {check.name}, {check.of}: {check.what}"
    verdict = "" if check.within else "NOT KEPT  "
    return f"{of:76}{reached:>10}{bound:>10}{goal:>10}  {verdict}{check.worst}"


def main(
    seeds: int = SEEDS,
    seconds: float = SECONDS,
    settings: Annotated[list[str], typer.Option("--set", metavar="OWNER.FIELD=VALUE")] = [],  # noqa: B006
) -> None:
    """Judge as the command line says; end with 1 if a bound is not kept."""
    try:
        values = {name: float(value) for name, _, value in (s.partition("=") for s in settings)}
        constants = build_constants(values)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None
    with ProcessPoolExecutor() as pool:
        replays = replay_all(seeds, seconds, pool, constants)
    found = judge(replays)
    print(f"{'':76}{'reached':>10}{'bound':>10}{'goal':>10}  worst", *map(line, found), sep="\n")
    wanted = [each.meets_goal for each in found if each.goal is not None]
    print(f"{sum(wanted)} of {len(wanted)} goals are met")
    raise typer.Exit(not all(each.within for each in found))


if __name__ == "__main__":
    typer.run(main)
