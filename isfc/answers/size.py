"""What to order for a link: the fewest chpids and CTCs that carry so much with one piece gone."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Annotated, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ctc.features import find_profile
from isfc.answers.limit import LimitedBy, ends_in_cp, limits_answer, limits_of
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, Jobs, checked, spelt
from isfc.errors.in_words import check_known, exact
from isfc.layout.build import read_nodes
from isfc.layout.capacity import newest
from isfc.layout.checked_toml import within
from isfc.layout.document import KM_MAX
from isfc.layout.file import parse_layout
from isfc.layout.machines import Card, read_processors
from isfc.layout.processors import Processors
from isfc.layout.write import format_layout
from isfc.reports.figure import NoRange, Note, Reported
from isfc.reports.report import Column, Report, Table, headed
from isfc.reports.text import records
from isfc.reports.units import beside, range_note, with_unit
from scenarios.figures.certainty import Odds, nobody_is_ahead
from scenarios.figures.ranges import is_told
from scenarios.runs.experiment import PAIRS_MAX, SATURATING_PAIRS, SUITE
from scenarios.runs.notes import BUSY_UNRANGED, run_notes
from scenarios.runs.workload import LinkLoad, Workload, complete_workload, explained, find_workload
from scenarios.search import sizing

_GONE: Final = {
    sizing.LostPiece.NONE: "with nothing gone",
    sizing.LostPiece.CTC: "with a CTC gone",
    sizing.LostPiece.CHPID: "with a chpid gone",
    sizing.LostPiece.DIRECTOR: "with one of two directors gone",
}


class LinkSizing(Reported, Struct, frozen=True):
    """What was wanted of a link, and the links that were tried."""

    reported_by = "isfc.answers.size.size_report"

    wanted_mb_per_s: float
    """each way"""
    lost: sizing.LostPiece
    """what is gone then"""
    km: float
    """how long the fibres are"""
    workload: str
    """what runs"""
    pairs: int
    """of guests"""
    best: sizing.SizedLink | None
    """the same as one of `links`: with cards that can be ordered, if machines are said; then the
    fewest chpids, then CTCs, then the surest, then the newest of these; null if no link carries
    what is wanted"""
    links: tuple[sizing.SizedLink, ...]
    """by feature: the fewest chpids that carry it, and one more if fewer CTCs do then; the one that
    carries most where none does"""
    limits: LimitedBy | None
    """what limits the one that carries most, where none carries what is wanted; on machines that
    are said, of the best too"""
    notes: tuple[Note, ...]
    """what belongs to the figures of the best, or of the one that carries most"""
    machines: tuple[str, ...] = ()
    """of both systems, or of each; empty where none is said"""

    @property
    def most(self) -> sizing.SizedLink:
        """The one that carries most with the piece gone."""
        return max(self.links, key=lambda one: one.left.value)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each link that was tried, as a data frame takes them."""
        return records(_links_table(self))


_Lost = Annotated[
    str,
    Argument(f"[{'|'.join(sizing.LostPiece)}]", "What is gone then; of directors there are two."),
]
_Features = Annotated[
    Sequence[str],
    Argument(
        "FEATURE",
        "A FICON feature to choose from; may be repeated. "
        f"{', '.join(sizing.DEFAULT_FEATURES)} if not said.",
    ),
]
_Machine = Annotated[
    str | None,
    Argument(
        "NAME[,NAME]",
        "The machine of both systems, as z16 or z15 T02/CP 601/SMT, or of each: cards that it can "
        "have are tried.",
    ),
]


@checked
def size(
    *,
    mb_per_s: Annotated[
        float, Argument("MB/s", "What the link has to carry, each way.", 1, sizing.MB_PER_S_MAX)
    ],
    lost: _Lost = sizing.LostPiece.CHPID.value,
    feature: _Features = (),
    km: Annotated[float, Argument("KM", "How long the fibres are.", 0, KM_MAX)] = 0.0,
    workload: Annotated[
        Workload | str, Argument("NAME", "What runs over the link.", complete=complete_workload)
    ] = SUITE,
    pairs: Annotated[
        int, Argument("N", "Pairs of guests: with so many, more carry no more.", 1, PAIRS_MAX)
    ] = SATURATING_PAIRS,
    systems: Annotated[str, Argument("NAME,NAME", "The two systems.")] = "ATLANTA,BOSTON",
    machine: _Machine = None,
    jobs: Jobs = 1,
    progress: Callable[[float], None] | None = None,
) -> LinkSizing:
    """Say how many chpids and CTCs a link needs, with one piece gone.

    For each feature the fewest chpids that carry it by the model, and one chpid more if fewer CTCs
    do then; with -o the best as a layout. If no link carries it, says what limits the one that
    carries most; the command ends with 1 then.

    Raises `ConfigurationError` for what is unknown or out of bounds. ``jobs`` processes share the
    runs, and ``progress`` is told what share of the most runs there have been.
    """
    check_known(spelt("lost"), lost, sizing.LostPiece)
    with within(spelt("machine")):
        on = _machines(machine)
        names = tuple(each.machine for each in on)
        if not (tried := feature or sizing.features_on(names)):
            raise ConfigurationError(
                f"{' and '.join(names)} share no FICON feature; expected {spelt('feature')}"
            )
    with within(spelt("feature")):
        profiles = list(dict.fromkeys(map(find_profile, tried)))
    with within(f"{spelt('systems')} {systems[:40]!r}"):
        first, second = read_nodes(systems)
    load = LinkLoad(first, second, _sized(find_workload(workload)), pairs)
    most = sizing.RUNS_MAX * len(profiles)
    tell = progress or (lambda _: None)
    asked = mb_per_s, sizing.LostPiece(lost), km, load, jobs
    said = dict(zip((first, second), on * (3 - len(on)), strict=False))
    search = sizing.SizeSearch(*asked, lambda count: tell(min(1.0, count / most)), said)
    links = tuple(link for profile in profiles for link in search.links(profile))
    best = _fewest(link for link in links if link.reaches)
    how = mb_per_s, sizing.LostPiece(lost), km, load.workload.name, pairs
    found = LinkSizing(*how, best, links, None, (), tuple(map(str, on)))
    link = best or found.most
    notes = run_notes(parse_layout(link.layout), load.workload, pairs, link.whole.value)
    if best is not None and not on:
        return replace(found, notes=notes)
    limits = limits_of(search.limit(link), link.left.modelled)
    return replace(found, limits=limits, notes=(*notes, BUSY_UNRANGED))


