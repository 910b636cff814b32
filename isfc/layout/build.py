"""Building a link: from its CTCs, or of a few options."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Final, TypeVar

from msgspec import Struct, structs

from ctc.address import RDEV_MAX, ChpidId, Rdev, parse_chpid, parse_rdev
from ctc.features import FEATURES, ChpidProfile, find_profile
from isfc.errors import ConfigurationError
from isfc.errors.arguments import Argument, checked, spelt
from isfc.layout.checked_toml import within
from isfc.layout.layout import CtcPair, FarPath, Fibre, Layout
from isfc.layout.processors import Processors
from isfc.link.name import NodeName, Nodes
from isfc.link.scan import CTCS_MAX

_T = TypeVar("_T")

_ASSUMED: Final = {name: structs.replace(profile) for name, profile in FEATURES.items()}
"""Objects of their own, so that a fibre whose feature was assumed can be told from one that has it.
"""

ASSUMED_FEATURE: Final = _ASSUMED["FICON Express8S"]
"""The FICON feature where nobody says which, nor a machine: the fastest link that IBM's rule of
thumb covers."""


def assumed_on(machines: Iterable[Processors | None]) -> ChpidProfile:
    """The FICON feature where nobody says which: the latest that all machines are ordered with.

    Or else can have; `ASSUMED_FEATURE` where none is known, or nothing that all can have.
    """
    names = [each.machine for each in machines if each is not None]
    if not names:
        return ASSUMED_FEATURE
    from isfc.layout.machines import newest_on  # few layouts say a machine

    newest = newest_on(names)
    return ASSUMED_FEATURE if newest is None else _ASSUMED[newest]


def is_assumed(profile: ChpidProfile) -> bool:
    """Whether nobody said the feature."""
    return profile is _ASSUMED.get(profile.feature)


class SaidFibre(Struct, frozen=True):
    """What is known of a fibre; without a ``profile`` it has one that is assumed."""

    profile: ChpidProfile | None = None
    name: str | None = None
    km: float = 0.0
    path: FarPath | None = None


Said = Callable[[Mapping[NodeName, ChpidId]], SaidFibre | None]
"""What is known of the fibre between two nodes' chpids, if anything is."""


class CtcChoice(Struct, frozen=True):
    """One CTC: its chpid and its device number at (one node, the other)."""

    chpids: tuple[ChpidId, ChpidId]
    rdevs: tuple[Rdev, Rdev]

    def turned(self) -> "CtcChoice":
        """The same, seen from the other node."""
        return CtcChoice(self.chpids[::-1], self.rdevs[::-1])


def build_layout(
    nodes: Nodes,
    connections: Iterable[CtcChoice],
    said: Said,
    too_many: str = "",
    assumed: ChpidProfile = ASSUMED_FEATURE,
) -> Layout:
    """The layout with ``connections``, whose pairs are in the order of ``nodes``.

    ``too_many`` says what to do about more CTCs than a link may have, where something can be done.
    Fibres that have no name are numbered by the first node's device numbers.
    Raises `ConfigurationError` for what cannot be one logical link.
    """
    ctcs = list(connections)
    if nodes[1].precedes(nodes[0]):
        nodes, ctcs = (nodes[1], nodes[0]), [ctc.turned() for ctc in ctcs]
    ctcs.sort(key=lambda ctc: ctc.rdevs[0])
    if not ctcs:
        raise ConfigurationError(f"no CTC joins {nodes[0]} and {nodes[1]}; expected at least one")
    if len(ctcs) > CTCS_MAX:
        raise ConfigurationError(
            f"{len(ctcs)} CTCs join {nodes[0]} and {nodes[1]}; expected at most {CTCS_MAX} in a "
            f"logical link{too_many}"
        )
    known = {
        ctc.chpids: said(dict(zip(nodes, ctc.chpids, strict=True))) or SaidFibre() for ctc in ctcs
    }
    names = [each.name for each in known.values()]
    if None in names or len(set(names)) < len(names):
        names = list(map(str, range(1, len(known) + 1)))
    fibres = {
        chpids: Fibre(str(name), each.profile or assumed, chpids, km=each.km, path=each.path)
        for name, (chpids, each) in zip(names, known.items(), strict=True)
    }
    return Layout(
        nodes, tuple(fibres.values()), tuple(CtcPair(fibres[c.chpids], c.rdevs) for c in ctcs)
    )


RDEVS_PER_CHPID: Final = 16
"""Device numbers that are set aside for a chpid (published: IBM's advice for relocation)."""


Ask = Callable[[str], str | None]
"""Asks a question; answers None if nobody is there, and nothing for what is to be as it would."""


def _nobody(_: str) -> None:
    """Who is asked if nobody is."""


_QUESTIONS: Final = {
    "systems": ("The two systems", "ATLANTA,BOSTON"),
    "chpids": ("Chpids that are joined", "40:50,41:51"),
    "ctcs": ("CTCs on each chpid", "4"),
    "feature": ("FICON feature of the chpids, or of each pair", ASSUMED_FEATURE.feature),
    "rdevs": ("First device number", "6000"),
}
"""What is asked for, each with an example, or with what it is if nobody says it."""

_REQUIRED: Final = ("systems", "chpids")


