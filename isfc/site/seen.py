"""A measurement held against a layout: which end it is of, and which rows are of the link."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from ctc.address import Rdev, format_rdev
from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import first_listed, grouped, number
from isfc.layout.layout import Layout
from isfc.link.name import NodeName
from isfc.site.figures import Reading, without_repeats
from isfc.site.measurement import FilePlace, LinkFigures, Measurement, joined, without_copies

_NAMED_MAX: Final = 8
"""RDEVs that a note names."""


class SeenLink(Struct, frozen=True):
    """What one end of a layout's link showed in an interval.

    ``others`` are RDEVs with a row that are not of the link, ``silent`` those of the link without.
    ``unlike`` says how the link that was configured differs from the layout's.
    """

    node: NodeName
    measurement: Measurement
    others: tuple[Rdev, ...]
    silent: tuple[Rdev, ...]
    unlike: tuple[str, ...] = ()

    def notes(self) -> list[str]:
        """What of it is left out or missing, and what changed, in words."""
        found = [f"changed in the interval: {change}" for change in self.measurement.changes]
        found += self.unlike
        if self.others:
            found.append(f"left out, as they are not of the link: {_listed(self.others)}")
        if self.silent and self.measurement.devices:
            found.append(f"of the link, but without a row: {_listed(self.silent)}")
        return found


class SeenInterval(Struct, frozen=True):
    """What one end of a link showed in an interval, or both ends."""

    ends: tuple[SeenLink, ...]

    @property
    def place(self) -> FilePlace:
        """Where the first of it stands."""
        return self.ends[0].measurement.place

    def notes(self) -> list[str]:
        """What is left out or missing of each end, and where the two do not agree."""
        several = len(self.ends) > 1
        found = [
            f"{end.node}: {note}" if several else note for end in self.ends for note in end.notes()
        ]
        links = [end.measurement.links[0] for end in self.ends if end.measurement.links]
        if len(links) == 2:
            one, other = links
            for here, there in ((one.written, other.read), (other.written, one.read)):
                if abs(here.mb_per_s - there.mb_per_s) > DISAGREE * max(here.mb_per_s, 1.0):
                    found.append(
                        f"one end wrote {number(here.mb_per_s, 1)} MB/s, the other read "
                        f"{number(there.mb_per_s, 1)}: these may be different intervals"
                    )
        return found


DISAGREE: Final = 0.05
"""Share by which what one end writes and the other reads may differ in one interval. Chosen: their
clocks are a few seconds apart, of a minute."""

APART_S: Final = 5
"""Seconds by which the ends of two systems' intervals may differ, and be one. Chosen, as above."""


def seen_intervals(
    layout: Layout,
    measurements: Sequence[Measurement],
    left_out: list[str] | None = None,
    client: NodeName | None = None,
) -> list[SeenInterval]:
    """Each interval with the ends of the link that showed it; in the order of the first of each.

    What is there twice is told to ``left_out``; ``client`` says at which end the clients were.
    Raises `ConfigurationError` as `seen_link` does.
    """
    found: list[SeenInterval] = []
    # pages that do not name their system go together as soon as it is known
    reading = Reading(notes=[] if left_out is None else left_out)
    ends = [_of_end(layout, one, client) for one in measurements]
    whole = joined(without_copies(ends, reading.notes))
    for one in without_repeats(whole, reading):
        each = seen_link(layout, one)
        for index, other in enumerate(found):
            if _same_interval(other, each):
                found[index] = SeenInterval((*other.ends, each))
                break
        else:
            found.append(SeenInterval((each,)))
    reading.end()
    return found


def _same_interval(one: SeenInterval, end: SeenLink) -> bool:
    if len(one.ends) > 1 or one.ends[0].node == end.node:
        return False
    return at_one_time(one.ends[0].measurement, end.measurement)


def at_one_time(one: Measurement, other: Measurement) -> bool:
    """Whether intervals ended together, or neither says when."""
    here, there = _seconds(one), _seconds(other)
    if here is None or there is None:
        return here is there
    return abs(here - there) <= APART_S


def _seconds(one: Measurement) -> float | None:
    """When an interval ended: seconds since a day that is the same for all; None without a time.

    In UTC where the zone is said. Two systems of which one says it and the other does not are
    compared as if in one zone.
    """
    text = one.end or ""
    try:
        ended = datetime.fromisoformat(text if "-" in text else f"1970-01-01T{text}")
    except ValueError:
        return None
    return ended.replace(tzinfo=UTC).timestamp() - zone_seconds(one.zone)


def zone_seconds(zone: str | None) -> int:
    """How many seconds a zone such as ``+02:00`` is ahead of UTC; 0 if nobody says it."""
    ahead = datetime.fromisoformat(
        f"1970-01-01T00:00{(zone or 'Z').replace('UTC', 'Z')}"
    ).utcoffset()
    return 0 if ahead is None else round(ahead.total_seconds())


