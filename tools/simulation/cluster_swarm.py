"""Clusters drawn from a seed: 2 to 4 systems that share channels, with traffic and misfortunes.

What holds for a pair must hold for every link: each message arrives exactly once, in the order of
its conversation, whatever is varied, cut or shared meanwhile; and in the end everything arrives.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations, pairwise
from random import Random
from typing import Final

from ctc.address import ChpidId, Rdev
from ctc.profiles import FEATURES
from isfc.engine.program import Offer
from isfc.engine.virtual import VirtualEngine
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.link.events import Delivered, LinkEvent
from isfc.link.message import Message, Traffic
from isfc.link.name import NodeName
from isfc.link.parameters import LinkParameters
from isfc.system.inputs import VaryChpid, VaryDevice
from isfc.system.system import System
from isfc.testing.pair import MS, S
from scenarios.faults.disturbance import Disturbance
from scenarios.faults.fault import Fault, FaultKind, draw_fault
from scenarios.faults.injection import Injection
from scenarios.runs.run import make_systems
from tools.simulation import swarm

Ends = tuple[NodeName, NodeName]
"""A link end: its system, and the partner."""

SETTLE_NS: Final = 60 * S
"""Within so long everything has arrived after the last misfortune: some recoveries of each CTC."""


KINDS: Final = tuple(kind for kind in swarm.KINDS if kind is not FaultKind.CRASH)
"""Faults that a cluster must survive; a crash takes along what a pair's books alone tell."""


@dataclass(frozen=True, slots=True)
class Varied:
    """A chpid or a device that is varied offline at a time, and online again."""

    at_ns: int
    until_ns: int
    node: NodeName
    number: ChpidId | Rdev
    is_chpid: bool

    def given(self, *, online: bool) -> VaryChpid | VaryDevice:
        """What the system is given."""
        if self.is_chpid:
            return VaryChpid(ChpidId(self.number), online=online)
        return VaryDevice(Rdev(self.number), online=online)


@dataclass(frozen=True, slots=True)
class ClusterScenario:
    """One run: the file, what each end sends when, and what goes wrong."""

    text: str
    sends: tuple[tuple[int, Ends, tuple[tuple[int, int, Traffic], ...]], ...]
    varied: tuple[Varied, ...]
    faults: tuple[Fault, ...]

    @property
    def collection(self) -> Collection:
        """What the file describes."""
        return parse_collection(self.text)


class Correspondent:
    """Sends at its times, and keeps what arrives by conversation."""

    def __init__(self, offers: list[Offer]) -> None:
        self._offers = offers
        self.arrived: dict[int, list[int]] = defaultdict(list)

    def start(self, now_ns: int) -> Iterable[Offer]:
        """All it will ever send."""
        return self._offers

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        """Keep what has arrived."""
        if isinstance(event, Delivered):
            for message in event.messages:
                self.arrived[message.conversation].append(message.length)
        return ()


def draw_cluster(seed: int) -> ClusterScenario:
    """The scenario of a seed."""
    random = Random(f"cluster {seed}")
    text = _draw_file(random)
    collection = parse_collection(text)
    ends = [
        (name, partner)
        for link in collection.links
        for name, partner in (link.nodes, link.nodes[::-1])
    ]
    sends = []
    for _ in range(random.randint(3, 12)):
        traffic = random.choice(list(Traffic))
        messages = tuple(
            (2 * random.randrange(4) + (traffic is Traffic.LEGACY), _length(random), traffic)
            for _ in range(random.randint(1, 8))
        )
        sends.append((random.randrange(40 * MS), random.choice(ends), messages))
    varied = tuple(_draw_varied(random, collection) for _ in range(random.choice([0, 0, 1, 2])))
    places = [
        (link.nodes[end], ctc.rdevs[end])
        for link in collection.links
        for ctc in link.ctcs
        for end in (0, 1)
    ]
    faults = [
        draw_fault(random, KINDS, random.randrange(50 * MS), places)
        for _ in range(random.choice([0, 1, 2, 4]))
    ]
    return ClusterScenario(
        text,
        tuple(sorted(sends, key=lambda send: send[0])),
        varied,
        tuple(sorted(faults, key=lambda fault: fault.at_ns)),
    )


