"""Figures of pages that are bounds of the code, or of what tests hold models to."""

from typing import Final

from hypothesis import settings

from isfc.io.demand import make_demand, make_route
from isfc.io.estimate import estimate_channel
from isfc.io.osa import CPU_RATIOS, OSA_EXPRESS7S_25GBE
from isfc.search.site_search import ROUNDS
from isfc.testing.profiles import register_profiles
from scenarios.moves.evacuation import WINDOW
from scenarios.moves.guest import KNOWN_GUESTS, GuestMemory
from scenarios.runs.workload import find_workload
from tests.isfc.io import test_simulation, test_trunks
from tests.isfc.io.test_simulation import FEX16SA, LARGE, LARGE_CLOSED, LARGE_OPEN, work
from tests.lengthy import EXAMPLES_FEW
from tests.scenarios.runs.test_shared_channel import ONE_PAIR_MOST
from tools.calibration import drawn_sites
from tools.pages import relocation as replayed
from tools.pages.spans import WORDS
from tools.simulation.explore import long_worlds, quick_worlds

MIB: Final = 2**20
WORLDS_VISITED: Final = 128
"""Of `make explore`, by the run that the page on reliability tells of."""


def measured(_: str) -> dict[str, str]:
    """Of the page on a site's own figures."""
    return {
        "points": str(sum(count for _, count in ROUNDS)),
        "drawn": drawn_sites.table(drawn_sites.STUDY),
        "seconds": f"{drawn_sites.seconds_most(drawn_sites.STUDY):.0f}",
    }


def reliability(_: str) -> dict[str, str]:
    """Of the page on what is tested: examples of each property."""
    register_profiles()
    nightly = settings.get_profile("nightly").max_examples
    worlds = len([*quick_worlds(), *long_worlds()])
    return {
        "few_examples": f"{EXAMPLES_FEW}",
        "nightly_examples": f"{nightly:,}",
        "worlds": f"{worlds}",
        "unvisited": WORDS[worlds - WORLDS_VISITED],
    }


def relocation(_: str) -> dict[str, str]:
    """Of the page on relocations: IBM's guests, and what the model comes to."""
    found = {"replayed": replayed.section()}
    found["pairs"] = str(WINDOW // find_workload("HL").window)
    for kind, guest in KNOWN_GUESTS.items():
        found |= {f"{kind.replace('-', '_')}_{name}": s for name, s in _told(guest.memory).items()}
    return found


def _told(memory: GuestMemory) -> dict[str, str]:
    touched = "all" if memory.touched == memory.size else f"{memory.touched // MIB:,} MiB"
    if memory.hot_set:
        hot_set, rate = memory.hot_set // MIB, memory.write_rate // MIB
        changes = f"hot set of {hot_set:,} MiB at {rate:,} MB/s"
    else:
        changes = f"{memory.change_rate // MIB} MB/s, evenly"
    return {"memory": f"{memory.size / 2**30:g} GiB", "touched": touched, "changes": changes}


def io_run(_: str) -> dict[str, str]:
    """Of the page on runs of disks: within what they and mean values agree."""
    near = min(within for *_, within in LARGE_OPEN)
    full = {within: 0 for *_, within in LARGE_OPEN}
    for small, large, within in LARGE_OPEN:
        full[within] = max(full[within], _line_percent(small, large))
    closed = {"read_percent" in large: within for _, large, within in LARGE_CLOSED}
    jumbo, small_mtu = (CPU_RATIOS[OSA_EXPRESS7S_25GBE.feature, mtu] for mtu in (8992, 1492))
    return {
        "near_full": str(full[near]),
        "fuller": str(max(full.values())),
        **_percent(
            rates_within=test_simulation.RATES_WITHIN,
            responses_within=test_simulation.RESPONSES_WITHIN,
            few_within=test_simulation.FEW_WITHIN,
            near_within=near,
            fuller_within=max(full),
            closed_read_within=closed[False],
            closed_both_within=closed[True],
            ceiling_within=test_trunks.CEILING_MOST - 1,
            published_within=test_trunks.PUBLISHED_WITHIN,
            published_run_within=test_trunks.PUBLISHED_IN_RUN_WITHIN,
            below_rates_within=test_trunks.RATES_WITHIN,
            below_responses_within=test_trunks.RESPONSES_WITHIN,
            one_pair=ONE_PAIR_MOST - 1,
            cpu_jumbo=round(1 - jumbo, 2),
            cpu_small=round(1 - small_mtu, 2),
        ),
    }


def _percent(**ratios: float) -> dict[str, str]:
    return {name: f"{round(100 * ratio, 6):g}" for name, ratio in ratios.items()}


def _line_percent(small: int, large: int) -> int:
    """How full the line is with so many small and large reads a second."""
    route = make_route(FEX16SA)
    loads = [work("small", rate_per_s=small), work("large", block_bytes=LARGE, rate_per_s=large)]
    return round(
        100 * estimate_channel(route, [make_demand(load, route) for load in loads]).line_read
    )
