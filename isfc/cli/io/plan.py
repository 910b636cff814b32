"""``isfc io plan``: what an I/O configuration can do, and what to change in it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from isfc.cli.judgement.io_plan import io_plan_page
from isfc.cli.options.layout import JsonOption
from isfc.cli.output.notes import note_lines, note_records
from isfc.cli.output.streams import show, show_json
from isfc.io.advice import IoAdvice, advise
from isfc.io.plan import ChannelPlan, IoPlan, OsaPlan, SapPlan, make_io_plan
from isfc.io.shared import read_disks
from isfc.io.trunks import TrunkLoad
from isfc.io.zhyperlink import SynchronousLoad
from isfc.layout.note import Note

ConfigArgument = Annotated[
    Path, typer.Argument(metavar="CONFIG", help="An I/O configuration (TOML).")
]


def plan(config: ConfigArgument, *, json: JsonOption = False) -> None:
    """Estimate an I/O configuration; say what to change.

    Each channel with what its processor, bus and line have to do, each workload with its rate,
    its response time and how many of its I/Os are open; zHyperLinks, OSAs, SAPs; the cards,
    interconnects and fanouts that channels share; the advice.
    """
    configuration, notes = read_disks(config)
    found = make_io_plan(configuration)
    advice = advise(found)
    if json:
        show_json(io_plan_record(found, advice, notes))
    else:
        show(io_plan_page(found, advice), *note_lines(notes))


def io_plan_record(
    plan: IoPlan, advice: tuple[IoAdvice, ...], notes: Sequence[Note] = ()
) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    return {
        "channels": {each.channel.chpid: _channel_record(each) for each in plan.channels},
        "synchronous": {each.workload.name: _synchronous_record(each) for each in plan.synchronous},
        "osa": {each.channel.chpid: _osa_record(each) for each in plan.osas},
        "saps": {each.system: _sap_record(each) for each in plan.saps},
        "trunks": [trunk_record(load) for load in plan.trunks],
        "first": _first_record(plan.first()),
        "advice": [{"id": one.id, "severity": one.severity, "text": one.text} for one in advice],
        **note_records(notes),
    }


def trunk_record(load: TrunkLoad) -> dict[str, Any]:
    """A card, interconnect or fanout, in this command's ``--json`` and that of a run.

    The ceilings are null where there is none.
    """
    ceiling = load.trunk.ceiling
    return {
        "level": ceiling.level,
        "name": load.trunk.name,
        "channels": list(load.trunk.channels),
        "gb_per_s_max": finite(ceiling.mb_per_s / 1e3),
        "gb_per_s_one_way_max": finite(ceiling.one_way_mb_per_s / 1e3),
        "gb_per_s_read": load.carried.read_mb_per_s / 1e3,
        "gb_per_s_write": load.carried.write_mb_per_s / 1e3,
        "percent": 100 * load.use,
    }


def _first_record(first: tuple[str, float] | None) -> dict[str, Any] | None:
    """``percent`` is null where it is SAPs that cannot do it."""
    return None if first is None else {"what": first[0], "percent": finite(100 * first[1])}


def finite(figure: float) -> float | None:
    """A figure; None if it is infinite, for which JSON has no word."""
    return None if figure == float("inf") else figure


def _channel_record(plan: ChannelPlan) -> dict[str, Any]:
    estimate = plan.estimate
    read, write = plan.mb_per_s
    return {
        "feature": plan.channel.feature,
        "link_gbps": estimate.route.link_gbps,
        "io_per_s": plan.io_per_s,
        "mb_per_s_read": read,
        "mb_per_s_write": write,
        "processor_percent": 100 * estimate.processor,
        "bus_percent": 100 * estimate.bus if estimate.route.profile.bus_mb_per_s else None,
        "line_percent_read": 100 * estimate.line_read,
        "line_percent_write": 100 * estimate.line_write,
        "workloads": {
            workload.name: {
                "protocol": workload.protocol,
                "io_per_s": each.rate_per_s,
                "response_us": each.response_ns / 1e3,
                "active": each.active,
            }
            for workload, each in zip(plan.workloads, estimate.demands, strict=True)
        },
    }


def _synchronous_record(plan: SynchronousLoad) -> dict[str, Any]:
    found = plan.outcome
    if found is None:
        return {"links": len(plan.links)}
    return {
        "links": len(plan.links),
        "success_percent": 100 * found.success,
        "link_busy_percent": 100 * found.link_busy,
        "rejected_percent": 100 * found.rejected,
        "latency_us": found.latency_ns / 1e3,
        "response_us": found.response_ns / 1e3,
    }


def _osa_record(plan: OsaPlan) -> dict[str, Any]:
    return {
        "feature": plan.channel.feature,
        "mtu_bytes": plan.channel.mtu_bytes,
        "mb_per_s_out": plan.outbound.mb_per_s,
        "mb_per_s_in": plan.inbound.mb_per_s,
    }


def _sap_record(plan: SapPlan) -> dict[str, Any]:
    """``busy_percent`` is null where the SAPs cannot do it."""
    return {
        "saps": plan.saps,
        "busy_percent": finite(100 * plan.busy),
    }
