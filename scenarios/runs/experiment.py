"""What is run: links, what runs over each, and for how long; how it begins, and who does it.

A link starts with nothing under way, and what it does at first is not what it does later. Three
things are to be over: the clients' first messages, all of which wait at the same end at the same
time; packages that grow until they are as long as the backlog allows; and the order in which the
CTCs of a fibre write. That order takes longest. Two CTCs of one fibre may write in turn, so that
one sends while the other waits for its interrupt and its next package, and the fibre never rests;
or nearly at the same time, so that they share the line, and then both wait. They begin in turn,
and messages of two lengths push them out of it. On three Express4 with two CTCs each, saturated
with HL, that takes half a second, and costs 13 % of 870 MB/s.

Figures are of loads at saturation, and as people state them: of HL, whose messages are as long as
those of a guest relocation, what a link of several chpids carries most of.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol, TypeVar

from msgspec import Struct, structs

from isfc.errors import ConfigurationError
from isfc.errors.arguments import spelt
from isfc.errors.in_words import check_between, exact, no_node
from isfc.layout.checked_toml import within
from isfc.layout.collection import Collection
from isfc.layout.layout import Fibre, Layout
from isfc.layout.parts import LinkTraffic
from isfc.link.events import LinkEvent, Offer, Program
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from scenarios.runs.guests import GuestCosts, guests_on
from scenarios.runs.workload import SUITES, LinkLoad, Workload, explained, load_of

WARMUP: Final = 1.0
"""Seconds of virtual time. Chosen: twice as long as that. Of 400 rates of drawn layouts the half
second after it is off by more than 3 % in two, and the half second that begins at two seconds in
one. Runs until a rate is steady leave out more while a trend is left (`scenarios.runs.steady`)."""

WARMUP_NS: Final = 1_000_000_000
"""The same in nanoseconds."""


GRADUAL_NS: Final = 500_000_000
"""Virtual time over which the first messages come. Chosen: half of the warm-up, so that it is over
when that is, and long enough for the link to be nearly empty at first with 500 pairs."""


class Gradual:
    """A program whose first messages come one after the other, else as it offers them."""

    def __init__(self, program: Program, share: float = 1.0) -> None:
        self._program = program
        self._ns = round(share * GRADUAL_NS)

    def start(self, now_ns: int) -> Iterator[Offer]:
        """The program's first offers, each message later than the one before."""
        first = [
            (at_ns, message)
            for at_ns, messages in self._program.start(now_ns)
            for message in messages
        ]
        for index, (at_ns, message) in enumerate(first):
            yield at_ns + self._ns * index // len(first), [message]

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """What the program does."""
        return self._program.receive(event, now_ns)


NS_PER_S: Final = 1_000_000_000
PAIRS_MAX: Final = 10_000
OUTSTANDING_MAX: Final = 100_000
"""Messages of all pairs at a time: each takes some hundred bytes, and its turn at the start."""
SECONDS_MAX: Final = 86_400


