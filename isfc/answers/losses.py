"""What losses leave of one link or of several: the answer, its function and its report."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from isfc.answers.advice import two_paces
from isfc.answers.given import open_links
from isfc.answers.limit import LimitedBy, limits_answer, limits_of
from isfc.answers.plan_link import rule_figure
from isfc.errors.arguments import checked, spelt
from isfc.errors.in_words import first_listed, grouped, link_names, listed
from isfc.layout import loss as pieces_of
from isfc.layout.capacity import by_rule
from isfc.layout.catalogue import AnyLayout
from isfc.layout.collection import Collection
from isfc.layout.sharing import only, open_questions
from isfc.layout.site import GivenSite, SiteProfile
from isfc.reports.figure import Figure, Note, NoteKind, Reported, Unit
from isfc.reports.report import Bars, Column, Report, Table
from isfc.reports.units import between, range_note, share_note, shown, with_unit
from scenarios.figures.changed import AfterLoss, after_losing, worst_of
from scenarios.figures.rates import Carried, EndRate
from scenarios.runs.at_site import given_site
from scenarios.runs.notes import SHARED_UNRANGED, cluster_notes, loss_notes
from scenarios.search.workers import each_by

BY_RULE: Final = "by IBM's rule of thumb"
ALL_LINKS: Final = "all links together, each by the slower way that runs"
"""What a rate of several links is of."""


class Left(Struct, frozen=True):
    """What a loss leaves of one link or of several."""

    kind: str | None
    """`chpid`, `director`, `path`, `cec`, `system` or `ctc`, `together` with `--without`, or null
    for the whole"""
    name: str
    """what is gone"""
    gone: dict[str, str]
    """of one link, by node: what it calls the chpid or the CTC; else empty"""
    cut: tuple[str, ...]
    """the links that are down then"""
    fewer: tuple[tuple[str, int, int], ...]
    """the links that have lost CTCs: name, left, had"""
    untouched: tuple[str, ...]
    """the other links"""
    ctcs_left: int
    """of all links"""
    estimated_mb_per_s: float
    """of the slower direction of each link, in all: by IBM's rule of thumb"""
    rate: Figure
    """the same by the model, or by the rule with `--rule`"""
    share: Figure
    """what the loss leaves of the whole"""
    text: str | None
    """the same in words, and by which load; null for the whole"""
    sent: dict[str, dict[str, Figure]]
    """by link that is left and sending node"""
    limits: LimitedBy | None
    """what limits the direction that carries less, as of `isfc plan --json`; null if nothing was
    run"""

    def __repr__(self) -> str:
        return f"<Left {self.name} gone: {with_unit(self.share)} left, {with_unit(self.rate)}>"


class Cut(Struct, frozen=True):
    """What hangs on a piece of hardware."""

    name: str
    """what is lost"""
    cut: tuple[str, ...]
    """the links that are down then"""
    fewer: tuple[tuple[str, int, int], ...]
    """the links that have lost CTCs: name, left, had"""
    untouched: tuple[str, ...]
    """the other links"""


