"""Rules for chpids and the CTCs on them."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from ctc.address import format_chpid
from isfc.errors.in_words import first_listed, grouped, listed
from isfc.layout.capacity import FULL_CTC_COUNT, RULE_GBPS_MAX
from isfc.layout.layout import Down, Fibre, around, unused_chpids
from isfc.layout.rules.rule import GUIDE, REPORT, Broken, ChangedLayout, Judged, RuleBook, Untried
from isfc.link.scan import CTCS_MAX, stop_short

_NAMED: Final = 3
"""Other links on a chpid that are told one by one; of more the first ones (chosen)."""

CHPID_RULES: Final = RuleBook()
"""In the order in which they are listed."""

CROSSED_CTCS_MAX: Final = 14
"""CTCs a chpid times chpids, unidirectional ones not counted (published: IBM's "z/VM live guest
relocation with Linux", recommendations)."""


def four_of_each(down: Down) -> Down:
    """Four CTCs on each chpid that has one."""
    return [fibre for fibre in dict.fromkeys(down) for _ in range(FULL_CTC_COUNT)]


def thinned(down: Down) -> Down:
    """No more CTCs on a chpid than fill it; the others are left out."""
    return _rehoused(down, lambda _: None)


def moved(down: Down) -> Down:
    """No more CTCs on a chpid than fill it; the others on chpids with room, or on further ones."""
    fibres = list(dict.fromkeys(down))
    room = {fibre: FULL_CTC_COUNT - held for fibre, held in Counter(down).items()}

    def home(crowded: Fibre) -> Fibre:
        free = next((fibre for fibre in fibres if room[fibre] > 0), None)
        if free is None:
            free = replace(crowded, name=f"another {len(fibres)}", chpids=unused_chpids(fibres))
            fibres.append(free)
            room[free] = FULL_CTC_COUNT
        room[free] -= 1
        return free

    return _rehoused(down, home)


def _rehoused(down: Down, home: Callable[[Fibre], Fibre | None]) -> Down:
    """What crowds a chpid goes ``home`` to another, or nowhere."""
    held: Counter[Fibre] = Counter()
    housed = []
    for fibre in down:
        held[fibre] += 1
        housed.append(fibre if held[fibre] <= FULL_CTC_COUNT else home(fibre))
    return [fibre for fibre in housed if fibre is not None]


def crossed_each(chpids: int) -> int:
    """CTCs on each of so many chpids, the unidirectional ones not counted.

    It begins with the four that fill a chpid, and is reduced until all are 14 at most.
    """
    return min(FULL_CTC_COUNT, CROSSED_CTCS_MAX // chpids)


def selected_in_addition(down: Down) -> Down:
    """As many CTCs on each chpid, 14 at most; the unidirectional ones in addition on the first."""
    fibres = list(dict.fromkeys(down))[:CROSSED_CTCS_MAX]
    selected, each = fibres[0], crossed_each(len(fibres))
    ends = 2 * stop_short(CTCS_MAX)
    held = each + min(ends, CTCS_MAX - each * len(fibres))
    outer = min(held, ends)
    others = [fibre for fibre in fibres[1:] for _ in range(each)]
    return around([selected] * outer, [*[selected] * (held - outer), *others])


@CHPID_RULES.rule(
    "single-ctc",
    "The link has a single CTC.",
    "A single CTC is written by both ends, so their writes collide.",
    REPORT,
    "Define four CTCs on the chpid.",
    (ChangedLayout("with four CTCs", four_of_each),),
)
def _single_ctc(judged: Judged) -> Iterator[Broken]:
    if len(judged.layout.ctcs) == 1:
        yield Broken(
            "Both nodes write on the only CTC, so their writes collide about once for every "
            "message and most of the fibre stays idle.",
            fibres=judged.layout.fibres,
        )


@CHPID_RULES.rule(
    "one-chpid",
    "All CTCs are on one chpid.",
    "When that chpid, its cable or its port fails, the link is down.",
    "Derived: a logical link is up while one of its CTCs is",
    "Spread the CTCs over two chpids or more.",
    Untried("it is about what a loss leaves, not about what is carried"),
)
def _one_chpid(judged: Judged) -> Iterator[Broken]:
    if len(judged.layout.fibres) == 1:
        place = judged.place(*judged.layout.fibres)
        yield Broken(f"{place} carries the whole link.", fibres=judged.layout.fibres)


@CHPID_RULES.rule(
    "chpid-crowded",
    "A chpid carries more than four CTCs.",
    "By IBM's measurements four CTCs fill a chpid, and its performance rolls off with more.",
    REPORT,
    "Move the others to another chpid.",
    (
        ChangedLayout("with four CTCs on a chpid", thinned),
        ChangedLayout("with the others on another chpid", moved),
    ),
)
def _chpid_crowded(judged: Judged) -> Iterator[Broken]:
    fibres = [f for f in judged.layout.fibres if judged.count(f) > FULL_CTC_COUNT]
    counts = [judged.count(fibre) for fibre in fibres]
    if fibres:
        if len(fibres) == 1:
            carry = f"carries {counts[0]} CTCs"
        elif len(set(counts)) == 1:
            carry = f"carry {counts[0]} CTCs each"
        else:
            carry = f"carry {listed(counts)} CTCs"
        yield Broken(
            f"{judged.place(*fibres)} {carry}. Four fill a chpid; with more than four or five IBM "
            "saw performance roll off.",
            fibres=tuple(fibres),
        )


@CHPID_RULES.rule(
    "chpid-leads-to-several",
    "A chpid leads to several chpids of the partner, and carries more than four CTCs.",
    "A director may lead one chpid to several. It is one channel all the same, and carries no "
    "more than to a single one.",
    f"Derived: what is known of a chpid's CTCs does not ask where they lead; {REPORT}",
    "Use further chpids at this end.",
    Untried("which further chpids there are, the layout does not say"),
)
def _leads_to_several(judged: Judged) -> Iterator[Broken]:
    for end, (node, other) in enumerate((judged.layout.nodes, judged.layout.nodes[::-1])):
        chpids = grouped((fibre.chpids[end], fibre) for fibre in judged.layout.fibres)
        for chpid, fibres in chpids.items():
            counts = [judged.count(fibre) for fibre in fibres]
            if len(fibres) > 1 and sum(counts) > FULL_CTC_COUNT:
                each = listed(
                    f"{count} to {format_chpid(fibre.chpids[1 - end])}"
                    for count, fibre in zip(counts, fibres, strict=True)
                )
                yield Broken(
                    f"Chpid {format_chpid(chpid)} at {node} carries {sum(counts)} CTCs, {each} at "
                    f"{other}. Four fill a chpid.",
                    fibres=tuple(fibres),
                )


@CHPID_RULES.rule(
    "chpid-shared",
    "A chpid carries CTCs of several links, and more than four together.",
    "The links compete for the chpid, so that neither has the capacity that it has alone.",
    f"Derived: what is known of a chpid's CTCs does not ask whose they are; {REPORT}",
    "Give each link chpids of its own, or fewer CTCs on the shared one.",
    Untried("it takes several links to find it, and what is run is one"),
)
def _chpid_shared(judged: Judged) -> Iterator[Broken]:
    alike = grouped(
        ((node, load), fibre)
        for end, node in enumerate(judged.layout.nodes)
        for fibre in judged.layout.fibres
        if (load := _shares(judged, fibre, end)) is not None
    )
    said = []
    for (node, load), fibres in alike.items():
        end = judged.layout.nodes.index(node)
        names = listed(dict.fromkeys(format_chpid(fibre.chpids[end]) for fibre in fibres))
        carry = f"Chpid {names} at {node} carries"
        if len(fibres) > 1:
            carry = f"Chpids {names} at {node} each carry"
        said.append(f"{carry} {load}.")
    if said:
        fibres = [fibre for each in alike.values() for fibre in each]
        yield Broken(f"{' '.join(said)} Four fill a chpid.", fibres=tuple(dict.fromkeys(fibres)))


def _shares(judged: Judged, fibre: Fibre, end: int) -> str | None:
    """Whose CTCs a chpid carries; None if they are all ours, or have room."""
    node, chpid, own = judged.layout.nodes[end], fibre.chpids[end], judged.count(fibre)
    if judged.collection is not None and len(judged.collection.channel(node, chpid)) > 1:
        return None  # channel-shared tells of it
    shares = {
        link: sum(ctc.fibre.chpids[link.nodes.index(node)] == chpid for ctc in link.ctcs)
        for link in judged.neighbours
        if node in link.nodes
    }
    counts = {" - ".join(link.nodes): count for link, count in shares.items() if count}
    total = sum(counts.values())
    if not counts or own + total <= FULL_CTC_COUNT:
        return None
    others = listed(f"{count} of {name}" for name, count in counts.items())
    if len(counts) > _NAMED:  # each of these links has a finding of its own
        others = f"{total} of {len(counts)} others: {first_listed([*counts], _NAMED)}"
    return f"{own} CTCs of this link and {others}"


@CHPID_RULES.rule(
    "beyond-the-rule",
    "A link is faster than the rule of thumb is known for.",
    "CTCs use command-mode FICON, whose rate does not grow with the link beyond 8 Gb/s, so "
    "that the estimate is too high.",
    f"{REPORT}; IBM, z15 FICON Express16SA performance",
    "Do not count on the estimate: see what `isfc run` gives.",
    Untried("it advises no change: it says that the model is to be asked"),
    is_remark=True,
)
def _beyond_the_rule(judged: Judged) -> Iterator[Broken]:
    fibres = [f for f in judged.layout.fibres if f.profile.link_gbps > RULE_GBPS_MAX]
    if fibres:
        speeds = listed(sorted({fibre.gbps for fibre in fibres}))
        yield Broken(
            f"{judged.place(*fibres)} run{'s' * (len(fibres) == 1)} at {speeds} Gb/s, and the rule "
            f"of thumb was published up to {RULE_GBPS_MAX}. CTCs use command-mode FICON, which "
            "does not gain with the link: on FICON Express16SA IBM measured little over "
            "600 MB/s, both directions together.",
            fibres=tuple(fibres),
        )


@CHPID_RULES.rule(
    "too-many-each",
    "CTCs a chpid times chpids is more than 14.",
    "IBM's NDC, the CTCs a chpid, starts at 4 and is reduced until NDC times NC, the chpids, "
    "is at most 14. A link takes 16 CTCs, so that the unidirectional ones fit in, on one "
    "selected chpid in addition to its other CTCs. isfc takes NDC from the chpid with the "
    "fewest CTCs, because further CTCs of another chpid may be the unidirectional ones.",
    f"{GUIDE}, recommendations",
    "Define fewer CTCs a chpid.",
    (ChangedLayout("that way", selected_in_addition),),
    is_remark=True,
)
def _too_many_each(judged: Judged) -> Iterator[Broken]:
    chpids = len(judged.layout.fibres)
    each = min(judged.count(fibre) for fibre in judged.layout.fibres)
    if chpids > 1 and each * chpids > CROSSED_CTCS_MAX:
        fewer = crossed_each(chpids)
        remedy = f"Define {fewer} CTC{'s' * (fewer > 1)} a chpid"
        if not fewer:
            remedy = f"Use {CROSSED_CTCS_MAX} chpids at most"
        yield Broken(
            f"{chpids} chpids with {each} CTC{'s' * (each > 1)} each are {each * chpids} CTCs; IBM "
            f"advises at most {CROSSED_CTCS_MAX}, so that the unidirectional ones can be "
            "added on one chpid.",
            f"{remedy}, and the unidirectional ones on one of the chpids.",
        )


@CHPID_RULES.rule(
    "straight-connection",
    "A fibre has the same chpid at both ends.",
    "The two ends of a straight connection share one channel, which then does the work of two.",
    f"{GUIDE}, straight and crossed connections",
    "Cross the connections: use different chpids at the two ends.",
    Untried("it takes other channels, which the layout does not have"),
    is_remark=True,
)
def _straight(judged: Judged) -> Iterator[Broken]:
    collection, nodes = judged.collection, judged.layout.nodes
    known: list[Fibre] = []
    if collection is not None:
        homes = [collection.cec_of(node) for node in nodes]
        if None not in homes and homes[0] != homes[1]:
            return
        for fibre in judged.layout.fibres:
            channels = collection.channels_of(fibre, nodes)
            if channels[0] == channels[1]:
                known.append(fibre)
    if known:
        is_one = "is one channel" if len(known) == 1 else "are one channel each"
        yield Broken(
            f"{judged.place(*known)} {is_one}: a straight connection.", fibres=tuple(known)
        )
    fibres = [f for f in judged.layout.fibres if f.chpids[0] == f.chpids[1] and f not in known]
    if fibres:
        has = "has the same number" if len(fibres) == 1 else "have the same numbers"
        yield Broken(
            f"{judged.place(*fibres)} {has} at both ends. If both systems are in one CEC, this is "
            "a straight connection: one channel is both ends; [[shared_channel]] says so.",
            fibres=tuple(fibres),
        )