def _machines(text: str | None) -> tuple[Processors, ...]:
    """One for both systems, or one for each: its name, and behind it its engine, and SMT."""
    names = text.split(",") if text else []
    if len(names) > 2:
        raise ConfigurationError(f"{text!r:.40}: expected one machine, or one for each system")
    return tuple(map(read_processors, names))


def _sized(workload: Workload) -> Workload:
    """The workload, if a link can be sized for it."""
    if is_told(workload):
        return workload
    name = f"{spelt('workload')} {workload.name[:40]}"
    raise ConfigurationError(f"{name}: no odds of a link, as {NoRange.TOO_FAR}")


def size_code(found: LinkSizing) -> int:
    """The exit code of the command: 1 if no link carries what is wanted."""
    return int(found.best is None)


def layout_file(found: LinkSizing) -> str | None:
    """The best as a layout, below what is said of it; None where there is none."""
    if found.best is None:
        return None
    heading = [f"{label}: {said}" for label, said in _answer(found)]
    return format_layout(parse_layout(found.best.layout), heading=heading, explained=True)


def size_report(found: LinkSizing) -> Report:
    """What to order, or why nothing helps; then a line for each link that was tried."""
    figures = [figure for link in found.links for figure in (link.whole, link.left)]
    return Report(
        f"{exact(found.wanted_mb_per_s)} MB/s each way {_GONE[found.lost]}, {found.pairs} pairs of "
        f"{explained(found.workload)}{f' over {found.km:g} km' * bool(found.km)}"
        f"{' on ' * bool(found.machines)}{' and '.join(found.machines)}",
        [*_answer(found)],
        [_links_table(found)],
        notes=[range_note(figures)],
        known=found.notes,
    )


def _links_table(found: LinkSizing) -> Table:
    wanted = exact(found.wanted_mb_per_s)
    return Table(
        "MB/s (2^20) one way, of the slower direction: whole, and what is left "
        f"{_GONE[found.lost]}",
        (
            *headed(feature="feature", chpids="chpids", ctcs="CTCs", ports="director\nports"),
            *headed(whole="whole", left="left"),
            Column(f"odds of\n{wanted}, %", "odds_percent"),
            *headed(cards="cards") * bool(found.machines),
        ),
        found.links,
    )


def _answer(found: LinkSizing) -> Iterator[tuple[str, str]]:
    """What to order and how sure it is, or why nothing helps."""
    best, most = found.best, found.most
    wanted, gone = f"{exact(found.wanted_mb_per_s)} MB/s", _GONE[found.lost]
    if best is None:
        yield "Not reachable", f"no link carries {wanted} each way {gone}"
        yield "Most", f"{_named(most)}: {with_unit(most.left)} each way"
        yield from _limits(found)
        return
    each = f"{best.ctcs // best.chpids} on each" if best.chpids > 1 else "all on it"
    ctcs = f"{best.ctcs} CTC{'s' * (best.ctcs > 1)}"
    yield "Fewest", f"{_named(best)} at each system, {ctcs}, {each}"
    whole = (
        "" if found.lost is sizing.LostPiece.NONE else f", {beside(best.whole, best.left)} whole"
    )
    yield "Carries", f"{with_unit(best.left)} each way {gone}{whole}"
    yield "Odds", f"{best.odds_percent} of 100 that real hardware carries {wanted} {gone}"
    sure = [each for each in found.links if each.reaches and not _is_open(each)]
    if _is_open(best) and (surer := _fewest(sure)):
        yield "Surer", f"{_named(surer)}, {surer.ctcs} CTCs: {surer.odds_percent} of 100"
    yield from _limits(found)


def _limits(found: LinkSizing) -> Iterator[tuple[str, str]]:
    yield from limits_answer(found.limits)
    if found.machines:
        yield from ends_in_cp(found.limits, (found.best or found.most).left)


def _fewest(links: Iterable[sizing.SizedLink]) -> sizing.SizedLink | None:
    """Cards to be ordered first; then the fewest chpids, CTCs, the surest, and the newest."""

    def rank(one: sizing.SizedLink) -> tuple[bool, int, int, int, tuple[int, float]]:
        is_old = one.cards not in ("", Card.ORDERED)
        on = newest([find_profile(one.feature)] if one.cards else [])
        return is_old, one.chpids, one.ctcs, -one.odds_percent, on

    return min(links, key=rank, default=None)


def _is_open(link: sizing.SizedLink) -> bool:
    return nobody_is_ahead(Odds(link.odds_percent / 100))


def _named(link: sizing.SizedLink) -> str:
    return f"{link.chpids} chpid{'s' * (link.chpids > 1)} of {link.feature}"