class Losses(Reported, Struct, frozen=True):
    """What losses leave of one link or of several. Names and meanings of the keys stay."""

    reported_by = "isfc.answers.losses.losses_report"

    links: tuple[str, ...]
    """their names"""
    load: str | None
    """what runs, in words; null by the rule of thumb"""
    losses: tuple[Left, ...]
    """the whole, then each loss"""
    worst: str | None
    """the loss that leaves least, by its name; that of a system or a CEC only where there is no
    other"""
    worst_text: str
    """what that leaves, or that no loss takes anything; empty if there is none"""
    unlisted: tuple[str, ...]
    """pieces that no row is of, which can be named"""
    notes: tuple[Note, ...]
    """as of `isfc plan --json`"""
    profile: SiteProfile | UnsetType = UNSET
    """with `--profile`: the site's"""

    @property
    def worst_line(self) -> str:
        """What the worst loss leaves, and by which load."""
        return self.worst_text and f"{self.worst_text}, {self.load or BY_RULE}."

    @property
    def whole(self) -> Left:
        """With nothing gone."""
        return self.losses[0]

    @property
    def is_of_one(self) -> bool:
        """Whether one link is asked about."""
        return len(self.links) == 1

    @property
    def is_named(self) -> bool:
        """Whether it was said what is gone."""
        return any(left.kind == pieces_of.TOGETHER for left in self.losses)

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each loss, as a data frame takes them; MB/s of the slower direction.

        IBM's would lie between ``low`` and ``high`` in four of five cases; ``left`` is of 1.
        """
        return [
            {
                "gone": "" if left.kind is None else left.name,
                "mb_per_s": left.rate.value,
                "low_mb_per_s": None if left.rate.range is None else left.rate.ends.low,
                "high_mb_per_s": None if left.rate.range is None else left.rate.ends.high,
                "left": left.share.value,
            }
            for left in self.losses
        ]


@checked
def losses(
    layout: AnyLayout,
    *,
    link: str | None = None,
    without: Sequence[str] = (),
    rule: bool = False,
    profile: GivenSite = None,
    jobs: int = 1,
) -> Losses:
    """What all links, or one ``link``, carry with each piece of hardware gone, the whole first.

    Or ``without`` some pieces, named as in ``isfc plan``. ``rate`` is what the slower direction
    carries, of several links in all, and ``share`` what that is of the whole: by the model, or by
    IBM's rule of thumb if ``rule``. ``profile`` is a site's; ``jobs`` runs go on at a time.

    Raises `ConfigurationError` for a piece that is not there.
    """
    opened = open_links(layout, link, profile)
    every = opened[0].collection
    links = every if len(opened) > 1 else only(every, opened[0].layout)
    elsewhere = [*_elsewhere(without, links, every)]
    lefts = after_losing(links, without, None if rule else each_by(jobs))
    return losses_of(lefts, given_site(profile) or UNSET, elsewhere)


def _elsewhere(pieces: Sequence[str], links: Collection, every: Collection) -> Iterator[Note]:
    """That pieces are part of other links alone; `ConfigurationError` for one of none."""
    known = pieces_of.known_pieces(links.links, links.cecs)
    for piece in (piece for piece in pieces if pieces_of.spelt(piece, known) not in known):
        if not (others := pieces_of.links_with(piece, every)):
            pieces_of.check_pieces([piece], known, spelt("without"))
        kept = listed([each.name for each in links.links])
        text = f"{piece} is part of {listed(others)}: {kept} is as without its loss."
        yield Note(NoteKind.ELSEWHERE, text)


def losses_of(
    lefts: Sequence[AfterLoss], profile: SiteProfile | UnsetType = UNSET, notes: Sequence[Note] = ()
) -> Losses:
    """The answer of what was run, with more notes; the whole is first of ``lefts``."""
    whole, worst = lefts[0].carried, worst_of(lefts)
    links = whole.links.links
    is_named = any(left.loss is not None and left.loss.kind == pieces_of.TOGETHER for left in lefts)
    kinds = (pieces_of.VARY, pieces_of.PORT, *([pieces_of.SYSTEM] if len(links) == 1 else ()))
    unlisted = () if is_named else pieces_of.named_alone(links, whole.links.cecs, *kinds)
    return Losses(
        tuple(link.name for link in links),
        None if whole.ways is None else whole.load.words,
        tuple(map(_left, lefts)),
        None if worst is None else worst.gone,
        "" if worst is None else _worst_words(worst, len(lefts) - 1),
        tuple(unlisted),
        (*notes, *_notes(whole)),
        profile,
    )


def _left(left: AfterLoss) -> Left:
    loss, carried = left.loss, left.carried
    links = left.whole.links.links
    by = BY_RULE if left.whole.ways is None else left.whole.load.words
    return Left(
        None if loss is None else loss.kind,
        left.gone,
        {} if loss is None else dict(zip(links[0].nodes, loss.names, strict=False)),
        () if loss is None else loss.cut,
        () if loss is None else loss.fewer,
        tuple(link.name for link in links) if loss is None else loss.untouched,
        left.ctc_count,
        carried.estimated_mb_per_s,
        left.rate,
        left.share,
        None if loss is None else f"{_words(left)}, {by}.",
        _sent(carried),
        None if carried.limit is None else limits_of(carried.limit, left.rate.modelled),
    )


def _sent(carried: Carried) -> dict[str, dict[str, Figure]]:
    """What each end sends over each link that is left."""
    sent: dict[str, dict[str, Figure]] = {}
    for link in carried.links.links:
        ways = by_rule(link) if carried.ways is None else carried.ways[link.name]
        each = (
            carried.rate_of(link, w) if isinstance(w, EndRate) else rule_figure(w) for w in ways
        )
        sent[link.name] = {
            node: replace(way, sender=node) for node, way in zip(link.nodes, each, strict=True)
        }
    return sent


def _notes(whole: Carried) -> tuple[Note, ...]:
    """What belongs to these figures, such as that the model is extrapolated."""
    collection, modelled = whole.links, whole.ways is not None
    if len(collection.links) == 1:
        return loss_notes(collection.links[0], simulated=modelled)
    return (*cluster_notes(collection), SHARED_UNRANGED) if modelled else open_questions(collection)


def _rates(left: AfterLoss) -> str:
    """``A 196 (168-230) and B 201 (172-235) MB/s one way``: what is carried."""
    links, sent = left.whole.links.links, _sent(left.carried)
    if len(links) > 1:
        return f"{shown(left.rate.value, left.rate.unit)}{between(left.rate)} MB/s, {ALL_LINKS}"
    if not sent:
        return "no MB/s either way"
    ways = sent[links[0].name].values()
    each = (f"{way.sender} {shown(way.value, way.unit)}{between(way)}" for way in ways)
    return f"{' and '.join(each)} MB/s one way"


def _words(left: AfterLoss) -> str:
    """``chpid 40 (mate 50): 50 % (45-56) is left, A 196 (168-230) and B 201 (172-235) ..``."""
    return f"{left.gone}: {with_unit(left.share)} is left, {_rates(left)}"


def _worst_words(worst: AfterLoss, count: int) -> str:
    """The same of the worst of so many losses, or that none takes anything."""
    if round(100 * worst.share.value) < 100 or count == 1:
        return _words(worst)
    return f"no piece takes 1 % or more; without {worst.gone} {_rates(worst)}"


def losses_answer(found: Losses) -> Iterator[tuple[str, str]]:
    """The worst loss, or that of what is named; what the whole carries, and what limits it."""
    if found.worst is not None:
        yield "Without" if found.is_named else "Worst", found.worst_text
    of = "the slower way" if found.is_of_one else ALL_LINKS
    yield "Nothing gone", f"{with_unit(found.whole.rate)}: {of}"
    for label, what in limits_answer(found.whole.limits):
        yield label, f"with nothing gone: {what}"


def _one_or_others(same: Sequence[Left]) -> Left:
    """The first of losses that leave the same, named with how many others there are."""
    others = len(same) - 1
    either = f" or one of {others} others" if others > 1 else " or one other" * others
    return replace(same[0], name=f"{same[0].name}{either}")


def fewer_line(loss: Left | Cut) -> str:
    """Links that have lost CTCs, those with as many left together."""
    alike = grouped((f"{left} of {had}", name) for name, left, had in loss.fewer)
    if len(alike) == 1 and not loss.cut and not loss.untouched:
        return f"each: {next(iter(alike))}"
    return "; ".join(f"{link_names(names)}: {left}" for left, names in alike.items()) or "none"


_GONE: Final = Column("gone", "gone", value=lambda left: left.name)
_RATE: Final = Column("MB/s", "rate")
_RULE: Final = Column("by\nrule", "rule", value=lambda left: rule_figure(left.estimated_mb_per_s))
_OF_SEVERAL: Final = (
    Column("links\ndown", "links_down", value=lambda left: link_names(left.cut)),
    Column("links\nwith fewer CTCs", "links_with_fewer_ctcs", value=fewer_line),
)


def losses_table(found: Losses) -> Table:
    """The whole, then each loss; those of CTCs that leave the same, as it is shown, are one row."""

    def shown_of(left: Left) -> object:
        if left.kind != pieces_of.CTC:
            return left.name
        return left.ctcs_left, *map(with_unit, (left.share, left.rate)), _limited_by(left)

    alike = grouped((shown_of(left), left) for left in found.losses)
    columns = [
        _GONE,
        *([Column("CTCs\nleft", "ctcs_left")] if found.is_of_one else []),
        Column("% of\nwhole", "left", ranged=False, value=lambda left: left.share),
        *([_RATE] if found.load is not None else []),
        _RULE,
        *([Column("limited\nby", "limited_by", value=_limited_by)] if found.whole.limits else []),
        *(() if found.is_of_one else _OF_SEVERAL),
    ]
    of = found.links[0] if found.is_of_one else "each link, in all"
    by = BY_RULE if found.load is None else f"by the model {found.load}"
    caption = f"MB/s (2^20) of the slower direction of {of}, {by}; % of the whole.{_alike(found)}"
    return Table(caption, columns, [*map(_one_or_others, alike.values())], "losses")


def _alike(found: Losses) -> str:
    """That a loss gains nothing which leaves a little more than there was; nothing if none does."""
    whole, within = found.whole.rate.value, _within_percent(found)
    is_more = any(whole < left.rate.value <= whole * (1 + within / 100) for left in found.losses)
    return f" Rates within {shown(within, Unit.SPREAD)} % are alike: no run knows more." * is_more


def _within_percent(found: Losses) -> float:
    """Within how many percent of an endless run's the rates are, the least known of them."""
    ways = (way for left in found.losses for each in left.sent.values() for way in each.values())
    return max((100 * way.spread / way.value for way in ways if way.value), default=0.0)


