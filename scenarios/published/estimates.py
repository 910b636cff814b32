"""The published tables of rules: estimates and stop-shorts, computed without a run.

Every record has the columns of the published table of its kind that are figures.
"""

from dataclasses import dataclass

from ctc.profiles import find_profile
from isfc.layout.capacity import FULL_CTC_COUNT, rule_of_thumb_mb_per_s
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import make_plan
from isfc.link.scan import stop_short
from scenarios.published.table import PublishedRow


@dataclass(frozen=True, slots=True)
class CapacityRow:
    """What the first node of a layout can send (``capacity_estimates.csv``)."""

    write_ctcs: int
    estimated_one_way_mb_per_s: int


@dataclass(frozen=True, slots=True)
class ChpidRow:
    """What a chpid that is full carries one way (``chpid_estimates.csv``)."""

    link_gbit_per_s: float
    estimated_one_way_mb_per_s: int


@dataclass(frozen=True, slots=True)
class StopShortRow:
    """How many CTCs a scan leaves to the partner (``stop_short.csv``)."""

    scan_stops_short_by: int


def capacity_row(layout: str) -> CapacityRow:
    """The plan of a layout."""
    client, _ = make_plan(load_layout(layout)).directions
    return CapacityRow(len(client.write_order), client.estimated_mb_per_s)


def chpid_row(row: PublishedRow) -> ChpidRow:
    """The rule of thumb for the feature that a row is about."""
    profile = find_profile(str(row.columns["feature"]))
    rate = rule_of_thumb_mb_per_s(profile.link_gbps, FULL_CTC_COUNT)
    return ChpidRow(profile.link_gbps, int(rate))


def stop_short_row(row: PublishedRow) -> StopShortRow:
    """The one stop-short for all the numbers of CTCs in a row.

    A single CTC is left out: stopping short by one, its ends would have none to write on, and
    the report's own estimates say that they share it.
    """
    least, most = int(row.number("ctcs_min")), int(row.number("ctcs_max"))
    (only,) = {stop_short(count) for count in range(max(2, least), most + 1)}
    return StopShortRow(only)
