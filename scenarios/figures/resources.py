"""The resources of a run, the constants that say how fast each is, and how these are known.

`RESOURCES` is the one table: a constant that takes time belongs to one resource, or a test asks for
its place. `faster` gives the same run with one resource faster; nothing else changes, and the
guests draw the same numbers.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from enum import StrEnum
from typing import Any, Final, TypeVar

from msgspec import Struct, structs

from ctc.features import EXPRESS2, EXPRESS4, LATER_IO_NS, ChpidProfile
from isfc.layout.layout import Fibre, Isl, Layout
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.runs.experiment import OUTSTANDING_MAX, PAIRS_MAX, Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.own_workload import OwnGuests
from scenarios.runs.workload import LinkLoad


class Holder(StrEnum):
    """Whose constants make a resource what it is."""

    FEATURE = "feature"
    LINK = "link driver"
    GUESTS = "guests"
    FIBRE = "fibre"
    LOAD = "load"


class ResourceKind(Struct, frozen=True):
    """A kind of resource: ``fields`` of its holder are what it takes for a piece of work.

    ``per_end`` says that each end of the link has its own.
    """

    id: str
    holder: Holder
    fields: tuple[str, ...] = ()
    per_end: bool = False


LINE: Final = ResourceKind("line", Holder.FEATURE, ("line_ns_per_byte",))
PROCESSOR: Final = ResourceKind(
    "processor", Holder.FEATURE, ("processor_ns_per_byte", "processor_bits_per_ccw")
)
STARTS: Final = ResourceKind("starts", Holder.FEATURE, ("io_ns", "turn_ns"))
DELAYS: Final = ResourceKind(
    "delays", Holder.FEATURE, ("latency_ns_per_ccw", "interrupt_ns", "write_interrupt_ns")
)
DISTANCE: Final = ResourceKind("distance", Holder.FIBRE)
TRUNK: Final = ResourceKind("trunk", Holder.FIBRE)
CREDITS: Final = ResourceKind("credits", Holder.FIBRE)
PORTS: Final = ResourceKind("ports", Holder.FIBRE)
SEND: Final = ResourceKind(
    "send", Holder.LINK, ("build_package_ns", "appc_ns_per_byte_built"), per_end=True
)
RECEIVE: Final = ResourceKind(
    "receive",
    Holder.LINK,
    (
        "dispatch_ns",
        "receive_ns_per_byte",
        "release_ns_per_byte",
        "single_ctc_release_ns_per_byte",
        "appc_ns_per_byte_taken",
    ),
    per_end=True,
)
COLLISIONS: Final = ResourceKind("collisions", Holder.LINK, ("recovery_ns",))
CLIENTS: Final = ResourceKind(
    "clients",
    Holder.GUESTS,
    ("client_ns", "client_ns_per_byte", "client_latency_ns", "appc_client_ns"),
)
SERVERS: Final = ResourceKind("servers", Holder.GUESTS, ("server_ns", "appc_server_ns"))
LOAD: Final = ResourceKind("load", Holder.LOAD)
OFFERED: Final = ResourceKind("offered", Holder.LOAD)

CTCS: Final = ResourceKind("ctcs", Holder.LINK, per_end=True)
COPYING: Final = ResourceKind("copying", Holder.LINK, per_end=True)
CPU: Final = ResourceKind("cpu", Holder.LINK, per_end=True)
"""What is seen of a run as well, and cannot be made faster as such: the CTCs of each system, its
lock for copying APPC/VM's messages, and its processors, which no run waits for."""

RESOURCES: Final = (
    *(LINE, PROCESSOR, STARTS, DELAYS, DISTANCE, TRUNK, CREDITS, PORTS),
    *(SEND, RECEIVE, COLLISIONS, CLIENTS, SERVERS, LOAD, OFFERED),
)


class Resource(Struct, frozen=True):
    """One resource of a run; ``node`` is whose it is, where each end has its own."""

    kind: ResourceKind
    node: NodeName | None = None

    @property
    def key(self) -> str:
        """``line``, ``receive BOSTON``."""
        return self.kind.id if self.node is None else f"{self.kind.id} {self.node}"


