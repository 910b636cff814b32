"""The published tables of rules: estimates and stop-shorts, computed without a run.

Each function gives our figures of a row by the columns of its table.
"""

from collections.abc import Mapping

from ctc.profiles import find_profile
from isfc.layout.capacity import FULL_CTC_COUNT, rule_of_thumb_mb_per_s
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import make_plan
from isfc.link.scan import stop_short
from scenarios.published.table import PublishedRow


def capacity_row(layout: str) -> Mapping[str, float]:
    """What the first node of a layout can send, by its plan (``capacity_estimates.csv``)."""
    client, _ = make_plan(load_layout(layout)).directions
    return {
        "write_ctcs": len(client.write_order),
        "estimated_one_way_mb_per_s": client.estimated_mb_per_s,
    }


def chpid_row(row: PublishedRow) -> Mapping[str, float]:
    """What a chpid of a row's feature that is full carries one way (``chpid_estimates.csv``)."""
    profile = find_profile(str(row.columns["feature"]))
    rate = rule_of_thumb_mb_per_s(profile.link_gbps, FULL_CTC_COUNT)
    return {"link_gbit_per_s": profile.link_gbps, "estimated_one_way_mb_per_s": int(rate)}


def stop_short_row(row: PublishedRow) -> Mapping[str, float]:
    """How many CTCs a scan leaves to the partner, for all numbers in a row (``stop_short.csv``).

    A single CTC is left out: stopping short by one, its ends would have none to write on, and
    the report's own estimates say that they share it.
    """
    least, most = int(row.number("ctcs_min")), int(row.number("ctcs_max"))
    (only,) = {stop_short(count) for count in range(max(2, least), most + 1)}
    return {"scan_stops_short_by": only}
