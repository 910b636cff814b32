"""What losses leave of one link or of several: in sentences, as a table of every page, as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from msgspec import UNSET, Struct, UnsetType

from isfc.answers.advice import fewer_line, link_names, two_paces
from isfc.answers.limit import limited, limits_of, short_limit, to_gain
from isfc.answers.limit_record import Limits
from isfc.answers.profile import Profile
from isfc.layout.in_words import first_listed
from isfc.layout.lost import CTC, PORT, SYSTEM, TOGETHER, VARY, named_alone
from isfc.layout.note import Note
from isfc.layout.sharing import open_questions
from isfc.reports.ranges import RangeJson, between, range_json, range_note, share_note
from isfc.reports.record import record_of
from isfc.reports.report import Column, Report, Table, caveats
from isfc.reports.units import with_unit
from scenarios.figures.figure import Figure, Unit
from scenarios.figures.losses import AfterLoss, worst_of
from scenarios.figures.rates import Carried, EndRate, by_rule
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes, loss_notes

ALL_LINKS = "of the slower direction of each link"
"""What a rate of several links is of."""


class SentJson(Struct, frozen=True):
    """What one end of a link sends once that is steady."""

    mb_per_s: float
    spread_mb_per_s: float
    """within what of it an endless run would be, with 95 % confidence"""
    second_mb_per_s: float | None
    """the other pace that the link may keep, null if it has one"""
    range: RangeJson | None
    """between what it would lie; null where nothing is sent"""


class LossJson(Struct, frozen=True):
    """What a loss leaves of one link or of several."""

    kind: str | None
    """`chpid`, `director`, `path`, `cec`, `system` or `ctc`, `together` with `--without`, or null
    for the whole"""
    name: str
    """what is gone"""
    gone: dict[str, str]
    """of one link, by node: what it calls the chpid or the CTC; else empty"""
    cut: Sequence[str]
    """the links that are down then"""
    fewer: Sequence[tuple[str, int, int]]
    """the links that have lost CTCs: name, left, had"""
    untouched: Sequence[str]
    """the other links"""
    ctcs_left: int
    """of all links"""
    estimated_mb_per_s: float
    """of the slower direction of each link, in all: by IBM's rule of thumb"""
    mb_per_s: float | None
    """the same by the model; null with `--rule`"""
    range: RangeJson | None
    """between what it would lie; null if nothing was run or is left"""
    left_share: float | None
    """what the loss leaves of the whole, of 1; null for the whole"""
    left_share_range: RangeJson | None
    """between what that would lie; null if nothing was run or is left"""
    text: str | None
    """the same in words, and by which load; null for the whole"""
    sent: dict[str, dict[str, SentJson]] | None
    """by link and sending node, null with `--rule`"""
    limits: Limits | None
    """what limits the direction that carries less, as of `isfc plan --json`; null if nothing was
    run"""


class LossesJson(Struct, frozen=True):
    """``isfc plan --lose --json``. Names and meanings of the keys stay between releases."""

    losses: list[LossJson]
    """the whole, then each loss"""
    notes: list[Note]
    """as of `isfc plan --json`"""
    profile: Profile | UnsetType = UNSET
    """with `--profile`: the site's"""


def losses_json(lefts: Sequence[AfterLoss]) -> LossesJson:
    """The record of what losses leave; the whole is first of ``lefts``."""
    return LossesJson([*map(_loss_json, lefts)], list(losses_notes(lefts)))


def _loss_json(left: AfterLoss) -> LossJson:
    loss, carried = left.loss, left.carried
    links = left.whole.links.links
    share = left.share
    return LossJson(
        None if loss is None else loss.kind,
        left.gone,
        {} if loss is None else dict(zip(links[0].nodes, loss.names, strict=False)),
        () if loss is None else loss.cut,
        () if loss is None else loss.fewer,
        [link.name for link in links] if loss is None else loss.untouched,
        left.ctc_count,
        carried.estimated_mb_per_s,
        None if carried.ways is None else left.rate.value,
        range_json(left.rate),
        None if loss is None else share.value,
        range_json(share),
        None if loss is None else loss_words(left),
        None if carried.ways is None else _sent_json(carried),
        None if carried.limit is None else limits_of(carried.limit, left.rate.value),
    )