@dataclass(frozen=True, slots=True)
class Experiment:
    """One run of links: what runs over each, and for how long. Times in seconds of virtual time.

    The links run together; one without a load comes up and stays idle. `of` is that of one link.
    """

    collection: Collection
    loads: tuple[LinkLoad, ...]
    seconds: float = 10.0
    warmup: float = WARMUP
    seed: int = 1
    link: LinkParameters = field(default_factory=LinkParameters)
    guests: GuestCosts = field(default_factory=GuestCosts)
    own_links: Mapping[NodeName, LinkParameters] = field(default_factory=dict, hash=False)
    """The link driver of a node that has another than ``link``."""

    def __post_init__(self) -> None:
        if not self.loads:
            raise ConfigurationError("traffic: none; expected what runs over a link at least")
        for load in self.loads:
            self.collection.between(load.client, load.server)
            _check_pairs(load)
        if not 0 <= self.warmup <= SECONDS_MAX:
            raise ConfigurationError(f"warmup {self.warmup}: expected 0 <= s <= {SECONDS_MAX}")
        if not 1 / NS_PER_S <= self.seconds <= SECONDS_MAX or self.end_ns == self.begin_ns:
            raise ConfigurationError(
                f"seconds {self.seconds}: expected a nanosecond to {SECONDS_MAX} s"
            )

    @classmethod
    def of(
        cls,
        layout: Layout,
        workload: Workload,
        pairs: int,
        seconds: float = 10.0,
        warmup: float = WARMUP,
        seed: int = 1,
        client: NodeName | None = None,
        **constants: Any,
    ) -> "Experiment":
        """That of one link with one load. ``constants`` are `link`, `guests` and `own_links`.

        ``client`` is the node of the clients, the layout's first node if it is None.
        """
        check_node(layout, "client", client)
        first, second = layout.nodes
        ways = (second, first) if client == second else (first, second)
        load = LinkLoad(*ways, workload, pairs)
        return cls(Collection.of(layout), (load,), seconds, warmup, seed, **constants)

    def over(self, *links: Layout) -> "Experiment":
        """The same over links that have changed."""
        return replace(self, collection=replace(self.collection, links=links))

    def with_fibres(self, change: Callable[[Fibre], Fibre]) -> "Experiment":
        """The same over links whose fibres have changed."""
        return self.over(*(link.with_fibres(change) for link in self.collection.links))

    def with_loads(self, change: Callable[[LinkLoad], LinkLoad]) -> "Experiment":
        """The same with what runs over every link changed."""
        return replace(self, loads=tuple(map(change, self.loads)))

    @property
    def layout(self) -> Layout:
        """The only link."""
        (link,) = self.collection.links
        return link

    @property
    def workload(self) -> Workload:
        """That of the first load."""
        return self.loads[0].workload

    @property
    def pairs(self) -> int:
        """Those of the first load."""
        return self.loads[0].pairs

    @property
    def client_node(self) -> NodeName:
        """The node of the first load's clients."""
        return self.loads[0].client

    @property
    def nodes(self) -> tuple[NodeName, ...]:
        """All nodes, the least name first."""
        return self.collection.systems

    @property
    def systems(self) -> tuple[NodeName, ...]:
        """The same in the order in which they are built: of one link that of the clients first."""
        if len(self.collection.links) > 1:
            return self.nodes
        return self.loads[0].client, self.loads[0].server

    def link_at(self, node: NodeName) -> LinkParameters:
        """The link driver of a node."""
        return self.own_links.get(node, self.link)

    def guests_of(self, load: LinkLoad) -> GuestCosts:
        """The costs of a load's guests, on the machines of their systems."""
        link = self.collection.between(load.client, load.server)
        return guests_on(self.guests, link.machine(load.client), link.machine(load.server))

    def loads_of(self, link: Layout) -> tuple[LinkLoad, ...]:
        """What runs over a link."""
        return tuple(load for load in self.loads if {load.client, load.server} == {*link.nodes})

    @property
    def sending(self) -> tuple[tuple[NodeName, NodeName], ...]:
        """The ends that have clients: of each the node, and its partner."""
        return tuple(dict.fromkeys((load.client, load.server) for load in self.loads))

    @property
    def each_alone(self) -> tuple["Experiment", ...]:
        """That of each link with traffic as if it were alone."""
        return tuple(
            replace(self, collection=Collection.of(link), loads=loads)
            for link in self.collection.links
            if (loads := self.loads_of(link))
        )

    @property
    def begin_ns(self) -> int:
        """When measuring begins, in ns of virtual time."""
        return round(self.warmup * NS_PER_S)

    @property
    def end_ns(self) -> int:
        """When it ends."""
        return round((self.warmup + self.seconds) * NS_PER_S)

    def settings(self, *, together: bool = False) -> dict[str, Any]:
        """What was asked for, as every ``--json`` shows it; ``together`` of any number of links."""
        if together:
            asked: dict[str, Any] = {"traffic": [str(load) for load in self.loads]}
        else:
            load = self.loads[0]
            asked = {"client": load.client, "workload": load.workload.name, "pairs": load.pairs}
        return {**asked, "seconds": self.seconds, "warmup": self.warmup, "seed": self.seed}


def _check_pairs(load: LinkLoad) -> None:
    check_between("pairs", load.pairs, 1, PAIRS_MAX)
    outstanding = load.pairs * load.workload.window
    if outstanding > OUTSTANDING_MAX:
        raise ConfigurationError(
            f"pairs {load.pairs}: with a window of {load.workload.window} that is "
            f"{exact(outstanding)} messages at a time; expected at most {exact(OUTSTANDING_MAX)}"
        )


def check_node(layout: Layout, what: str, name: str | None) -> None:
    """Raise `ConfigurationError` unless ``name``, if it is given, is a node of the layout."""
    if name is not None and name not in layout.nodes:
        raise no_node(what, name, layout.nodes)


SUITE: Final = "HL"
SATURATING_PAIRS: Final = 500
"""More carry no more: of sixteen CTCs on four Express8S, 500 pairs carry a third more than 100."""
STATED_PAIRS: Final = 50
"""IBM's load in its longest look at a link (H001709C)."""

SECONDS: Final = 1.0
"""Virtual seconds, after the warm-up, of runs of which more is shown than a rate: of CTCs, disks,
several links."""

LIKE_SHARE: Final = 0.1
"""Figures that differ by less say the same: the model's own error is as large."""


_Given = TypeVar("_Given")
_Outcome = TypeVar("_Outcome")


class RunEach(Protocol):
    """Does every run, in this process or in others, and gives what came of them in their order."""

    def __call__(
        self, work: Callable[[_Given], _Outcome], experiments: Sequence[_Given], /
    ) -> Sequence[_Outcome]:
        """Do ``work`` on every experiment."""


def in_turn(
    work: Callable[[_Given], _Outcome], experiments: Sequence[_Given]
) -> Sequence[_Outcome]:
    """Do one run after the other, in this process."""
    return [work(each) for each in experiments]


