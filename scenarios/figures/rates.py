"""What links carry, by the model and by IBM's rule of thumb: one definition for all who ask.

What a link carries is the rate of its slower direction, each direction by itself until it is
steady, and no more than IBM states of command mode (`to_count_on`). Several links run at the same
time, all first nodes sending and then all second ones; where the file says their traffic, that runs
instead, as it is. A link is the case of one. What each of its nodes can send is said at saturation,
and at a load that people state. Links that its file does not have, of which decks tell
(`isfc.layout.sharing`), run together with it, as in a plan of a file that has all of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from operator import call
from typing import Any, Final, TypeVar

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.errors.in_words import check_known, number
from isfc.layout.capacity import end_to_count_on, slower_by_rule, to_count_on
from isfc.layout.catalogue import AnyLayout, given_collection
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout, on_machines
from isfc.layout.sharing import others_on, say_others, with_others
from isfc.layout.site import GivenSite
from isfc.link.name import NodeName
from isfc.reports.figure import Figure, NoRange, Note, NoteKind, Unit
from scenarios.figures.limit import Limit, find_limit
from scenarios.figures.ranges import link_rate, links_rate
from scenarios.runs import steady
from scenarios.runs.channels import ChannelResult, PathResult
from scenarios.runs.experiment import (
    SATURATING_PAIRS,
    STATED,
    STATED_PAIRS,
    Experiment,
    Load,
    RunEach,
    in_turn,
    one_way,
    shape,
    unnamed,
)
from scenarios.runs.result import Result
from scenarios.runs.steady import Rate, SteadyEnds, SteadyRun, first_look, steady_ends, steady_run


class EndRate(Struct, frozen=True):
    """What one end of a link sends, and what it saw of that run; None where nothing was run."""

    rate: Rate
    seen: Result | None = None


Ways = tuple[EndRate, EndRate]
"""What the first node of a link sends, and what the second does."""

_NOTHING: Final[Ways] = EndRate(Rate(0.0)), EndRate(Rate(0.0))
"""Of a link that is down, and of one over which nothing runs."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What some links carry with a load; by the rule of thumb alone if ``ways`` is None.

    ``ways`` are by the name of each link. ``slower`` is the run of the direction in which less is
    carried in all, and ``limit`` what limits that. What several fibres share is, each channel and
    path, of the run in which it is busier.
    """

    links: Collection
    load: Load
    ways: Mapping[str, Ways] | None = field(default=None, hash=False)
    slower: Experiment | None = None
    channels: tuple[ChannelResult, ...] = ()
    paths: tuple[PathResult, ...] = ()
    limit: Limit | None = None

    @property
    def estimated_mb_per_s(self) -> float:
        """The same by the rule of thumb."""
        return sum(map(slower_by_rule, self.links.links))

    @property
    def rate(self) -> Figure:
        """MB/s of the slower direction of each link, in all; by rule if nothing was run."""
        links, found = self.links.links, self.ways
        if found is None:
            return Figure(self.estimated_mb_per_s, Unit.MB_PER_S, no_range=NoRange.BY_RULE)
        slower = [slower_way(found[link.name]) for link in links]
        if len(links) == 1:
            return self.rate_of(links[0], slower[0])
        every = steady.sum_of([each.rate for each in slower])
        return links_rate(every.modelled, links, self.load).of_run(every)

    def rate_of(self, link: Layout, sent: EndRate) -> Figure:
        """The same of what one end of a link sends."""
        load, rate = self.load, sent.rate
        if len(self.links.links) > 1 or load.traffic:
            return links_rate(rate.modelled, [link], load).of_run(rate)
        collisions = 0.0 if sent.seen is None else sent.seen.collisions_per_s
        return link_rate(rate.modelled, link, load, collisions).of_run(rate)


def slower_way(ways: Ways) -> EndRate:
    """That of the ways that have something to send."""
    sending = (way for way in ways if way.rate.mb_per_s)
    return min(sending, key=lambda way: way.rate.mb_per_s, default=_NOTHING[0])


def carry(
    every: Sequence[Collection],
    load: Load = STATED,
    run_each: RunEach | None = None,
    look: Callable[[Experiment], SteadyEnds] = steady_ends,
) -> list[Carried]:
    """What each of some collections carries with a load; by the rule of thumb without ``run_each``.

    Runs that are alike are made once, by ``look``: until they are steady, if nothing else is said.
    """
    if run_each is None:
        return [Carried(links, load) for links in every]
    runs = [load.runs(links) for links in every]
    seen = iter(_once(look, [run for both in runs for run in both], run_each, unnamed))
    return [
        _carried(links, load, [next(seen) for _ in both])
        for links, both in zip(every, runs, strict=True)
    ]


def carry_all(links: Collection, run_each: RunEach) -> Carried:
    """What all links carry together, with their traffic or the stated load, and what limits it."""
    (carried,) = limited(carry([links], STATED.of(links), run_each), run_each)
    return carried


def carried_alone(links: Iterable[Layout], run_each: RunEach) -> dict[Layout, Carried]:
    """What each of some links carries by itself, with the stated load."""
    alone = {link: Collection.of(link) for link in links}
    return dict(zip(alone, carry([*alone.values()], STATED, run_each), strict=True))


def limited(
    every: Sequence[Carried], run_each: RunEach, *, with_added: bool = False
) -> list[Carried]:
    """The same with what limits each; ``with_added`` also what a site could add to it."""
    rates = {_alike(each.slower): each.rate.modelled for each in every if each.slower}
    find = partial(_limit, rates=rates, with_added=with_added)
    limits = iter(_once(find, [each.slower for each in every if each.slower], run_each, _alike))
    return [replace(each, limit=next(limits)) if each.slower else each for each in every]


def _limit(run: Experiment, *, rates: Mapping[object, float], with_added: bool) -> Limit:
    return find_limit(run, with_added=with_added, steady_mb_per_s=rates[_alike(run)])


def _carried(links: Collection, load: Load, runs: Sequence[SteadyEnds]) -> Carried:
    own = load.runs(links)
    sent = {  # of a link that is alike, ends have other names
        end: EndRate(run.rate, replace(run.result, node=end[0]))
        for experiment, each in zip(own, runs, strict=True)
        for end, run in zip(experiment.sending, each.ends.values(), strict=True)
    }
    for experiment in own:
        rates = to_count_on(links.links, {end: sent[end].rate for end in experiment.sending})
        sent |= {end: structs.replace(sent[end], rate=rate) for end, rate in rates.items()}
    ways = {
        link.name: (sent.get(link.nodes, _NOTHING[0]), sent.get(link.nodes[::-1], _NOTHING[1]))
        for link in links.links
    }
    in_all = [sum(sent[end].rate.mb_per_s for end in each.sending) for each in own]
    # of one link runs that are alike are made once, perhaps with other chpids
    shared = runs if len(links.links) > 1 else ()
    return Carried(
        links,
        load,
        ways,
        own[in_all.index(min(in_all))] if own else None,
        _busier([run.channels for run in shared]),
        _busier([run.paths for run in shared]),
    )


_Shared = TypeVar("_Shared", ChannelResult, PathResult)


def _busier(runs: Sequence[Sequence[_Shared]]) -> tuple[_Shared, ...]:
    """Each that is shared, of the run in which it is busier."""
    return tuple(max(same, key=lambda each: each.busy) for same in zip(*runs, strict=True))


_Outcome = TypeVar("_Outcome")


def _once(
    work: Callable[[Experiment], _Outcome],
    experiments: Sequence[Experiment],
    run_each: RunEach,
    key: Callable[[Experiment], object],
) -> list[_Outcome]:
    """Do work on every experiment, on those that are alike by ``key`` once."""
    keys = [key(each) for each in experiments]
    first = dict(zip(reversed(keys), reversed(experiments), strict=True))
    done = dict(zip(first, run_each(work, [*first.values()]), strict=True))
    return [done[key] for key in keys]


def _alike(experiment: Experiment) -> object:
    """What a run of a load depends on: of one link its shape."""
    links = experiment.collection.links
    if len(links) > 1:
        return experiment
    return shape(links[0], experiment.client_node), experiment.loads


Way = tuple[Layout, NodeName]
"""A link, and the node that sends."""

Rates = tuple[Rate, Rate]
"""What one direction carries, saturated and with the stated load."""


@dataclass(frozen=True, slots=True, repr=False)
class ModelledRate:
    """What one node of ``layout`` can send: saturated, and with ``pairs``.

    ``runs`` are the model's rates of both, ``rates`` what of them is to be counted on. ``seen`` is
    all that its end of the link saw of the run with the pairs while that was steady: collisions,
    utilisation. ``limit`` is of the saturated rate, None where it was not looked for.
    """

    layout: Layout = field(compare=False)
    sender: NodeName
    runs: Rates
    pairs: int = STATED_PAIRS
    seen: Result | None = None
    limit: Limit | None = None

    @property
    def rates(self) -> Rates:
        """What of both is to be counted on."""
        saturated, stated = (end_to_count_on(r, self.layout, self.sender) for r in self.runs)
        return saturated, stated

    @property
    def saturated(self) -> Figure:
        """MB/s with so many pairs that more would carry no more."""
        return self._figure(self.rates[0], SATURATING_PAIRS)

    @property
    def stated(self) -> Figure:
        """MB/s with ``pairs``."""
        return self._figure(self.rates[1], self.pairs)

    @property
    def figures(self) -> tuple[Figure, Figure]:
        """Both, saturated first."""
        return self.saturated, self.stated

    def _figure(self, rate: Rate, pairs: int) -> Figure:
        load = Load(pairs=pairs)
        collisions = 0.0 if self.seen is None else self.seen.collisions_per_s
        layout = self.layout
        if layout.site is None:  # a fit is of both ends
            to = layout.partner(self.sender)
            layout = on_machines(layout, {to: layout.machine(to)})
        return link_rate(rate.modelled, layout, load, collisions).of_run(rate, self.sender)

    def to_dict(self) -> dict[str, Any]:
        """One flat record, as a data frame takes it; MB/s (2^20), with 95 % confidence."""
        figures = {"sender": self.sender}
        return figures | {
            f"{load}_{key}": getattr(rate, key)
            for load, rate in zip(("saturated", "stated"), self.rates, strict=True)
            for key in ("mb_per_s", "spread_mb_per_s", "second_mb_per_s")
        }

    def __repr__(self) -> str:
        return (
            f"<ModelledRate {self.sender}: {number(self.saturated.value, 1)} MB/s saturated, "
            f"{number(self.stated.value, 1)} with {self.pairs} pairs>"
        )


@checked
def carried(
    layout: AnyLayout, *senders: str, pairs: int = STATED_PAIRS, profile: GivenSite = None
) -> tuple[ModelledRate, ...]:
    """What some nodes can send, saturated and with ``pairs``: the first and the second if none.

    ``layout`` is a record, the name of a shipped layout, a path, or a layout file's text;
    ``profile`` is a site's. Raises `ConfigurationError` for several links, and for a sender that is
    not of the link.
    """
    from scenarios.runs.at_site import link_at  # commands open their links themselves

    link = link_at(layout, profile)
    for sender in senders:
        check_known("sender", sender, link.nodes)
    ways = [(link, NodeName(sender)) for sender in senders or link.nodes]
    return _rates(ways, [steady_run(each) for each in _runs(ways, pairs)], pairs)


def link_rates(
    layout: Layout, changed: Sequence[Layout] = (), run_each: RunEach = in_turn
) -> tuple[tuple[ModelledRate, ...], dict[Layout, Rates]]:
    """What both nodes of a layout can send, each with what limits it.

    Beside it: what a first look at ``changed`` layouts shows, those that are alike once. Each way
    has runs of its own, and all are done at one time.
    """
    ways = [(layout, node) for node in layout.nodes]
    looks = {shape(each, node): (each, node) for each in changed for node in each.nodes}
    groups: tuple[list[Callable[[], Any]], ...] = (
        [partial(steady_run, each) for each in _runs(ways)],
        [partial(first_look, each) for each in _runs([*looks.values()])],
    )
    done = iter(run_each(call, [run for group in groups for run in group]))
    runs, seen = ([*islice(done, len(group))] for group in groups)
    both = dict(zip(looks, zip(seen[::2], seen[1::2], strict=True), strict=True))
    slower = {
        each: slower_rates([ModelledRate(each, n, both[shape(each, n)]) for n in each.nodes])
        for each in changed
    }
    rates = _rates(ways, runs)
    limits = run_each(find_saturated, [(layout, r.sender, r.runs[0].mb_per_s) for r in rates])
    return tuple(replace(r, limit=each) for r, each in zip(rates, limits, strict=True)), slower


def find_saturated(way: tuple[Layout, NodeName, float]) -> Limit:
    """What limits what a node can send with many pairs, which comes to so many MB/s."""
    layout, node, rate = way
    return find_limit(one_way(layout, node, SATURATING_PAIRS), steady_mb_per_s=rate)


def slower_rates(figures: Sequence[ModelledRate]) -> Rates:
    """Of what nodes can send."""
    both = zip(*(each.rates for each in figures), strict=True)
    saturated, stated = (min(rates, key=lambda rate: rate.mb_per_s) for rates in both)
    return saturated, stated


def _runs(ways: Sequence[Way], pairs: int = STATED_PAIRS) -> list[Experiment]:
    """The runs of what nodes can send: of each saturated, and with ``pairs``."""
    return [
        one_way(layout, sender, load)
        for layout, sender in ways
        for load in (SATURATING_PAIRS, pairs)
    ]


def _rates(
    ways: Sequence[Way], runs: Sequence[SteadyRun], pairs: int = STATED_PAIRS
) -> tuple[ModelledRate, ...]:
    """What nodes can send, of the outcomes of those runs."""
    return tuple(
        ModelledRate(layout, sender, (saturated.rate, stated.rate), pairs, stated.result)
        for (layout, sender), saturated, stated in zip(ways, runs[::2], runs[1::2], strict=True)
    )


@checked
def others_busy(layout: AnyLayout, link: str | None = None) -> tuple[Note, ...]:
    """What `isfc plan` says of a link beside others that its decks have on its chpids, if any.

    ``link`` is one of several, such as ``"ATLANTA-BOSTON"``. Raises `ConfigurationError` for one
    that there is not.
    """
    collection = given_collection(layout)
    return tuple(_notes(collection, collection.link(link), in_turn))


def with_others_busy(collection: Collection, link: Layout, run_each: RunEach) -> Layout:
    """The link of a collection, with these notes; as it is if decks tell of no others."""
    notes = tuple(_notes(collection, link, run_each))
    return replace(link, notes=(*link.notes, *notes)) if notes else link


def _notes(collection: Collection, link: Layout, run_each: RunEach) -> Iterator[Note]:
    """What the link carries; or why that cannot be run."""
    others = others_on(collection, link)
    if not others:
        return
    said = say_others(others)
    try:
        links = with_others(collection, link)
    except ConfigurationError as error:
        text = f"{said}; what is left with those busy is not run: {error}."
    else:
        (carried,) = carry([links], STATED, run_each)
        rates = " and ".join(
            f"{carried.rate_of(link, way)} from {node}"
            for node, way in zip(link.nodes, (carried.ways or {})[link.name], strict=True)
        )
        text = f"{said}; with those busy it is about {rates}, in MB/s, {carried.load.words}."
    yield Note(NoteKind.OTHERS, text)