def _limited_by(left: Left) -> str | None:
    return None if left.limits is None else left.limits.short


def losses_chart(found: Losses) -> Bars:
    """The table as bars."""
    table = losses_table(found)
    return Bars(table.caption, _GONE, _RULE if found.load is None else _RATE, table.rows)


def losses_known(found: Losses) -> str:
    """How far the figures are known, and from what; which rates have two paces."""
    if found.load is None:
        return ""
    rates = [
        (f"{node}, {'nothing' if left.kind is None else left.name} gone,", way)
        for left in found.losses
        for ways in left.sent.values()
        for node, way in ways.items()
        if way.value
    ]
    within = f"{shown(_within_percent(found), Unit.SPREAD)} %"
    said = [
        f"Each rate is within {within} of an endless run's, with 95 % confidence.",
        range_note(left.rate for left in found.losses),
        share_note(left.share for left in found.losses),
        two_paces(rates),
    ]
    return " ".join(filter(None, said))


def _others(found: Losses) -> list[str]:
    """Which pieces have no row, and how to ask for them: the first of each kind; none, no line."""
    kinds = grouped((name.partition(":")[0], name) for name in found.unlisted)
    each = [first_listed(names, 1) for names in kinds.values()]
    told = f"Not in the table, but named by 'isfc plan --without': {'; '.join(each)}."
    return [told] if each else []


def losses_report(found: Losses) -> Report:
    """What losses leave: the worst first."""
    of = found.links[0] if found.is_of_one else f"{len(found.links)} links together"
    gone = "without what is named" if found.is_named else "with one piece gone"
    return Report(
        f"{of} {gone}",
        [*losses_answer(found)],
        [losses_table(found)],
        notes=[*_others(found), losses_known(found)],
        known=found.notes,
        charts=[losses_chart(found)],
    )