def shape(layout: Layout, sender: NodeName) -> tuple[Any, ...]:
    """What a node's rate depends on: which it is, machines, and fibres' kinds as it comes to them.

    Links with one chpid or another gone may be alike by it. The two ways of a link never are: with
    one CTC, for which the lesser name goes first, they differ by up to a fifth, and with several,
    over some distance, by up to 6 %.
    """
    fibres = [ctc.fibre for ctc in layout.device_list()]
    machines = layout.machines
    if sender == layout.nodes[0]:
        return (0, machines, *((fibres.index(fibre), fibre.kind) for fibre in fibres))
    fibres.reverse()
    return (1, machines, *((fibres.index(fibre), fibre.kind_back) for fibre in fibres))


def unnamed(experiment: Experiment) -> object:
    """What a run depends on: of one link its shape, whatever its nodes and channels are called."""
    if len(experiment.collection.links) > 1:
        return experiment
    (link,) = experiment.collection.links
    numbers: dict[object, int] = {}
    place, machines, *fibres = shape(link, experiment.client_node)
    kinds = [
        (index, *kind, *(numbers.setdefault(each, len(numbers)) for each in channels))
        for index, (*kind, channels) in fibres
    ]
    loads = [(each.client == link.nodes[0], each.workload, each.pairs) for each in experiment.loads]
    return place, machines, link.site, (*kinds,), (*loads,)


def alike(a: float, b: float) -> bool:
    """Whether two figures differ by less than `LIKE_SHARE` of the greater."""
    return abs(a - b) <= LIKE_SHARE * max(a, b)


def stated_load(layout: Layout, sender: NodeName | None = None) -> Experiment:
    """A run of the load that people state."""
    return one_way(layout, sender, STATED_PAIRS)


def one_way(layout: Layout, sender: NodeName | None, pairs: int) -> Experiment:
    """A run in which ``sender`` sends what others only answer; the first node if it is None."""
    return Experiment.of(layout, SUITES[SUITE], pairs, SECONDS, WARMUP, client=sender)


class Load(Struct, frozen=True):
    """What runs: ``pairs`` of a workload over each link, or the ``traffic`` of several."""

    workload: Workload = SUITES[SUITE]
    pairs: int = STATED_PAIRS
    traffic: tuple[LinkLoad, ...] = ()

    @property
    def each(self) -> "Sequence[LinkLoad | Load]":
        """What runs over some link: each has its workload and its pairs."""
        return self.traffic or [self]

    @property
    def words(self) -> str:
        """The load, as every page says it."""
        if self.traffic:
            return "with the traffic of the file"
        return f"with {self.pairs} pairs of {explained(self.workload.name)}, each way by itself"

    def of(self, collection: Collection) -> "Load":
        """The same of some links: with their traffic, if they are several and have some."""
        if len(collection.links) == 1:
            return self
        return structs.replace(self, traffic=tuple(map(load_of, collection.traffic)))

    def runs(self, links: Collection) -> list[Experiment]:
        """The runs of some links: one for each direction, or that of their traffic."""
        if self.traffic:
            joined = [{*link.nodes} for link in links.links]
            every = [tuple(t for t in self.traffic if {t.client, t.server} in joined)]
        else:
            ends = [link.nodes for link in links.links]
            every = [
                tuple(LinkLoad(*end, self.workload, self.pairs) for end in ways)
                for ways in (ends, [(second, first) for first, second in ends])
            ]
        return [Experiment(links, loads, seconds=SECONDS) for loads in every if loads]


STATED: Final = Load()
SATURATED: Final = Load(pairs=SATURATING_PAIRS)


def read_load(option: str, text: str) -> tuple[str, int]:
    """A workload's name and how many pairs of guests run it, from ``HS:20``."""
    name, _, pairs = text.rpartition(":")
    if not (name and pairs.isascii() and pairs.isdigit() and 1 <= int(pairs[:9]) <= PAIRS_MAX):
        raise ConfigurationError(
            f"{option} {text[:40]}: expected NAME:PAIRS with 1 to {PAIRS_MAX} pairs, such as HS:20"
        )
    return name, int(pairs)


def read_traffic(text: str, collection: Collection) -> LinkLoad:
    """The load that a text says; raises `ConfigurationError`."""
    with within(f"{spelt('traffic')} {text[:60]}"):
        ends, _, rest = text.partition(":")
        workload, _, pairs = rest.rpartition(":")
        client, _, server = ends.upper().partition("-")
        if not (client and server and workload and pairs.isdecimal() and len(pairs) < 9):
            raise ConfigurationError("expected FROM-TO:WORKLOAD:PAIRS, such as ALPHA-BETA:HL:50")
        if not 1 <= int(pairs) <= PAIRS_MAX:
            raise ConfigurationError(f"{pairs} pairs; expected 1 to {PAIRS_MAX}")
        names = NodeName(client), NodeName(server)
        collection.between(*names)
        return load_of(LinkTraffic(*names, workload, int(pairs)))
