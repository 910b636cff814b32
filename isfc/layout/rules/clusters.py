"""Rules for collections of several systems, and for what their links share.

Each finding about the whole collection stands at the first link that it concerns, and names the
others itself.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Final

from isfc.errors.in_words import listed
from isfc.layout.capacity import FULL_CTC_COUNT
from isfc.layout.collection import Collection
from isfc.layout.layout import Layout
from isfc.layout.parts import Channel
from isfc.layout.rules.rule import REPORT, Broken, Judged, RuleBook, Untried
from isfc.layout.sharing import carried_by, channel_name, channel_rates, others_on, say_others

_PLANNING: Final = "IBM, z/VM CP Planning and Administration, setting up an SSI cluster"


_MEMBERS_MAX: Final = 8
_MEMBERS_MAX_TO_7_2: Final = 4
"""Members of an SSI cluster: of z/VM 7.3, and up to 7.2."""

CLUSTER_RULES: Final = RuleBook()
"""In the order in which they are listed."""


def _of_file(
    find: Callable[[Collection, Layout], Iterable[Broken]],
) -> Callable[[Judged], Iterator[Broken]]:
    """A rule about a link in its file: it finds nothing where that is not known."""

    def found(judged: Judged) -> Iterator[Broken]:
        if judged.collection is not None:
            yield from find(judged.collection, judged.layout)

    return found


def _of_whole(
    find: Callable[[Collection], Iterator[Broken]],
) -> Callable[[Judged], Iterator[Broken]]:
    """A rule about a file as a whole, which is found at its first link."""
    return _of_file(
        lambda collection, link: find(collection) if link.nodes == collection.links[0].nodes else ()
    )


@CLUSTER_RULES.rule(
    "mesh-incomplete",
    "Two systems of the file have no link.",
    "An SSI cluster needs a direct link between each two members; nothing is forwarded.",
    _PLANNING,
    "Define a link between them. A collection that is no SSI cluster needs none.",
    Untried("it is about who can reach whom, not about what is carried"),
    of_file=True,
)
@_of_whole
def _mesh(collection: Collection) -> Iterator[Broken]:
    joined = {frozenset(link.nodes) for link in collection.links}
    apart = [
        f"{one} and {other}"
        for one, other in combinations(collection.systems, 2)
        if frozenset((one, other)) not in joined
    ]
    if apart:
        yield Broken(f"{len(apart)} pair{'s' * (len(apart) > 1)} without a link: {listed(apart)}.")


@CLUSTER_RULES.rule(
    "members-beyond-ssi",
    "There are more systems than an SSI cluster may have members.",
    "Guests are relocated between members of one SSI cluster. Other systems may have links.",
    "IBM, z/VM 7.2 CP Planning and Administration, SSI statement: slots 1 to 4; that z/VM 7.3 "
    "takes eight is known of its announcement, and no page of its books was found",
    "Make several clusters of them, or take a release of z/VM that has so many members.",
    Untried("it is about who may be a member, not about what is carried"),
    is_remark=True,
    of_file=True,
)
@_of_whole
def _members(collection: Collection) -> Iterator[Broken]:
    count = len(collection.systems)
    if count > _MEMBERS_MAX:
        yield Broken(
            f"{count} systems: an SSI cluster has at most {_MEMBERS_MAX} members, and up to z/VM "
            f"7.2 at most {_MEMBERS_MAX_TO_7_2}."
        )
    elif count > _MEMBERS_MAX_TO_7_2:
        yield Broken(
            f"{count} systems: up to z/VM 7.2 an SSI cluster has at most {_MEMBERS_MAX_TO_7_2} "
            "members."
        )


@CLUSTER_RULES.rule(
    "link-cut-by-one-loss",
    "One channel, director or inter-switch link carries all of a link.",
    "When it fails, the link is down, however many fibres it has.",
    "Derived: a logical link is up while one of its CTCs is",
    "Lead some of the CTCs another way.",
    Untried("it is about what a loss leaves, not about what is carried"),
)
@_of_file
def _single_points(collection: Collection, layout: Layout) -> Iterator[Broken]:
    fibres = layout.fibres
    if len(fibres) > 1:
        common = set.intersection(
            *(set(collection.channels_of(fibre, layout.nodes)) for fibre in fibres)
        )
        for channel in sorted(common, key=channel_name):
            name = channel_name(channel)
            yield Broken(f"{name[0].upper()}{name[1:]} is an end of every fibre.")
    directors = [set(fibre.directors) for fibre in fibres]
    for director in sorted(set.intersection(*directors)):
        yield Broken(f"Director {director} leads every fibre.")
    paths = {fibre.path for fibre in fibres}
    if len(paths) == 1:
        (path,) = paths
        if path is not None and path.isl is not None and path.isl.count == 1:
            yield Broken(f"The one inter-switch link of path {path.name} carries every fibre.")


@CLUSTER_RULES.rule(
    "channel-shared",
    "Channels that several systems or both ends share carry more than four CTCs.",
    "All its CTCs share one fibre link each way and one data processor.",
    f"Derived: what is known of a chpid's CTCs does not ask whose they are; {REPORT}",
    "Give some of the links other channels, or fewer CTCs on each.",
    Untried("it takes several links to find it, and what is run is one"),
    of_file=True,
)
@_of_file
def _channel_shared(collection: Collection, layout: Layout) -> Iterator[Broken]:
    alike: dict[str, list[str]] = {}
    for channel, links in carried_by(collection).items():
        if layout.nodes != links[0].nodes:
            continue
        counts = {link: collection.ctc_count(channel, link) for link in links}
        straight = any(_is_straight(collection, channel, link) for link in links)
        is_new = len(channel) > 1 or straight  # of one system: chpid-shared tells of it
        if is_new and sum(counts.values()) > FULL_CTC_COUNT:
            ends = listed(f"{count} of {link.name}" for link, count in counts.items())
            twice = ", a straight one twice" if straight else ""
            alike.setdefault(f"{sum(counts.values())} CTCs{twice}: {ends}", []).append(
                " = ".join(map(str, channel))
            )
    for load, names in alike.items():
        carry = "The channel {} carries" if len(names) == 1 else "The channels {} each carry"
        yield Broken(f"{carry.format(listed(names))} {load}. Four fill a chpid.")


@CLUSTER_RULES.rule(
    "chpid-carries-others",
    "The chpids carry CTCs of links that the file does not have.",
    "While those are busy, the link gets its part of each channel, and no figure has that but "
    "the one that says so.",
    "The decks that were imported: control units on the same channels",
    "Import those links too, for figures of all together.",
    Untried("it is about links that the file does not have"),
    is_remark=True,
)
@_of_file
def _others(collection: Collection, layout: Layout) -> Iterator[Broken]:
    if others := others_on(collection, layout):
        yield Broken(f"{say_others(others)}.")


def _is_straight(collection: Collection, channel: Channel, link: Layout) -> bool:
    """Whether a link has a fibre with both ends on a channel."""
    return any(
        collection.channels_of(fibre, link.nodes) == (channel, channel) for fibre in link.fibres
    )


@CLUSTER_RULES.rule(
    "member-asymmetric",
    "A system has fewer or slower channels for its links than another one.",
    "What moves away from or to that system takes longer than between the others.",
    "Derived: what a system sends and receives is bound by its channels",
    "Give it as many channels, and as fast ones, as the others have.",
    Untried("it takes several links to find it, and what is run is one"),
    is_remark=True,
    of_file=True,
)
@_of_whole
def _asymmetric(collection: Collection) -> Iterator[Broken]:
    count = len(collection.systems)
    if count < 3 or len(collection.links) < count * (count - 1) // 2:
        return  # without links between all of them some have fewer channels by design
    rates = {system: channel_rates(collection, system) for system in collection.systems}
    totals = {system: sum(rates[system].values()) for system in rates}
    least = min(totals.values())
    if least < max(totals.values()):
        each = listed(
            f"{system} {len(rates[system])} ({totals[system]:g} Gb/s)" for system in rates
        )
        weak = listed(system for system, total in totals.items() if total == least)
        yield Broken(
            f"The systems have unequal channels for their links: {each}; {weak} the least."
        )