def _listed(rdevs: Sequence[Rdev]) -> str:
    return first_listed([*map(format_rdev, rdevs)], _NAMED_MAX)


def _of_end(layout: Layout, one: Measurement, client: NodeName | None) -> Measurement:
    """The measurement with the end of the link that it is of.

    With ``client`` it says whether the clients were there. Raises as `seen_link` does.
    """
    node = _end(layout, one)
    return replace(one, system=node, clients=one.clients if client is None else node == client)


def seen_link(layout: Layout, measurement: Measurement) -> SeenLink:
    """The rows of the link, at the end that the measurement is of.

    Raises `ConfigurationError` if it is of neither end, of both, or nobody says of which.
    """
    node = _end(layout, measurement)
    partner = layout.partner(node)
    own = {device.rdev for device in layout.devices(node)}
    kept = tuple(each for each in measurement.devices if each.rdev in own)
    if measurement.devices and not kept:
        shown = _listed([each.rdev for each in measurement.devices])
        raise ConfigurationError(
            f"{measurement.place}: no RDEV of {node} in this layout ({shown}); "
            f"expected some of {_listed(sorted(own))}"
        )
    present = {each.rdev for each in kept}
    return SeenLink(
        node,
        replace(measurement, system=node, devices=kept, links=_links_to(partner, measurement)),
        tuple(each.rdev for each in measurement.devices if each.rdev not in own),
        tuple(sorted(own - present - {rdev for rdev, _ in measurement.passed})),
        tuple(_unlike(layout, node, partner, measurement)),
    )


def _links_to(partner: NodeName, measurement: Measurement) -> tuple[LinkFigures, ...]:
    """The link activity of the link to a node; of a single link whatever its partner is called."""
    links = measurement.links
    found = tuple(link for link in links if link.partner == partner)
    if len(links) > 1 and not found:
        names = ", ".join(link.partner or "not named" for link in links)
        raise ConfigurationError(
            f"{measurement.place}: activity of {len(links)} links ({names}), none to {partner}; "
            "expected that of this link"
        )
    return found or links


def _unlike(
    layout: Layout, node: NodeName, partner: NodeName, measurement: Measurement
) -> Iterator[str]:
    """Rows that say that devices of the link are no CTCs, activity that is taken for another's.

    And how the links that were configured differ from the layout's.
    """
    of_layout = [device.rdev for device in layout.devices(node)]
    types = grouped((kind, rdev) for rdev, kind in measurement.passed if rdev in of_layout)
    for kind, rdevs in types.items():
        yield f"of the link, but its type {kind} is no CTC's: {_listed(rdevs)}"
    for each in measurement.links:
        if len(measurement.links) == 1 and each.partner not in (None, partner):
            yield f"activity of the link to {each.partner} is taken for that to {partner}"
    for link in measurement.configured:
        if link.partner != partner:
            continue
        if extra := [rdev for rdev in link.rdevs if rdev not in of_layout]:
            yield f"configured, but not in the layout: {_listed(extra)}"
        if missing := [rdev for rdev in of_layout if rdev not in link.rdevs]:
            yield f"in the layout, but not configured: {_listed(missing)}"


def _end(layout: Layout, measurement: Measurement) -> NodeName:
    if measurement.foreign:
        raise ConfigurationError(
            f"{measurement.place}: CTCs that {measurement.foreign[0].software} drives, which say "
            "nothing of ISFC; expected measurements of a link, and these read without a layout"
        )
    first, second = layout.nodes
    rdevs = {each.rdev for each in measurement.devices}
    ends = {node: {device.rdev for device in layout.devices(node)} for node in layout.nodes}
    said = (measurement.system or "").upper()
    if said in layout.nodes:
        node = NodeName(said)
        other = layout.partner(node)
        strange = rdevs - ends[node]
        if strange & ends[other] and not rdevs & ends[node]:
            raise ConfigurationError(
                f"{measurement.place}: a page of {node} with RDEVs of {other} "
                f"({_listed(sorted(strange & ends[other]))}); expected those of {node}: "
                f"are the two systems mixed up? {spelt('system')} says which it is"
            )
        if strange & (ends[other] - ends[node]):
            raise ConfigurationError(
                f"{measurement.place}: RDEVs of {first} and of {second} on one page; "
                "expected one system's: split it"
            )
        return node
    if said:
        raise ConfigurationError(
            f"{measurement.place}: is of {said}, and the layout joins {first} and {second}; "
            f"say with {spelt('system')} which of them it is"
        )
    matches = [node for node in layout.nodes if rdevs & ends[node]]
    if ends[first] & ends[second] or len(matches) != 1:
        option = spelt("system")
        told = rdevs and not ends[first] & ends[second]
        what = "RDEVs do not say" if told else "nothing there says"
        raise ConfigurationError(
            f"{measurement.place}: {what} of which system it is; "
            f"expected {option} {first} or {option} {second}"
        )
    return matches[0]