def resources_of(experiment: Experiment) -> list[Resource]:
    """All that a run has."""
    fibres = [fibre for link in experiment.collection.links for fibre in link.fibres]
    absent = {
        DISTANCE: not any(fibre.km for fibre in fibres),
        **dict.fromkeys((TRUNK, CREDITS), all(fibre.isl is None for fibre in fibres)),
        PORTS: all(fibre.line_share == 1 for fibre in fibres),
        OFFERED: all(load.workload.offered_mb_per_s is None for load in experiment.loads),
    }
    return [
        Resource(kind, node)
        for kind in RESOURCES
        if not absent.get(kind)
        for node in (experiment.nodes if kind.per_end else (None,))
    ]


def faster(experiment: Experiment, resource: Resource, factor: float) -> Experiment:
    """The same run with one resource so many times as fast, or with so many times the load."""
    kind = resource.kind
    if kind.holder == Holder.FEATURE:
        return scaled(experiment, kind.holder, kind.fields, 1 / factor)
    if kind.holder == Holder.FIBRE:
        return experiment.with_fibres(lambda fibre: _FIBRE_CHANGES[kind](fibre, factor))
    if kind == LOAD:
        return experiment.with_loads(lambda it: structs.replace(it, pairs=more_pairs(it, factor)))
    if kind == OFFERED:
        return experiment.with_loads(lambda load: _offering(load, factor))
    return scaled(experiment, kind.holder, kind.fields, 1 / factor, resource.node)


def step_of(experiment: Experiment, resource: Resource, factor: float) -> float:
    """By what share a resource is really faster: of pairs and credits there are only whole ones."""
    changed = faster(experiment, resource, factor)
    counts: Sequence[tuple[int, int]] = ()
    if resource.kind == LOAD:
        both = zip(changed.loads, experiment.loads, strict=True)
        counts = [(now.pairs, was.pairs) for now, was in both]
    elif resource.kind == CREDITS:
        counts = [*zip(_credits(changed), _credits(experiment), strict=True)]
    now, was = map(sum, zip(*counts, strict=True)) if counts else (0, 0)
    return now / was - 1 if now > was else factor - 1


def _credits(experiment: Experiment) -> list[int]:
    isls = (fibre.isl for link in experiment.collection.links for fibre in link.fibres)
    return [isl.credits for isl in isls if isl is not None]


