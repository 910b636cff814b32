"""What limits a link, in one line; and which constants of the model its rate rests on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct, UnsetType

from isfc.errors.in_words import listed
from isfc.link.name import NodeName
from isfc.link.scan import CTCS_MAX
from isfc.reports.figure import Figure, Unit
from isfc.reports.report import Column, Table, headed
from isfc.reports.units import gain_words, percent_range, shown
from scenarios.figures import resources
from scenarios.figures.limit import (
    LIKE_SHARE,
    MOVE,
    MOVED_MIN,
    Limit,
    Relief,
    RestsOn,
    SeenResource,
    Share,
    added,
    find_limit,
)
from scenarios.figures.rates import ModelledRate
from scenarios.figures.resources import resource_known
from scenarios.runs.experiment import Experiment


class Limiting(Struct, frozen=True):
    """What limits a rate."""

    resource: str
    """what it is: `line`, `processor`, `starts`, `delays`, `distance`, `trunk`, `credits`, `ports`,
    `send`, `receive`, `collisions`, `clients`, `servers`, `load` or `offered`"""
    node: str | None
    """whose it is, where each end has its own"""
    share: float
    """how much of 5 % more speed the rate gains: 1 if nothing else counts"""
    busy_percent: float | None
    """of its time, null where it serves any number together"""
    where: str | None
    """the busiest of its kind, where there are several links"""


class BusyResource(Struct, frozen=True):
    """A resource of the run, in a short run of it."""

    resource: str
    """as in `by`; or `ctcs`, `copying` (a system's lock for it), `cpu` (of one processor)"""
    node: str | None
    busy_percent: float | None
    waited_percent: float | None
    """of its time, that something waited for it; null where nothing can"""
    waiting: float | None
    """how many messages, I/Os or transfers waited, in the mean"""


class LimitedBy(Struct, frozen=True):
    """What limits a link, and what would help."""

    by: list[Limiting]
    """those with the greatest share, several if they are alike"""
    shares: list[Limiting]
    """the same of all that count"""
    without: Figure
    """the rate if `by` took no time"""
    added: dict[str, Figure]
    """by what is added: how many times the rate is what it is"""
    resources: list[BusyResource]
    """all that the run has, busy or not"""
    text: str
    """the same in words"""
    named: str
    """the first of it: what limits"""
    short: str
    """that for a column: `BOSTON receives 97 %`"""
    gain: str
    """what a site could add, and gain"""


class _Words(Struct, frozen=True):
    """What a resource is called: in a sentence, in a column, and as one that is busy."""

    sentence: str
    short: str
    seen: str = ""
    """where that is not ``short``"""


_WORDS: Final = {
    resources.LINE.id: _Words("the chpids' fibre links", "fibre links", "fullest fibre link"),
    resources.PROCESSOR.id: _Words("the chpids' data processors", "data processors"),
    resources.STARTS.id: _Words("the starting of I/Os on the chpids", "starts of I/Os"),
    resources.DELAYS.id: _Words(
        "the time that each I/O of a CTC takes by itself", "time of an I/O"
    ),
    resources.DISTANCE.id: _Words("the distance", "distance"),
    resources.TRUNK.id: _Words("the rate of the inter-switch links", "inter-switch links"),
    resources.CREDITS.id: _Words("the buffer credits of the inter-switch links", "buffer credits"),
    resources.PORTS.id: _Words("the buffer credits of the chpids' ports", "ports' buffer credits"),
    resources.SEND.id: _Words(
        "how fast {node} builds packages", "{node} builds", "{node}: send lock"
    ),
    resources.RECEIVE.id: _Words(
        "how fast {node} receives", "{node} receives", "{node}: receive lock"
    ),
    resources.COLLISIONS.id: _Words("writes that collide and are made again", "collisions"),
    resources.CLIENTS.id: _Words("the guests' clients, which have three processors", "clients"),
    resources.SERVERS.id: _Words("the guests' servers", "servers"),
    resources.LOAD.id: _Words("the load: {pairs}", "the load", "the window, for replies"),
    resources.OFFERED.id: _Words(
        "the messages that come: no more are offered",
        "the messages that come",
        "conversations, for messages that come",
    ),
}
"""By the kind of resource."""

_NEVER_LIMIT: Final = {
    resources.CTCS.id: "{node}: CTCs",
    resources.COPYING.id: "{node}: lock for copying",
    resources.CPU.id: "{node}: processors (of one)",
}
"""What resources are called that are seen to be busy alone."""

_HAVE_LOCK: Final = (resources.SEND, resources.RECEIVE)
_MOST: Final = 0.6
_SOME: Final = 0.3
"""With a smaller share than these, a resource limits most, and one of several."""


SEARCHED_SECONDS_MIN: Final = 5.0
"""Of shorter runs `isfc run` does not look for what limits, as that takes some seconds of virtual
time too."""


def limit_line(limit: Limit, mb_per_s: float, load: str = "", *, each_way: bool = False) -> str:
    """``limited by: how fast BOSTON receives (its software's lock is busy 97 %); ...``, of MB/s.

    ``load`` says what is under way, where that is no pairs. Said of ``each_way``, it names no node.
    """
    parts = [limited(limit, load, each_way=each_way)]
    parts += map(_gain, limit.reliefs) if limit.reliefs else _full(limit.experiment)
    under = load or _load(limit.experiment)
    parts.append(f"without this limit, with {under}: {limit.without(mb_per_s)}")
    return f"limited by: {'; '.join(parts)}"


def limited(limit: Limit, load: str = "", *, each_way: bool = False) -> str:
    """``the chpids' fibre links (busy 100 %)``: what limits first, and whether that is all."""
    names = {limit.experiment.client_node: "the sender"} if each_way else None
    named = listed([_named(limit, each, load, names) for each in limit.first])
    if len(limit.first) > 1:
        return f"{named}, about alike"
    if limit.first[0].share < _SOME:
        return f"several things together, most by {named}"
    return f"mostly {named}" if limit.first[0].share < _MOST else named


def limited_by(figures: Sequence[ModelledRate]) -> str:
    """``the chpids' fibre links (busy 100 %)`` of both directions; in short where they differ."""
    found = _slowest_first(figures)
    if len(found) == 2 and _alike(*found, brief=True):
        return limited(found[0][1], each_way=True)
    return "; ".join(f"{way.sender} sending: {short_limit(limit)}" for way, limit in found)


def to_gain(limit: Limit) -> str:
    """``one more chpid with 4 CTCs: +45 % (+30 to +61)``: what a site could add, and gain.

    Nothing where nothing was added, to several links.
    """
    gains = [each for each in limit.reliefs if each.differs and each.ratio.value > 1]
    if gains:
        return "; ".join(f"{relief.added}: {gain_words(relief.ratio)}" for relief in gains)
    tried = [f"{each.added} ({percent_range(each.ratio)} %)" for each in limit.reliefs]
    said = "; ".join(tried or _full(limit.experiment))
    return said and f"nothing that is known to: {said}"


def short_limit(limit: Limit) -> str:
    """``BOSTON receives 97 %``: for a column; the per cent are how busy it is."""
    return " and ".join(map(_short, limit.first[:2]))


def _short(share: Share) -> str:
    busy = "" if share.busy is None else f" {shown(min(1.0, share.busy), Unit.SHARE)} %"
    place = f" {share.where.partition(' =')[0]}" if share.where else ""
    return f"{_WORDS[share.resource.kind.id].short.format(node=share.resource.node)}{place}{busy}"


def limit_lines(figures: Sequence[ModelledRate]) -> list[str]:
    """What limits each direction and what would help; once where they are alike."""
    found = _slowest_first(figures)
    if len(found) == 2 and _alike(*found):
        (slower, limit), _ = found
        return [f"Each way {limit_line(limit, _saturated(slower), each_way=True)} MB/s."]
    return [
        f"{way.sender} sending {limit_line(limit, _saturated(way))} MB/s." for way, limit in found
    ]


def _slowest_first(figures: Sequence[ModelledRate]) -> "list[_Way]":
    """Those of which it is known what limits them."""
    found = [(each, each.limit) for each in figures if each.limit]
    return sorted(found, key=lambda way: _saturated(way[0]))


def _saturated(figure: ModelledRate) -> float:
    return figure.runs[0].mb_per_s


_Way = tuple[ModelledRate, Limit]


def _alike(one: _Way, other: _Way, *, brief: bool = False) -> bool:
    """Whether the same limits two ways and, unless it is said in ``brief``, as much is to gain."""
    if _kinds(one[1]) != _kinds(other[1]):
        return False
    both = zip(_to_gain(*one), _to_gain(*other), strict=True)
    return brief or all(abs(a - b) <= LIKE_SHARE * max(a, b) for a, b in both)


def _to_gain(figure: ModelledRate, limit: Limit) -> list[float]:
    """The rate without its limit, and how many times the rate is with each thing that is added."""
    return [limit.factor * _saturated(figure), *(each.ratio.value for each in limit.reliefs)]


def _kinds(limit: Limit) -> frozenset[tuple[str, bool]]:
    """The kinds of resources that limit, and whether each is the sender's."""
    sender = limit.experiment.client_node
    return frozenset((each.resource.kind.id, each.resource.node == sender) for each in limit.first)


def _full(experiment: Experiment) -> list[str]:
    """That nothing can be added to a link, if that is so."""
    links = experiment.collection.links
    if len(links) > 1 or added(links[0]):
        return []
    few = "" if len(links[0].ctcs) == CTCS_MAX else ", too few for one more on each chpid"
    return [f"a link has {CTCS_MAX} CTCs at most{few}"]


def _gain(relief: Relief) -> str:
    """``a fifth CTC on each chpid gains 5 % (-6 to +17)``: more or less, and its range."""
    between = percent_range(relief.ratio)
    if not relief.differs:
        return f"{relief.added} is not known to gain ({between} %)"
    gained = relief.ratio.value - 1
    verb = "gains" if gained > 0 else "loses"
    return f"{relief.added} {verb} {shown(abs(gained), Unit.SHARE)} % ({between})"


def _named(limit: Limit, share: Share, load: str, names: Mapping[NodeName, str] | None) -> str:
    """A resource, how busy it is, and how far its speed is known.

    ``names`` are other words for nodes; one that is not there is "the other end".
    """
    experiment, (kind, node) = limit.experiment, (share.resource.kind, share.resource.node)
    name = node if node is None or names is None else names.get(node, "the other end")
    words = _WORDS[kind.id].sentence.format(node=name, pairs=load or _pairs(experiment))
    said = []
    if share.busy is not None:
        whose = share.where
        if kind in _HAVE_LOCK:
            whose = " ".join(filter(None, ("CP's lock for the link", share.where, "is")))
        said.append(f"{whose} busy {shown(min(1.0, share.busy), Unit.SHARE)} %".strip())
    if doubt := resource_known(share.resource, experiment.collection.links):
        said.append(doubt)
    return f"{words} ({'; '.join(said)})" if said else words


def _load(experiment: Experiment) -> str:
    """``50 pairs``: what the rate without a limit is of."""
    pairs = {load.pairs for load in experiment.loads}
    if len(pairs) > 1:
        return "this traffic"
    many = pairs.pop()
    return f"{many} pair{'s' * (many > 1)}"


def _pairs(experiment: Experiment) -> str:
    """What is under way."""
    if len(experiment.loads) > 1:
        return "more pairs would carry more"
    return f"{experiment.pairs} pairs with {experiment.workload.window} messages each under way"


def limits_of(limit: Limit, mb_per_s: float, load: str = "") -> LimitedBy:
    """What an answer says of a limit, of a rate in MB/s."""
    return LimitedBy(
        [*map(_limiting, limit.first)],
        [*map(_limiting, limit.shares)],
        limit.without(mb_per_s),
        {relief.added: relief.ratio for relief in limit.reliefs},
        [*map(_busy, limit.resources)],
        limit_line(limit, mb_per_s, load),
        limited(limit, load),
        short_limit(limit),
        to_gain(limit),
    )


def limits_answer(limits: LimitedBy | UnsetType | None) -> Iterator[tuple[str, str]]:
    """What limits a rate, and what there is to gain, where these are known."""
    if limits:
        yield "Limited by", limits.named
        if limits.gain:
            yield "To gain", limits.gain


def ends_in_cp(limits: LimitedBy | None, rate: Figure) -> Iterator[tuple[str, str]]:
    """That more chpids gain nothing, where CP alone limits a link on machines that are said.

    Not where the ``rate`` to be counted on is what IBM states of its chpids.
    """
    locks = {kind.id for kind in _HAVE_LOCK}
    if limits and rate.by_model is None and all(each.resource in locks for each in limits.by):
        yield "More chpids", "gain nothing: CP ends the link, and 'isfc plan' says how surely"


def _limiting(share: Share) -> Limiting:
    busy = None if share.busy is None else 100 * share.busy
    resource = share.resource
    return Limiting(resource.kind.id, resource.node, share.share, busy, share.where or None)


def _busy(seen: SeenResource) -> BusyResource:
    kind, waited = seen.resource.kind.id, seen.waited
    return BusyResource(
        kind,
        seen.resource.node,
        None if seen.busy is None else 100 * seen.busy,
        None if waited is None else 100 * waited.share,
        None if waited is None else waited.count,
    )


_SEEN_HEADING: Final = (
    "Of its time each resource is busy, and waited for, by so many in the mean. "
    "No range: nothing that is published tells."
)


def resources_table(seen: Sequence[BusyResource]) -> Table:
    """How busy each resource was, and what waited for it."""
    rows = [
        each for each in seen if each.busy_percent is not None or each.waited_percent is not None
    ]
    columns = (
        Column("resource", "resource", value=_seen),
        *headed(Unit.PERCENT, busy_percent="busy\n%", waited_percent="waited for\n%"),
        Column("waiting", "waiting", Unit.COUNT),
    )
    return Table(_SEEN_HEADING, columns, rows, "resources")


def _seen(busy: BusyResource) -> str:
    words = _WORDS.get(busy.resource)
    name = _NEVER_LIMIT[busy.resource] if words is None else words.seen or words.short
    return name.format(node=busy.node)


def rests_on_table(found: Sequence[RestsOn]) -> Table:
    """The constants that move a rate, and by how much; with none the caption says so."""
    move, least = shown(MOVE, Unit.SHARE), shown(MOVED_MIN, Unit.SHARE)
    less = Column(
        f"{move} %\nless", "less_percent", Unit.CHANGE, value=lambda each: 100 * (each.less - 1)
    )
    more = Column(
        f"{move} %\nmore", "more_percent", Unit.CHANGE, value=lambda each: 100 * (each.more - 1)
    )
    columns = (
        Column("constant", "constant", value=lambda each: each.name),
        Column("of", "of", value=lambda each: each.holder),
        Column("known", "known"),
        less,
        more,
    )
    caption = (
        "Constants that the rate rests on; by how many percent moving each changes it (no range)"
        if found
        else f"No constant of the model moves this by more than {least} % alone."
    )
    return Table(caption, columns, found, "rests_on")


def limit_of_run(
    experiment: Experiment, seeds: int | None, least_s: float = SEARCHED_SECONDS_MIN
) -> Limit | None:
    """What limits a run; None of one of less than ``least_s`` with all its seeds."""
    return find_limit(experiment) if experiment.seconds * (seeds or 1) >= least_s else None