def _sent_json(carried: Carried) -> dict[str, dict[str, SentJson]]:
    found: dict[str, dict[str, SentJson]] = {}
    for link in carried.links.links:
        ways = (carried.ways or {})[link.name]
        found[link.name] = {
            node: record_of(SentJson, way.rate, range=carried.rate_of(link, way))
            for node, way in zip(link.nodes, ways, strict=True)
        }
    return found


def losses_notes(lefts: Sequence[AfterLoss]) -> tuple[Note, ...]:
    """What belongs to these figures, such as that the model is extrapolated."""
    collection, modelled = lefts[0].carried.links, lefts[0].carried.ways is not None
    if len(collection.links) == 1:
        return loss_notes(collection.links[0], simulated=modelled)
    return (*cluster_notes(collection), SHARED_UNRANGED) if modelled else open_questions(collection)


def loss_words(left: AfterLoss) -> str:
    """``chpid 40 (50): 50 % (45-56) is left, A 196 (168-230) and B 201 (172-235) MB/s ...``."""
    return f"{_left(left)}, {_by(left)}."


def worst_loss(lefts: Sequence[AfterLoss]) -> str:
    """The same of the worst loss, or that there is none; the whole is first of ``lefts``."""
    worst = worst_of(lefts)
    return "" if worst is None else f"{_worst(lefts, worst)}, {_by(worst)}."


def _worst(lefts: Sequence[AfterLoss], worst: AfterLoss) -> str:
    if round(100 * worst.share.value) >= 100 and len(lefts) > 2:
        return f"no piece takes 1 % or more; without {worst.gone} {_rates(worst)}"
    return _left(worst)


def _left(left: AfterLoss) -> str:
    return f"{left.gone}: {with_unit(left.share)} is left, {_rates(left)}"


def _rates(left: AfterLoss) -> str:
    """What is carried, and between what that would lie: each way of one link."""
    links, carried = left.whole.links.links, left.carried
    if len(links) > 1:
        return f"{left.rate.value:.0f}{between(left.rate)} MB/s {ALL_LINKS}"
    if not carried.links.links:
        return "no MB/s either way"
    (link,) = carried.links.links
    ways = by_rule(link) if carried.ways is None else carried.ways[link.name]
    each = (
        f"{node} {way.rate.mb_per_s:.0f}{between(carried.rate_of(link, way))}"
        if isinstance(way, EndRate)
        else f"{node} {way:.0f}"
        for node, way in zip(link.nodes, ways, strict=True)
    )
    return f"{' and '.join(each)} MB/s one way"


def _by(left: AfterLoss) -> str:
    carried = left.whole
    return "by IBM's rule of thumb" if carried.ways is None else carried.load.words


def losses_answer(lefts: Sequence[AfterLoss]) -> Iterator[tuple[str, str]]:
    """The worst loss, or that of what is named; what the whole carries, and what limits it."""
    whole, worst = lefts[0].carried, worst_of(lefts)
    if worst is not None:
        yield "Without" if _is_named(lefts) else "Worst", _worst(lefts, worst)
    is_one = len(whole.links.links) == 1
    of = "the slower way" if is_one else ALL_LINKS.removeprefix("of ")
    yield "Nothing gone", f"{with_unit(whole.rate)}: {of}"
    if whole.limit is not None:
        yield "Limited by", limited(whole.limit)
        if is_one:  # to several nothing was added
            yield "To gain", to_gain(whole.limit)


def _is_named(lefts: Sequence[AfterLoss]) -> bool:
    return any(left.loss is not None and left.loss.kind == TOGETHER for left in lefts)


@dataclass(frozen=True, slots=True)
class LossRow:
    """What the table of losses has of one loss, or of CTCs whose losses leave the same."""

    gone: str
    ctcs_left: int
    left: Figure
    rate: Figure
    rule_mb_per_s: float
    limited_by: str | None
    links_down: str
    links_with_fewer_ctcs: str


def loss_rows(lefts: Sequence[AfterLoss]) -> list[LossRow]:
    """The whole, then each loss; those of CTCs that leave the same, as it is shown, are one row."""
    alike: dict[object, list[LossRow]] = {}
    for left in lefts:
        row = _row(left)
        is_ctc = left.loss is not None and left.loss.kind == CTC
        same = row.ctcs_left, *map(with_unit, (row.left, row.rate)), row.limited_by
        alike.setdefault(same if is_ctc else row.gone, []).append(row)
    return [replace(same[0], gone=_one_or_others(same)) for same in alike.values()]