def more_pairs(load: LinkLoad, factor: float) -> int:
    """So many times the pairs: at least one more, and no more than can be run."""
    most = min(PAIRS_MAX, OUTSTANDING_MAX // load.workload.window)
    return min(most, max(load.pairs + 1, round(factor * load.pairs)))


def _offering(load: LinkLoad, factor: float) -> LinkLoad:
    programs = load.workload.programs
    if not isinstance(programs, OwnGuests):
        return load
    workload = structs.replace(load.workload, programs=programs.hurried(factor))
    return structs.replace(load, workload=workload)


def scaled(
    experiment: Experiment,
    holder: Holder,
    names: tuple[str, ...],
    factor: float,
    node: NodeName | None = None,
) -> Experiment:
    """The same run with some constants multiplied: those of one ``node``, or of all."""
    if holder == Holder.FEATURE:
        return experiment.with_fibres(
            lambda fibre: structs.replace(fibre, profile=_times(fibre.profile, names, factor))
        )
    if holder == Holder.GUESTS:
        return replace(experiment, guests=_times(experiment.guests, names, factor))
    if node is None:
        return replace(experiment, link=_times(experiment.link, names, factor))
    own = _times(experiment.link_at(node), names, factor)
    return replace(experiment, own_links={**experiment.own_links, node: own})


_Constants = TypeVar("_Constants", ChpidProfile, LinkParameters, GuestCosts)


def _times(constants: _Constants, names: tuple[str, ...], factor: float) -> _Constants:
    changed: dict[str, Any] = {}
    for name in names:
        value = getattr(constants, name)
        changed[name] = round(factor * value) if isinstance(value, int) else factor * value
    if isinstance(constants, ChpidProfile):
        return structs.replace(constants, **changed)
    return replace(constants, **changed)


def _shorter(fibre: Fibre, factor: float) -> Fibre:
    """Light takes less; what inter-switch links and ports let through stays."""
    return structs.replace(fibre, km=fibre.km / factor, port_credits=fibre.port_credits / factor)


def _more_credits(isl: Isl, factor: float) -> Isl:
    return structs.replace(isl, credits=max(isl.credits + 1, round(factor * isl.credits)))


_FIBRE_CHANGES: Final[dict[ResourceKind, Callable[[Fibre, float], Fibre]]] = {
    DISTANCE: _shorter,
    TRUNK: lambda fibre, factor: fibre.with_isl(
        lambda isl: structs.replace(isl, gbps=factor * isl.gbps)
    ),
    CREDITS: lambda fibre, factor: fibre.with_isl(lambda isl: _more_credits(isl, factor)),
    PORTS: lambda fibre, factor: structs.replace(fibre, port_credits=fibre.port_credits * factor),
}


def time_constants(holder: Holder) -> tuple[str, ...]:
    """The constants of a holder that may move a rate: all numbers but those named here."""
    return tuple(
        each.name
        for each in _CONSTANTS.get(holder, ())
        if each.type in (int, float, "int", "float") and each.name not in _NO_PACE
    )


_CONSTANTS: Final[Mapping[Holder, Sequence[Any]]] = {
    Holder.FEATURE: structs.fields(ChpidProfile),
    Holder.LINK: fields(LinkParameters),
    Holder.GUESTS: fields(GuestCosts),
}
"""The fields of the record of constants that each holder has."""

_NO_PACE: Final = frozenset(
    {
        "client_processors",
        "link_gbps",  # says what the others are derived from
        "cpu_message_ns",
        "cpu_read_package_ns",
        "cpu_ns_per_byte",
        "cpu_appc_message_ns",
        "mih_ns",
    }
)
"""Numbers that no rate depends on: names, processor time, and what a fault is waited for."""


class Known(StrEnum):
    """How a constant is known, as in ``docs/sources.md``."""

    PUBLISHED = "published"
    DERIVED = "derived"
    CALIBRATED = "calibrated"
    ASSUMED = "assumed"
    CHOSEN = "chosen"


_MEASURED: Final = (EXPRESS2.feature, EXPRESS4.feature)
_CHOSEN: Final = ("server_ns", "open_single_length")


def known(holder: Holder, name: str, layout: Layout) -> Known:
    """How a constant is known for the features of a layout; of several features the least so."""
    if holder == Holder.FEATURE:
        profiles = [fibre.profile for fibre in layout.fibres]
        return max((_known_of(name, each) for each in profiles), key=list(Known).index)
    if holder in (Holder.LINK, Holder.GUESTS):
        return Known.CHOSEN if name in _CHOSEN else Known.CALIBRATED
    return Known.DERIVED


def _known_of(name: str, profile: ChpidProfile) -> Known:
    if name in LINE.fields:
        return Known.DERIVED
    if profile.feature in _MEASURED:
        return Known.CALIBRATED
    later = profile.io_ns == LATER_IO_NS
    if later and name == "processor_ns_per_byte":
        return Known.CALIBRATED
    return Known.DERIVED if later and name in _OF_DISKS else Known.ASSUMED


_OF_DISKS: Final = ("processor_bits_per_ccw", "io_ns")
"""What a later feature has from disk I/O."""


def resource_known(resource: Resource, links: Sequence[Layout]) -> str:
    """How far a resource's speed is assumed for these links; nothing where it was measured."""
    features = {fibre.profile.feature for link in links for fibre in link.fibres}
    holder, node = resource.kind.holder, resource.node
    on = {link.machine(node) for link in links if node in link.nodes} if node else {None}
    if all(link.site and link.site.has_fitted(resource.kind.fields, features) for link in links):
        return "its speed is fitted to the site"
    if holder == Holder.LINK and (known_on := [*filter(None, on)]):
        return f"its speed is the middle of what is likely of {known_on[0]}"
    if resource.kind == LINE or features <= {*_MEASURED}:
        return ""
    if holder == Holder.LINK:
        return "its speed is a z10's, alike for all FICON features"
    if holder != Holder.FEATURE:
        return ""
    names = resource.kind.fields
    if any(known(holder, name, link) is Known.ASSUMED for name in names for link in links):
        return "its speed is partly assumed, as on Express4"
    return "its speed is known from disk I/O alone"