def run_cluster_scenario(scenario: ClusterScenario) -> int:
    """Let it happen, and return how many messages have arrived.

    Raises ``AssertionError`` if one is lost, doubled or out of order at any link.
    """
    collection = scenario.collection
    parameters = LinkParameters()
    systems = make_systems(collection, collection.systems, lambda _: parameters)
    programs = {
        (end.name, end.partner): Correspondent(_offers(scenario, (end.name, end.partner)))
        for system in systems
        for end in system.ends
    }
    disturbance = Disturbance(Random(scenario.text))
    engine = VirtualEngine(systems, list(programs.values()), transit=disturbance)
    injection = Injection(engine, disturbance, {}, _renew, scenario.faults)
    moments = [(varied.at_ns, False, varied) for varied in scenario.varied]
    moments += [(varied.until_ns, True, varied) for varied in scenario.varied]
    for at_ns, online, varied in sorted(moments, key=lambda moment: moment[:2]):
        injection.run(max(at_ns, engine.now_ns))
        injection.system(varied.node).apply(varied.given(online=online), engine.now_ns)
        engine.drain()
        check_arrivals(scenario, programs)
    injection.finish()
    disturbance.calm()
    check_arrivals(scenario, programs)
    injection.run(engine.now_ns + SETTLE_NS)
    return check_arrivals(scenario, programs, all_of_them=True)


def check_arrivals(
    scenario: ClusterScenario,
    programs: dict[Ends, Correspondent],
    *,
    all_of_them: bool = False,
) -> int:
    """Each conversation has brought a beginning of what was sent, or all of it."""
    count = 0
    for (name, partner), receiver in programs.items():
        sent: dict[int, list[int]] = defaultdict(list)
        for _, ends, messages in scenario.sends:
            if ends == (partner, name):
                for conversation, length, _ in messages:
                    sent[conversation].append(length)
        for conversation in {*sent, *receiver.arrived}:
            arrived, wanted = receiver.arrived[conversation], sent[conversation]
            shown = f"{partner} -> {name}, conversation {conversation}: {arrived} of {wanted}"
            assert arrived == wanted[: len(arrived)], shown
            assert not all_of_them or len(arrived) == len(wanted), shown
            count += len(arrived)
    return count


def _offers(scenario: ClusterScenario, ends: Ends) -> list[Offer]:
    return [
        (at_ns, [Message(*message) for message in messages])
        for at_ns, sender, messages in scenario.sends
        if sender == ends
    ]


def _renew(name: NodeName) -> System:
    raise AssertionError(f"{name} is to restart, and nothing does that")


def _draw_file(random: Random) -> str:
    """A connected file of 2 to 4 systems: some links, on few chpids, some of them shared."""
    systems = [f"S{number}" for number in range(1, random.randint(2, 4) + 1)]
    pairs = list(combinations(systems, 2))
    chains = list(pairwise(systems))
    links = sorted({*chains, *(pair for pair in pairs if random.random() < 0.6)})
    feature = random.choice(list(FEATURES))
    lines = [f'[[link]]\nnodes = ["{one}", "{other}"]' for one, other in links]
    isl = random.random() < 0.3
    if isl:
        gbps, credits_ = random.choice([1, 2, 8]), random.choice([5, 90])
        lines.append(f"[path.far]\nkm = 1\nisl = {{ gbps = {gbps}, credits = {credits_} }}")
    used: set[tuple[str, str]] = set()
    fibre = 0
    for number, (one, other) in enumerate(links):
        ends = {(random.choice(("40", "41")), random.choice(("40", "41"))) for _ in range(2)}
        for here, there in sorted(ends):
            used |= {(one, here), (other, there)}
            lines.append(f'[fibre.{fibre}]\nfeature = "{feature}"')
            lines.append(f'chpid = {{ {one} = "{here}", {other} = "{there}" }}')
            if isl and random.random() < 0.5:
                lines.append('path = "far"')
            first = f"{number:X}{fibre:02X}"
            last = f"{random.randrange(4):X}"
            lines.append(f'[[ctc]]\nfibre = "{fibre}"')
            rdevs = f"{first}0-{first}{last}"
            lines.append(f'rdevs = {{ {one} = "{rdevs}", {other} = "{rdevs}" }}')
            fibre += 1
    for chpid in ("40", "41"):
        members = [system for system in systems if (system, chpid) in used]
        if len(members) > 1 and random.random() < 0.5:
            shared = random.sample(members, random.randint(2, len(members)))
            ends_of = ", ".join(f'{system} = "{chpid}"' for system in shared)
            lines.append(f"[[shared_channel]]\nchpid = {{ {ends_of} }}")
    return "\n".join(lines) + "\n"


def _length(random: Random) -> int:
    return random.choice([1, 500, 8_192, 120_000, 1_500_000])


def _draw_varied(random: Random, collection: Collection) -> Varied:
    link, end, at_ns = (
        random.choice(collection.links),
        random.randrange(2),
        random.randrange(50 * MS),
    )
    ctc, is_chpid = random.choice(link.ctcs), random.random() < 0.5
    number = ctc.fibre.chpids[end] if is_chpid else ctc.rdevs[end]
    return Varied(at_ns, at_ns + random.randint(MS, 60 * MS), link.nodes[end], number, is_chpid)
