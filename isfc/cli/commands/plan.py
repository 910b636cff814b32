"""``isfc plan``: how two systems would use a layout."""

from typing import Annotated, Any

import typer

from ctc.address import format_chpid, format_rdev
from isfc.cli.loss import show_losses
from isfc.cli.options.layout import JsonOption, LayoutArgument, open_layout
from isfc.cli.render.output import show, show_json
from isfc.cli.render.plan import plan_page
from isfc.errors import ConfigurationError
from isfc.layout.capacity import Direction
from isfc.layout.plan import Plan, make_plan

LoseOption = Annotated[
    bool, typer.Option("--lose", help="Show what is left with each chpid and each CTC gone.")
]
SimulateOption = Annotated[
    bool, typer.Option("--simulate", help="With --lose: by run as well as by rule of thumb.")
]


def plan(
    layout: LayoutArgument,
    *,
    lose: LoseOption = False,
    simulate: SimulateOption = False,
    json: JsonOption = False,
) -> None:
    """Show who writes on which CTC, what it carries, what to change.

    The picture has one line for each CTC, in the order in which the two systems scan them:
    the one whose name comes first from the top down, the other from the bottom up. Capacities
    follow IBM's rule of thumb and are for one direction.
    """
    if simulate and not lose:
        raise ConfigurationError("--simulate: expected --lose, which says what is to be run")
    judged = make_plan(open_layout(layout))
    if lose:
        show_losses(judged.layout, simulate=simulate, json=json)
    elif json:
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
