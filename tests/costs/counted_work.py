"""Work that a whole run of the tests may do: a tenth more than the tree says, and the run fails.

Processes that tests start, virtual seconds that they run and the events of those are the same on
every machine, as seconds are not. Virtual seconds in which little happens cost little: events say
what they cost. Instructions have a test of their own, tests/tools/benchmarks/test_instructions.py.
"""

import json
import os
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.costs.cost import Cost, total

WRITTEN: Final = Path(__file__).with_name("counted_work.toml")
KEPT: Final = "counted-work"
"""The folder in pytest's cache for what was counted last."""
RISE_MAX: Final = 0.1
MORE_WORK: Final = 6
"""The exit code of a run that passed and did more: none of pytest's own."""
FOLDERS_MAX: Final = 5
MEASURES: Final = ("processes started", "virtual seconds run", "events run")
ALIKE: Final = "few"
"""The profile of hypothesis that draws the same always: with others, virtual seconds may differ."""
HEAD: Final = """\
# What a whole run of the tests does, by folder: [processes started, virtual seconds run, events].
# `make test` fails where a sum is more than a tenth above. `make count-work` takes over what the
# last `make test` with HYPOTHESIS_PROFILE=few has counted.
"""

Counts = dict[str, list[float]]
"""By folder, a number for each measure."""


def counts(costs: dict[str, list[Cost]]) -> Counts:
    """What is counted, of the costs of each folder."""
    found: Counts = {}
    for folder, each in sorted(costs.items()):
        _, processes, virtual_ns, events = total(each)
        numbers = [processes, round(virtual_ns / 1e9, 1), events]
        if any(numbers):
            found[folder] = numbers
    return found


def compared(written: Counts, found: Counts, profile: str | None) -> tuple[list[str], bool]:
    """What there is to say, and whether there is more to do than may be."""
    if not written:
        return ["Nothing is written down for this run: 'make count-work' does so."], False
    said, more = [], False
    for place, measure in enumerate(MEASURES if profile == ALIKE else MEASURES[:1]):
        was, now = (sum(each[place] for each in these.values()) for these in (written, found))
        if now > was * (1 + RISE_MAX):
            more = True
            said.append(f"{now:g} {measure}, and {was:g} are written down; most of it in")
            none = [0.0] * len(MEASURES)
            rises = {each: found[each][place] - written.get(each, none)[place] for each in found}
            most = sorted(rises, key=lambda each: -rises[each])[:FOLDERS_MAX]
            said += [f"    {each}: {rises[each]:g} more" for each in most if rises[each] > 0]
        elif now < was * (1 - RISE_MAX):
            said.append(f"{now:g} {measure}, and {was:g} are written down.")
    if more:
        said.append("Let tests do less. If it is worth it, 'make count-work' writes this down.")
    elif said:
        said.append("'make count-work' writes this down, so that nothing takes up what is saved.")
    return said, more


def check(config: pytest.Config, run: str, found: Counts) -> tuple[list[str], bool]:
    """Compare a run with what is written down, and keep it for `make count-work`."""
    profile = os.environ.get("HYPOTHESIS_PROFILE")
    cache = getattr(config, "cache", None)
    if profile == ALIKE and cache is not None:
        cache.set(f"{KEPT}/{run}", found)
    return compared(tomllib.loads(WRITTEN.read_text()).get(run, {}), found, profile)


def format_counts(runs: dict[str, Counts]) -> str:
    """As they are written down."""
    lines = [HEAD]
    for run, found in runs.items():
        lines.append(f"[{run}]")
        lines += [f'"{folder}" = {json.dumps(numbers)}' for folder, numbers in found.items()]
        lines.append("")
    return "\n".join(lines)


def main() -> None:
    """Write down what was counted last, of each run that has been made."""
    runs: dict[str, Counts] = tomllib.loads(WRITTEN.read_text())
    for kept in sorted(Path(".pytest_cache", "v", KEPT).glob("*")):
        runs[kept.name] = json.loads(kept.read_text())
    WRITTEN.write_text(format_counts(runs))


if __name__ == "__main__":
    main()
