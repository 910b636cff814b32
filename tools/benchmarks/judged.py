"""What a benchmark has timed, what it judges, and how both are told."""

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, median
from typing import Final

import isfc.link.logical_link

COMPILED: Final = not str(isfc.link.logical_link.__file__).endswith(".py")
"""Whether it is the compiled package that is timed."""

MEMORY_MB_MAX: Final = 150.0
"""Peak memory of a run, in units of 2^20 bytes."""
MEMORY_GROWTH_MAX: Final = 1.05
"""Peak memory of a run four times as long, over that of the shorter: flat but for noise."""


@dataclass(frozen=True, slots=True)
class Timing:
    """One model's runs: processor seconds and messages of each, and what each run yielded."""

    name: str
    processor_s: tuple[float, ...]
    message_counts: tuple[int, ...]
    mb_per_s: tuple[float, ...]
    messages_per_package: float

    @property
    def rates(self) -> list[float]:
        """Messages per second, run by run."""
        return [count / s for count, s in zip(self.message_counts, self.processor_s, strict=True)]

    @property
    def us_per_message(self) -> float:
        """Median time of a message, in microseconds."""
        return 1e6 / median(self.rates)


def slowdown(one: Timing, other: Timing) -> float:
    """How many times as long a message of ``one`` takes as the other's: median over the rounds.

    Both ran one after the other in each round, so that what slows the machine for a while mostly
    slows both.
    """
    return median(b / a for a, b in zip(one.rates, other.rates, strict=True))


@dataclass(frozen=True, slots=True)
class Check:
    """One figure that is judged: it may be ``limit`` at most, or at least."""

    name: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def passed(self) -> bool:
        """Whether the target is met."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def describe_timing(timing: Timing) -> str:
    """A line of the table: median and spread of the rate, and what the runs had in common."""
    rates = timing.rates
    return (
        f"  {timing.name:9}{median(rates):10,.0f}{min(rates):10,.0f}{max(rates):10,.0f}"
        f"{timing.us_per_message:9.2f}{mean(timing.mb_per_s):9.1f}"
        f"{timing.messages_per_package:10.2f}"
    )


HEADING: Final = """\
             messages per second       us per      MB/s  messages
             median       min       max  message             /package"""


def describe_check(check: Check) -> str:
    """A line of the verdict."""
    verdict = "ok" if check.passed else "MISSED"
    bound = "at least" if check.at_least else "at most"
    return f"{check.name:48}{check.value:8.2f}   {bound} {check.limit:g}: {verdict}"


def make_parser(module: str, description: str) -> argparse.ArgumentParser:
    """The options of every benchmark."""
    prog = f"python -m tools.benchmarks.{module}"
    parser = argparse.ArgumentParser(prog=prog, description=description)
    quick = "shorter and fewer runs: rougher figures"
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    return parser


def end(figures: Mapping[str, object], checks: Sequence[Check], *, as_json: bool) -> int:
    """Print all as JSON, if it is asked for; return the exit status."""
    if as_json:
        judged = [{**asdict(check), "passed": check.passed} for check in checks]
        print(json.dumps({"compiled": COMPILED, **figures, "checks": judged}, indent=2))
    return 0 if all(check.passed for check in checks) else 1


def say_now(text: str) -> None:
    """Print a line immediately."""
    print(text, flush=True)


def say_nothing(_: str) -> None:
    """Print nothing: what is printed is to be JSON alone."""