@checked
def new(
    systems: Annotated[str | None, Argument("NAME,NAME", "The two systems.", is_named=True)] = None,
    chpids: Annotated[
        str | None,
        Argument(
            "40:50,41:51,...",
            "The chpids that are joined: the first system's, then the second's.",
            is_named=True,
        ),
    ] = None,
    *,
    ctcs: Annotated[
        int | None, Argument("N", "CTCs on each chpid; 4 if not said.", 1, CTCS_MAX)
    ] = None,
    feature: Annotated[
        str | None,
        Argument(
            "FEATURE[,FEATURE...]",
            "The FICON feature of all chpids, or of each pair in order; "
            f"{ASSUMED_FEATURE.feature} if not said. 'Express16S@8' runs at 8 Gb/s.",
        ),
    ] = None,
    rdevs: Annotated[
        str | None,
        Argument(
            "RDEV[,RDEV]", "The first device number of both systems, or of each; 6000 if not said."
        ),
    ] = None,
    ask: Ask = _nobody,
) -> Layout:
    """Write a commented layout of a few options or answers.

    At a terminal, what no option says is asked for, on stderr. Device numbers of the first chpid
    begin as told, and those of each further one 16 higher.

    Raises `ConfigurationError` for what is no layout, or without ``systems`` and ``chpids``, such
    as ``new("ATLANTA,BOSTON", "40:50,41:51")``, unless ``ask`` answers what they are.
    """
    given = {"systems": systems, "chpids": chpids, "ctcs": None if ctcs is None else str(ctcs)}
    given |= {"feature": feature, "rdevs": rdevs}

    def read(name: str, convert: Callable[[str], _T]) -> _T:
        text = _asked(name, ask) if (said := given[name]) is None else said
        with within(f"{spelt(name)} {text[:40]!r}"):
            return convert(text)

    nodes = read("systems", read_nodes)
    pairs = read("chpids", read_pairs)
    count = read("ctcs", read_count)
    profiles = read("feature", lambda text: read_profiles(text, len(pairs)))
    return layout_of(nodes, pairs, count, profiles, read("rdevs", read_firsts))


def _asked(name: str, ask: Ask) -> str:
    """The answer to the question for an argument, or what it is if nobody says it."""
    question, example = _QUESTIONS[name]
    is_required = name in _REQUIRED
    answer = ask(f"{question}, such as {example}: " if is_required else f"{question} [{example}]: ")
    if not answer and is_required:
        argument = spelt(name)
        raise ConfigurationError(f"{argument} is missing; expected {argument} {example}")
    return answer or example


def layout_of(
    nodes: Nodes,
    pairs: list[tuple[ChpidId, ChpidId]],
    count: int,
    profiles: Sequence[ChpidProfile],
    firsts: tuple[Rdev, Rdev],
) -> Layout:
    """The layout with ``count`` CTCs on each pair of chpids."""
    of_pair = dict(zip(pairs, profiles, strict=True))
    most, chpids_said = CTCS_MAX // len(pairs), spelt("chpids")
    return build_layout(
        nodes,
        _connections(pairs, count, firsts),
        lambda ends: SaidFibre(of_pair[ends[nodes[0]], ends[nodes[1]]]),
        too_many=f": {spelt('ctcs')} {most} at most with so many {chpids_said}"
        if most
        else f": fewer {chpids_said}",
    )


def read_nodes(text: str) -> Nodes:
    """Two systems, from ``ATLANTA,BOSTON``."""
    names = [NodeName(name.strip().upper()) for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1]:
        raise ConfigurationError("expected two systems, such as ATLANTA,BOSTON")
    return names[0], names[1]


def read_pairs(text: str) -> list[tuple[ChpidId, ChpidId]]:
    """The chpids that are joined, from ``40:50,41:51``."""
    pairs = []
    for part in text.split(","):
        here, _, there = part.strip().partition(":")
        pairs.append((parse_chpid(here), parse_chpid(there or here)))
    if len(set(pairs)) < len(pairs):
        raise ConfigurationError("expected each pair of chpids once")
    return pairs


def read_profiles(text: str, pairs: int) -> list[ChpidProfile]:
    """The profile of each pair of chpids: one for all, or one each."""
    profiles = [_profile(part.strip()) for part in text.split(",")]
    if len(profiles) == 1:
        return profiles * pairs
    if len(profiles) != pairs:
        raise ConfigurationError(
            f"{len(profiles)} features for {pairs} pairs of chpids; expected one of all, or one "
            "of each pair"
        )
    return profiles


def _profile(text: str) -> ChpidProfile:
    """``FICON Express16S``, or ``FICON Express16S@8`` where the link runs at 8 Gb/s."""
    feature, at, gbps = text.partition("@")
    profile = find_profile(feature)
    if not at:
        return profile
    try:
        speed = float(gbps)
    except ValueError:
        speed = 0.0
    if not 0 < speed <= profile.link_gbps:
        raise ConfigurationError(
            f"speed {gbps[:10]!r}: expected more than 0 Gb/s, and {profile.link_gbps:g} at most"
        )
    return find_profile(feature, speed)


def read_count(text: str) -> int:
    """CTCs on each pair of chpids."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= CTCS_MAX:
        raise ConfigurationError(f"expected a number from 1 to {CTCS_MAX}")
    return int(text)


def read_firsts(text: str) -> tuple[Rdev, Rdev]:
    """The first device numbers, from ``6000`` or ``6000,7000``."""
    here, comma, there = text.partition(",")
    return parse_rdev(here.strip()), parse_rdev((there if comma else here).strip())


def _connections(
    pairs: list[tuple[ChpidId, ChpidId]], count: int, firsts: tuple[Rdev, Rdev]
) -> Iterator[CtcChoice]:
    """So many CTCs on each pair of chpids."""
    for index, chpids in enumerate(pairs):
        for n in range(count):
            here, there = (first + RDEVS_PER_CHPID * index + n for first in firsts)
            if max(here, there) > RDEV_MAX:
                raise ConfigurationError(
                    f"{spelt('rdevs')}: device numbers go beyond FFFF; expected lower ones"
                )
            yield CtcChoice(chpids, (Rdev(here), Rdev(there)))
