"""Rules for chpids and the CTCs on them."""

from collections.abc import Iterator
from typing import Final

from ctc.address import format_chpid
from isfc.layout.capacity import FULL_CTC_COUNT, RULE_GBPS_MAX
from isfc.layout.rules.rule import Found, Judged, Rule, Severity, listed

CROSSED_CTCS_MAX: Final = 14
"""CTCs a chpid times chpids, unidirectional ones not counted (published: IBM's "z/VM live guest
relocation with Linux", recommendations)."""

_REPORT: Final = "z/VM 6.2 performance report, ISFC Improvements"
_GUIDE: Final = "IBM, z/VM live guest relocation with Linux"


def _single_ctc(judged: Judged) -> Iterator[Found]:
    if len(judged.layout.ctcs) == 1:
        yield Found(
            "Both nodes write on the only CTC, so their writes collide about once for every "
            "message and most of the fibre stays idle.",
            fibre=judged.layout.fibres[0],
        )


def _one_chpid(judged: Judged) -> Iterator[Found]:
    if len(judged.layout.fibres) == 1:
        (fibre,) = judged.layout.fibres
        yield Found(f"{judged.place(fibre)} carries the whole link.", fibre=fibre)


def _chpid_crowded(judged: Judged) -> Iterator[Found]:
    for fibre in judged.layout.fibres:
        if (count := judged.count(fibre)) > FULL_CTC_COUNT:
            yield Found(
                f"{judged.place(fibre)} carries {count} CTCs. Four fill a chpid; with more than "
                "four or five IBM saw performance roll off.",
                fibre=fibre,
            )


def _chpid_shared(judged: Judged) -> Iterator[Found]:
    for end, node in enumerate(judged.layout.nodes):
        for fibre in judged.layout.fibres:
            chpid, own = fibre.chpids[end], judged.count(fibre)
            shares = {
                link: sum(ctc.fibre.chpids[link.nodes.index(node)] == chpid for ctc in link.ctcs)
                for link in judged.neighbours
                if node in link.nodes
            }
            others = [f"{n} of {' - '.join(link.nodes)}" for link, n in shares.items() if n]
            if others and own + sum(shares.values()) > FULL_CTC_COUNT:
                yield Found(
                    f"Chpid {format_chpid(chpid)} at {node} carries {own} CTCs of this link and "
                    f"{listed(others)}. Four fill a chpid.",
                    fibre=fibre,
                )


def _beyond_the_rule(judged: Judged) -> Iterator[Found]:
    for fibre in judged.layout.fibres:
        if fibre.profile.link_gbps > RULE_GBPS_MAX:
            yield Found(
                f"{judged.place(fibre)} runs at {fibre.profile.link_gbps:g} Gb/s, and the rule of "
                f"thumb was published up to {RULE_GBPS_MAX}. CTCs use command-mode FICON, which "
                "does not gain with the link: on FICON Express16SA IBM measured little over "
                "600 MB/s, both directions together.",
                fibre=fibre,
            )


def _too_many_each(judged: Judged) -> Iterator[Found]:
    chpids = len(judged.layout.fibres)
    each = min(judged.count(fibre) for fibre in judged.layout.fibres)
    if chpids > 1 and each * chpids > CROSSED_CTCS_MAX:
        fewer = CROSSED_CTCS_MAX // chpids
        yield Found(
            f"{chpids} chpids with {each} CTCs each are {each * chpids} CTCs; IBM advises at most "
            f"{CROSSED_CTCS_MAX}, so that the unidirectional ones can be added on one chpid.",
            f"Define {fewer} CTCs a chpid, and the unidirectional ones on one of the chpids.",
        )


def _straight(judged: Judged) -> Iterator[Found]:
    for fibre in judged.layout.fibres:
        if fibre.chpids[0] == fibre.chpids[1]:
            yield Found(
                f"{judged.place(fibre)} has the same number at both ends. If both systems are in "
                "one CEC, this is a straight connection: one channel is both ends.",
                fibre=fibre,
            )


RULES: Final = (
    Rule(
        "single-ctc",
        Severity.WARNING,
        "The link has a single CTC.",
        "A single CTC is written by both ends, so their writes collide.",
        _REPORT,
        "Define four CTCs on the chpid.",
        _single_ctc,
    ),
    Rule(
        "one-chpid",
        Severity.WARNING,
        "All CTCs are on one chpid.",
        "When that chpid, its cable or its port fails, the link is down.",
        "Derived: a logical link is up while one of its CTCs is",
        "Spread the CTCs over two chpids or more.",
        _one_chpid,
    ),
    Rule(
        "chpid-crowded",
        Severity.WARNING,
        "A chpid carries more than four CTCs.",
        "Four CTCs fill a chpid; more gain nothing, and its performance rolls off.",
        _REPORT,
        "Move the others to another chpid.",
        _chpid_crowded,
    ),
    Rule(
        "chpid-shared",
        Severity.WARNING,
        "A chpid carries CTCs of several links, and more than four together.",
        "The links compete for the chpid, so that neither has the capacity that it has alone.",
        f"Derived: what is known of a chpid's CTCs does not ask whose they are; {_REPORT}",
        "Give each link chpids of its own, or fewer CTCs on the shared one.",
        _chpid_shared,
    ),
    Rule(
        "beyond-the-rule",
        Severity.WARNING,
        "A link is faster than the rule of thumb is known for.",
        "CTCs use command-mode FICON, whose rate does not grow with the link beyond 8 Gb/s, so "
        "that the estimate is too high.",
        f"{_REPORT}; IBM, z15 FICON Express16SA performance",
        "Do not count on the estimate: see what `isfc run` gives.",
        _beyond_the_rule,
    ),
    Rule(
        "too-many-each",
        Severity.INFO,
        "CTCs a chpid times chpids is more than 14.",
        "A link takes 16 CTCs. With at most 14 that both ends may write, the unidirectional ones "
        "fit in, on one chpid.",
        f"{_GUIDE}, recommendations",
        "Define fewer CTCs a chpid.",
        _too_many_each,
    ),
    Rule(
        "straight-connection",
        Severity.INFO,
        "A fibre has the same chpid at both ends.",
        "The two ends of a straight connection share one channel, which then does the work of two.",
        f"{_GUIDE}, straight and crossed connections",
        "Cross the connections: use different chpids at the two ends.",
        _straight,
    ),
)
