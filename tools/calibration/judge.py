"""Judge the model as it stands in the code: every bound and goal of the published tables beside it.

``python -m tools.calibration.judge`` replays the published tables, with three seeds of 10 s each
unless told otherwise, and prints a line for each number that is bounded or wanted. It ends with 1
if a bound is not kept. ``--set chpid.turn_ns=0`` judges with another value of a constant.
"""

import argparse
import sys
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import Final

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


def main() -> int:
    """Judge as the command line says; return 1 if a bound is not kept."""
    parser = argparse.ArgumentParser(prog="python -m tools.calibration.judge", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="runs of each row (3)")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="virtual time of each (10)")
    parser.add_argument(
        "--set", action="append", type=_setting, default=[], metavar="OWNER.FIELD=VALUE"
    )
    options = parser.parse_args()
    try:
        constants = build_constants(dict(options.set))
    except ValueError as error:
        parser.error(f"--set {error}")
    with ProcessPoolExecutor() as pool:
        replays = replay_all(options.seeds, options.seconds, pool, constants)
    found = judge(replays)
    print(f"{'':76}{'reached':>10}{'bound':>10}{'goal':>10}  worst", *map(line, found), sep="\n")
    wanted = [each.meets_goal for each in found if each.goal is not None]
    print(f"{sum(wanted)} of {len(wanted)} goals are met")
    return 0 if all(each.within for each in found) else 1


def _setting(text: str) -> tuple[str, float]:
    name, _, value = text.partition("=")
    try:
        return name, float(value)
    except ValueError:
        wanted = f"{text}: expected OWNER.FIELD=VALUE, as chpid.turn_ns=0"
        raise argparse.ArgumentTypeError(wanted) from None


if __name__ == "__main__":
    sys.exit(main())
