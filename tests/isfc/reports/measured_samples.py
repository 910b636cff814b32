"""Samples of what replays and loads answer, with figures that no other row has."""

from msgspec import structs

from isfc.answers.loads import Carries, Loads, WayLoad
from isfc.answers.replay import replay
from isfc.answers.replay_report import ReplayedFigure
from isfc.layout.catalogue import load_layout
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, Interval, Range, Reported, Unit
from scenarios.published.table import Role
from scenarios.search.sizing import LostPiece


def replayed() -> Reported:
    """Of some rows, with figures that no other row has."""
    figures = tuple(
        ReplayedFigure(
            *("transport", f"HL/12/{place}", "mb_per_s", 700.25 + 10 * place, ours),
            *(ours / 700 - 1, Role.ACCEPTANCE, ours < 800),
            by_seed=(ours,),
            spread_percent=None,
        )
        for place, ours in enumerate((654.25, 390.6, 0.0, 1087.4), start=1)
    )
    chosen = replay("stop_short")
    return structs.replace(chosen, figures=figures, errors=(), checks=(), shows_all=True)


def loaded() -> Reported:
    """Of four ways, with figures that no other row has."""

    def carried(value: float) -> Figure:
        likely, sure = Interval(value / 1.25, value * 1.25), Interval(value / 2, value * 2)
        return Figure(value, Unit.MB_PER_S, Range(likely, sure, "a sample"))

    ways = [
        WayLoad(
            sender=NodeName(name),
            mean_mb_per_s=10.25 * place,
            percentile_mb_per_s=101.5 * place,
            busiest_mb_per_s=202.75 * place,
            busiest="Mon 09:00",
            whole=Carries(carried(654.25 + place)),
            left=Carries(carried(390.6 - place), "chpid 40"),
            headroom=(0.5 - place / 10,),
            headroom_likely=((0.1, 0.9),),
            months_left=None,
            months_left_likely=None,
        )
        for place, name in enumerate(("ALPHA", "BETA", "GAMMA", "DELTA"), start=1)
    ]
    two = Loads(
        name="A-B",
        nodes=load_layout("published-12").nodes,
        intervals=3,
        days=1.0,
        begin="2026-11-02",
        end="2026-11-09",
        dated=True,
        gaps=(),
        percentile=95.0,
        period="day",
        lost=LostPiece.CHPID,
        growth_percent=0.0,
        months=12,
        ways=(ways[0], ways[1]),
        slots=(),
        leaving=None,
        windows=(),
        left_out=(),
        accounts=(),
        notes=(),
    )
    return structs.replace(two, ways=ways)
