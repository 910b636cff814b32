"""Within what mean values and runs of disks agree: the page has what the tests are held to."""

import math
from typing import Final

from isfc.io.configuration import Protocol
from isfc.io.demand import make_demand, make_route
from isfc.io.estimate import estimate_channel
from isfc.io.osa import CPU_RATIOS, OSA_EXPRESS7S_25GBE
from tests.isfc.io import test_simulation, test_trunks
from tests.isfc.io.test_simulation import FEX16SA, LARGE, LARGE_CLOSED, LARGE_OPEN, work
from tests.scenarios.test_shared_channel import ONE_PAIR_MOST
from tools.pages.console import PROJECT

TEXT: Final = " ".join((PROJECT / "docs/io-run.md").read_text("utf-8").split())


def stands(sentence: str) -> None:
    assert sentence in TEXT


def line_percent(small: int, large: int) -> int:
    """How full the line is with so many small and large reads a second."""
    route = make_route(FEX16SA)
    workloads = [
        work("small", rate_per_s=small),
        work("large", block_bytes=LARGE, rate_per_s=large),
    ]
    return round(
        100 * estimate_channel(route, [make_demand(w, route) for w in workloads]).line_read
    )


def test_rates_and_responses() -> None:
    rate, response, few = (
        100 * share
        for share in (
            test_simulation.RATES_WITHIN,
            test_simulation.RESPONSES_WITHIN,
            test_simulation.FEW_WITHIN,
        )
    )
    stands(f"| rates, MB/s, utilizations | any but those below | {rate:g} % |")
    stands(f"| mean response | any but those below | {response:g} % |")
    stands(
        "| rates and mean response | a handful of I/Os at the same time, or both directions of a "
        f"line nearly full | {few:g} % |"
    )


def test_large_beside_small_ones_with_rates() -> None:
    near = [case for case in LARGE_OPEN if case[2] == min(each[2] for each in LARGE_OPEN)]
    every = [line_percent(small, large) for small, large, _ in LARGE_OPEN]
    up_to = max(line_percent(small, large) for small, large, _ in near)
    least, most = (100 * share for share in sorted({case[2] for case in LARGE_OPEN}))
    stands(f"large I/Os with a `rate`, the line up to {up_to} % full | {least:g} % |")
    stands(f"large I/Os with a `rate`, the line up to {max(every)} % full | {most:g} % |")


def test_large_beside_small_ones_of_which_so_many_are_outstanding() -> None:
    reads, both = (
        {
            100 * within
            for _, large, within in LARGE_CLOSED
            if ("read_percent" in large) is has_writes
        }
        for has_writes in (False, True)
    )
    (least,), (most,) = reads, both
    stands(f"with a number `outstanding`, which only read | {least:g} % |")
    stands(f"with a number `outstanding`, which read and write | {most:g} % |")


def test_ceilings() -> None:
    above = 100 * (test_trunks.CEILING_MOST - 1)
    stands(f"gets through, within {above:.0f} % (tested)")
    plan, run = 100 * test_trunks.PUBLISHED_WITHIN, 100 * test_trunks.PUBLISHED_IN_RUN_WITHIN
    stands(f"through such a file within {plan:g} % ({run:g} % in a run)")
    rates, responses = 100 * test_trunks.RATES_WITHIN, 100 * test_trunks.RESPONSES_WITHIN
    stands(f"Below a ceiling its rates are within {rates:g} % of a run's.")
    stands(f"Its responses are within {responses:g} % of a run's while")


def test_one_pair_beside_disks_moves_at_most_so_much_more() -> None:
    stands(f"the link then moves up to {100 * (ONE_PAIR_MOST - 1):.0f} % more")


def test_cpu_of_streams_is_published_as_ratios() -> None:
    jumbo, small = (
        100 * (1 - CPU_RATIOS[OSA_EXPRESS7S_25GBE.feature, mtu]) for mtu in (8992, 1492)
    )
    assert not math.isclose(jumbo, small)
    stands(f"takes {jumbo:.0f} % less CPU a MB than on OSA-Express6S 10 GbE at an MTU of 8992, and")
    stands(f"and {small:.0f} % less at 1492")
    assert Protocol.ZHPF