def _row(left: AfterLoss) -> LossRow:
    loss, limit = left.loss, left.carried.limit
    return LossRow(
        left.gone,
        left.ctc_count,
        left.share,
        left.rate,
        left.carried.estimated_mb_per_s,
        None if limit is None else short_limit(limit),
        "none" if loss is None else link_names(loss.cut),
        "none" if loss is None else fewer_line(loss),
    )


def _one_or_others(same: Sequence[LossRow]) -> str:
    others = len(same) - 1
    either = f" or {others} other{'s' * (others > 1)}" if others else ""
    return f"{same[0].gone}{either}"


_OF_ONE: Final = Column("CTCs\nleft", "ctcs_left")
_OF_SEVERAL: Final = (
    Column("links\ndown", "links_down"),
    Column("links\nwith fewer CTCs", "links_with_fewer_ctcs"),
)


def losses_table(lefts: Sequence[AfterLoss]) -> Table:
    """The whole and each loss."""
    whole = lefts[0].carried
    is_one, is_modelled = len(whole.links.links) == 1, whole.ways is not None
    columns = [
        Column("gone", "gone"),
        *([_OF_ONE] if is_one else []),
        Column("left\n%", "left", ranged=False),
        *([Column("MB/s", "rate")] if is_modelled else []),
        Column("by\nrule", "rule_mb_per_s", Unit.MB_PER_S),
        *([Column("limited\nby", "limited_by")] if whole.limit else []),
        *(() if is_one else _OF_SEVERAL),
    ]
    return Table(losses_caption(lefts), columns, loss_rows(lefts))


def losses_caption(lefts: Sequence[AfterLoss]) -> str:
    """What the table is of."""
    whole = lefts[0].carried
    links = whole.links.links
    of = "each link, in all" if len(links) > 1 else links[0].name
    by = "by IBM's rule of thumb" if whole.ways is None else f"by the model {whole.load.words}"
    return f"MB/s (2^20) of the slower direction of {of}, {by}; % of the whole."


def _what_is_gone(lefts: Sequence[AfterLoss]) -> str:
    return "without what is named" if _is_named(lefts) else "with one piece of hardware gone"


def losses_known(lefts: Sequence[AfterLoss]) -> str:
    """How far the figures are known, and from what; which rates have two paces."""
    carried = [left.carried for left in lefts]
    if carried[0].ways is None:
        return ""
    rates = [
        (f"{node}, {left.gone} gone,", way.rate)
        for left in lefts
        for link in left.carried.links.links
        for node, way in zip(link.nodes, (left.carried.ways or {})[link.name], strict=True)
        if way.rate.mb_per_s
    ]
    widest = max((rate.spread_percent for _, rate in rates), default=0.0)
    said = [
        f"Each rate is within {widest:.1f} % of an endless run's, with 95 % confidence.",
        range_note(left.rate for left in lefts),
        share_note(left.share for left in lefts),
        two_paces(rates),
    ]
    return " ".join(filter(None, said))


def others_line(lefts: Sequence[AfterLoss]) -> list[str]:
    """Which pieces have no row, and how to ask for them: the first of each kind; none, no line."""
    if _is_named(lefts):
        return []
    links, cecs = lefts[0].carried.links.links, lefts[0].carried.links.cecs
    kinds = (VARY, PORT, *([SYSTEM] if len(links) == 1 else ()))
    names = named_alone(links, cecs, *kinds)
    each = [
        first_listed([name for name in names if name.startswith(f"{kind}:")], 1)
        for kind in dict.fromkeys(name.partition(":")[0] for name in names)
    ]
    return [f"Not in the table, but named in --without: {'; '.join(each)}."] if each else []


def losses_report(lefts: Sequence[AfterLoss]) -> Report:
    """What losses leave: the worst first; the whole is first of ``lefts``."""
    links = lefts[0].carried.links.links
    remarks, rest = caveats(losses_notes(lefts))
    of = links[0].name if len(links) == 1 else f"{len(links)} links together"
    return Report(
        f"{of} {_what_is_gone(lefts)}",
        [*losses_answer(lefts)],
        [losses_table(lefts)],
        None,
        remarks,
        [*others_line(lefts), *filter(None, [losses_known(lefts)]), *rest],
    )
