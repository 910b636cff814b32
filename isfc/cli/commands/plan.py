"""``isfc plan``: how two systems would use a layout."""

from typing import Any

from ctc.address import format_chpid, format_rdev
from isfc.cli.options.layout import JsonOption, LayoutArgument
from isfc.cli.render.output import show, show_json
from isfc.cli.render.plan import plan_page
from isfc.layout.capacity import Direction
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import Plan, make_plan


def plan(layout: LayoutArgument, *, json: JsonOption = False) -> None:
    """Show who writes on which CTC, the capacity, and what to change.

    The picture has one line for each CTC, in the order in which the two systems scan them:
    the one whose name comes first from the top down, the other from the bottom up. Capacities
    follow IBM's rule of thumb and are for one direction.
    """
    judged = make_plan(load_layout(layout))
    if json:
        show_json(plan_record(judged))
    else:
        show(plan_page(judged))


def plan_record(plan: Plan) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    first, second = plan.layout.nodes
    ways = plan.directions
    return {
        "nodes": {"first": first, "second": second},
        "stop_short": plan.stop_short,
        "write_order": {way.sender: [*map(format_rdev, way.write_order)] for way in ways},
        "exclusive": {way.sender: [*map(format_rdev, way.exclusive)] for way in ways},
        "chpids": {way.sender: _chpid_records(way) for way in ways},
        "estimated_mb_per_s": {way.sender: way.estimated_mb_per_s for way in ways},
        "advice": [
            {"id": advice.id, "severity": advice.severity, "text": advice.advice}
            for advice in plan.advice
        ],
    }


def _chpid_records(way: Direction) -> list[dict[str, Any]]:
    """The chpids that one node writes on, in order of first use."""
    return [
        {
            "chpid": format_chpid(use.chpid),
            "fibre": use.fibre.name,
            "feature": use.fibre.profile.feature,
            "link_gbps": use.fibre.profile.link_gbps,
            "write_ctcs": use.ctc_count,
            "estimated_mb_per_s": use.mb_per_s,
        }
        for use in way.chpids
    ]
