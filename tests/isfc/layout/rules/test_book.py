"""The rules for layouts: each fires where it should, and stays quiet where it should."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ctc.address import ChpidId, Rdev
from ctc.features import FEATURES
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.layout.layout import FarPath, Fibre, Isl, Layout
from isfc.layout.plan import LAYOUT_RULES, find_all
from isfc.layout.processors import Processors
from isfc.layout.rules import clusters
from isfc.layout.rules.rule import Finding, Severity
from isfc.link.name import NodeName
from tests.layouts import layout_of, mesh
from tests.shipped import ONE_LINK

SLOW = 2.0


def numbered(rdevs: Sequence[tuple[int, int]]) -> Layout:
    """Two fibres' CTCs with these numbers at the two ends."""
    half = len(rdevs) // 2
    layout = layout_of((SLOW, half), (SLOW, len(rdevs) - half))
    ctcs = [
        structs.replace(ctc, rdevs=(Rdev(here), Rdev(there)))
        for ctc, (here, there) in zip(layout.ctcs, rdevs, strict=True)
    ]
    return replace(layout, ctcs=tuple(ctcs))


def straight() -> Layout:
    layout = layout_of((SLOW, 4), (SLOW, 4))
    first, one = layout.fibres[0], layout.fibres[0].chpids[0]
    return layout.with_fibres(
        lambda fibre: structs.replace(fibre, chpids=(one, one)) if fibre == first else fibre
    )


def selected() -> Layout:
    """The unidirectional CTCs on one chpid, the first and the last of the list."""
    layout = layout_of((SLOW, 4), (SLOW, 3))
    first, second = layout.fibres
    *others, last = layout.ctcs
    ctcs = [structs.replace(ctc, fibre=second) if ctc == others[3] else ctc for ctc in others]
    return replace(layout, ctcs=(*ctcs, structs.replace(last, fibre=first)))


def long(gbps: float, km: float) -> Layout:
    """A link whose fibres are so long."""
    layout = layout_of((gbps, 4), (gbps, 4))
    return layout.with_fibres(lambda fibre: structs.replace(fibre, km=km))


def joined(km: float, credits_: int, gbps: float = 8) -> Layout:
    """A link through inter-switch links with so many buffer credits each."""
    path = FarPath("far", km, Isl(1, gbps, credits_))
    return long(gbps, km).with_fibres(lambda fibre: structs.replace(fibre, path=path))


def led(*counts: int, end: int = 0) -> Layout:
    """A link whose fibres of so many CTCs are all on one chpid at one end."""
    layout = layout_of(*((SLOW, count) for count in counts))
    one = layout.fibres[0].chpids[end]

    def on_one(fibre: Fibre) -> Fibre:
        here, there = fibre.chpids
        return structs.replace(fibre, chpids=(here, one) if end else (one, there))

    return layout.with_fibres(on_one)


def named(*names: str) -> Layout:
    """A link between two systems called so."""
    first, second = names
    return replace(layout_of((SLOW, 4), (SLOW, 4)), nodes=(NodeName(first), NodeName(second)))


def on(machine: str, gbps: float, engine: str = "IFL", *, smt: bool = False) -> Layout:
    """A link on chpids of the latest feature of a speed, between a machine and one not said."""
    (*_, profile) = (each for each in FEATURES.values() if each.link_gbps == gbps)
    link = layout_of((gbps, 4)).with_fibres(lambda fibre: structs.replace(fibre, profile=profile))
    return replace(link, machines=(None, Processors(machine, engine, smt=smt)))


def fibres(*texts: str) -> list[Layout]:
    """Layouts of fibres by speed and CTCs, as ``2x4 4x4``."""
    groups = ([each.split("x") for each in text.split()] for text in texts)
    return [layout_of(*((float(gbps), int(count)) for gbps, count in each)) for each in groups]


(TWICE_FOUR,) = fibres("2x4 2x4")
CROSSED = [(0x4210, 0x5011), (0x4211, 0x5010), (0x5210, 0x4010), (0x5211, 0x4011)]
TRADED = [(0x4210, 0x5010), (0x4211, 0x5011), (0x5210, 0x4010), (0x5211, 0x4011)]
CASES: dict[str, tuple[list[Layout], list[Layout]]] = {
    # by rule: layouts that break it, and some that keep it
    "single-ctc": (fibres("2x1"), fibres("2x2", "2x4 2x4")),
    "one-chpid": (fibres("2x1", "2x4"), fibres("2x1 2x1", "2x4 2x4")),
    "chpid-crowded": (fibres("2x4 2x5"), [TWICE_FOUR]),
    "chpid-leads-to-several": (
        [led(4, 4), led(3, 2, end=1)],
        [TWICE_FOUR, led(2, 2), *fibres("2x8")],
    ),
    "beyond-the-rule": (fibres("16x4 8x4"), fibres("8x4 8x4")),
    "too-many-each": (
        fibres("2x4 2x4 2x4 2x4", "2x8 2x8"),
        fibres("2x3 2x3 2x3 2x3", "2x7 2x7", "2x4 2x4"),
    ),
    "straight-connection": ([straight()], [TWICE_FOUR]),
    "speed-beyond-feature": (fibres("9x4 8x4"), fibres("2x4 2x4", "8x4 4x4")),
    "speeds-mixed": (fibres("2x4 4x4"), [TWICE_FOUR]),
    "speeds-asymmetric": (
        fibres("2x4 4x4", "4x4 2x4", "2x4 2x4 4x4", "4x4 4x4 2x4", "2x4 4x4 2x4 4x4"),
        fibres("4x4 2x4 4x4", "4x4 2x4 2x4 4x4", "2x4 4x4 2x4", "2x4 2x2 4x4 2x2 2x4"),
    ),
    "speeds-slow-first": (
        fibres("2x4 4x4 4x4 2x4"),
        fibres("4x4 2x4 4x4", "2x4 4x4 2x4", "2x4 2x4"),
    ),
    "port-beyond-reach": (
        [long(16, 15), long(SLOW, 100)],
        [TWICE_FOUR, long(16, 10), long(SLOW, 50), joined(100, 500)],
    ),
    "credits-too-few": (
        [joined(30, 60), joined(100, 390)],
        [TWICE_FOUR, joined(30, 130), joined(100, 500), long(16, 15)],
    ),
    "directions-unequal": (
        fibres("2x4 2x4 2x2", "4x4 2x4"),
        fibres("2x4 2x4", "2x2 2x4 2x2", "2x1 2x4 2x1"),
    ),
    "one-chpid-writes": (fibres("2x4 2x1", "2x1 2x1"), fibres("2x4 2x4", "2x4 2x2", "2x4")),
    "unidirectional-spread": (
        [TWICE_FOUR, load_layout("published-16")],
        [selected(), *fibres("2x4", "2x1")],
    ),
    "few-beyond-eight": (
        fibres("2x3 2x3 2x3", "2x4 2x3 2x3"),
        [TWICE_FOUR, load_layout("published-12")],
    ),
    "card-never": ([on("z14", 4.0)], [on("z196", 4.0), on("z10 BC", 2.0), on("z14", 16.0)]),
    "card-unknown": (
        [on("z196", 16.0), on("z15 T01", 32.0)],
        [on("z15 T01", 16.0), on("z14", 4.0)],
    ),
    "engine-unknown": (
        [
            on("z16 A01", 32.0, engine, smt=smt)
            for engine, smt in (("CP Z05", False), ("CP", True), ("CP 601", True))
        ]
        + [on("zEC12", 8.0, smt=True), on("z15 T02", 16.0, "CP 601")],
        [on("z15 T02", 16.0, "CP Z05"), on("z16 A01", 32.0, "CP 601"), on("z13", 16.0, smt=True)],
    ),
    "rdevs-out-of-order": (
        [numbered([(1, 9), (2, 8), (3, 7), (4, 6)]), numbered(CROSSED)],
        [numbered([(1, 6), (2, 7), (3, 8), (4, 9)]), TWICE_FOUR, numbered(TRADED)],
    ),
    "rdevs-ambiguous": (
        [numbered([(1, 2), (2, 3), (3, 4), (4, 5)])],
        [numbered([(1, 1), (2, 2), (3, 3), (4, 4)]), TWICE_FOUR],
    ),
    "name-not-for-ssi": (
        [named("1STI", "2#NDI"), named("A_1", "$B")],
        [named("1STI", "2NDI"), TWICE_FOUR],
    ),
}
FIRES = {rule: broken for rule, (broken, _) in CASES.items()}
SHARED = "chpid-shared"
OF_SEVERAL = {SHARED, *(rule.id for rule in clusters.CLUSTER_RULES)}
"""Those that need a second link."""


def beside(count: int, chpid: int) -> Layout:
    """A link from BOSTON to CHICAGO, with so many CTCs on a chpid of BOSTON's."""
    layout = layout_of((SLOW, count))
    fibre = structs.replace(layout.fibres[0], chpids=(ChpidId(chpid), ChpidId(0x60)))
    ctcs = tuple(structs.replace(ctc, fibre=fibre) for ctc in layout.ctcs)
    return Layout((NodeName("BOSTON"), NodeName("CHICAGO")), (fibre,), ctcs)


def found(layout: Layout) -> list[str]:
    return [finding.id for finding in find_all(layout)]


def finding_of(layout: Layout, rule: str) -> Finding:
    (finding,) = (finding for finding in find_all(layout) if finding.id == rule)
    return finding


def test_what_credits_let_through_is_in_the_mb_of_all_figures_of_a_link() -> None:
    # it was in 10^6 bytes, beside figures of 2^20
    text = finding_of(joined(30, 30), "credits-too-few").text
    assert "the 30 buffer credits of an inter-switch link let through 192 of 771 MB/s" in text
    assert "let through 174 of 385 MB/s" in finding_of(long(4, 100), "port-beyond-reach").text


def test_every_rule_has_layouts_that_break_it_and_keep_it() -> None:
    ids = [rule.id for rule in LAYOUT_RULES]
    assert len(set(ids)) == len(ids)
    assert CASES.keys() == {*ids} - OF_SEVERAL


@pytest.mark.parametrize("rule", CASES)
def test_rule_fires_where_it_should_and_else_stays_quiet(rule: str) -> None:
    broken, kept = CASES[rule]
    assert all(rule in found(layout) for layout in broken)
    assert not any(rule in found(layout) for layout in kept)


def test_there_is_a_layout_that_needs_no_change() -> None:
    assert found(selected()) == []


def test_card_is_of_the_ends_whose_machine_never_had_it() -> None:
    link = on("z14", 4.0)
    for machines, place in (
        (("z196", "z14"), "Chpid 50 at BOSTON: z14 "),
        (("z14", "z14"), "Chpid 40 at ATLANTA (50 at BOSTON): z14 "),
    ):
        both = replace(link, machines=(Processors(machines[0]), Processors(machines[1])))
        (found,) = [each for each in find_all(both) if each.rule.id == "card-never"]
        assert found.text.startswith(place)


def test_finding_comes_once_for_all_chpids_that_it_concerns() -> None:
    for layout, text in (
        (layout_of((SLOW, 5)), "Chpid 40 at ATLANTA (50 at BOSTON) carries 5 CTCs."),
        (
            layout_of((SLOW, 5), (SLOW, 4), (SLOW, 5)),
            "Chpids 40 and 42 at ATLANTA (50 and 52 at BOSTON) carry 5 CTCs each.",
        ),
        (
            layout_of((SLOW, 5), (SLOW, 6)),
            "Chpids 40 and 41 at ATLANTA (50 and 51 at BOSTON) carry 5 and 6 CTCs.",
        ),
    ):
        crowded = finding_of(layout, "chpid-crowded")
        assert crowded.text.startswith(text)
        assert [f.chpids[0] for f in crowded.fibres] == [
            fibre.chpids[0] for fibre in layout.fibres if fibre.chpids[0] != 0x41 or "41" in text
        ]


SPEEDS = st.sampled_from([1.0, 2.0, 4.0, 8.0, 16.0])


@given(
    st.lists(st.tuples(SPEEDS, st.integers(1, 8)), min_size=1, max_size=3),
    st.lists(st.integers(0x50, 0x53), max_size=3),
)
def test_no_rule_is_found_twice_in_a_link_and_each_is_about_its_fibres(
    groups: list[tuple[float, int]], shared: list[int]
) -> None:
    if sum(count for _, count in groups) <= 16:
        layout = layout_of(*groups)
        findings = find_all(layout, tuple(beside(3, n) for n in shared))
        assert len({each.id for each in findings}) == len(findings)
        assert all({*each.fibres} <= {*layout.fibres} for each in findings)


@pytest.mark.parametrize(
    ("fibres_", "rule", "text", "remedy"),
    [
        ("16x4 32x4", "beyond-the-rule",
         "(50 and 51 at BOSTON) run at 16 and 32 Gb/s, and the rule", ""),
        ("9x4 9x4", "speed-beyond-feature",
         "are to run at 9 Gb/s, and FICON Express8 runs at 8 at most.", ""),
        ("2x1 2x1", "one-chpid-writes",
         "on its chpid 40. All CTCs that BOSTON may write on are on its chpid 51.", ""),
        (" ".join(["2x1"] * 16), "too-many-each", "16 chpids with 1 CTC each are 16 CTCs;",
         "Use 14 chpids at most, and the unidirectional ones"),
        ("2x4 2x4 4x4", "speeds-asymmetric",
         "ATLANTA meets chpids of 2, 2 and 4 Gb/s, BOSTON of 4, 2 and 2",
         "Put the fast chpid in the middle of the device list."),
        ("2x4 4x4 4x4", "speeds-asymmetric", "",
         "both ends of the device list and the slow ones in the middle."),
        ("2x4 2x4 2x2", "directions-unequal",
         ("ATLANTA can write on 2 of 3 chpids (350 MB/s), BOSTON on 3 (350 MB/s), because ATLANTA"
          " never writes on its 6020 and 6021."), ""),
        ("4x4 2x4", "directions-unequal",
         ("BOSTON can write on 2 of 2 chpids (437 MB/s), ATLANTA on 2 (481 MB/s), because BOSTON"
          " never writes on its 7000."), ""),
        ("2x3 2x3 2x3", "few-beyond-eight", "gains none.", ""),
        ("2x4 2x3 2x3", "few-beyond-eight", "gains only one.", ""),
    ],
)  # fmt: skip
def test_findings_say_what_is_so_and_what_to_do(
    fibres_: str, rule: str, text: str, remedy: str
) -> None:
    (layout,) = fibres(fibres_)
    finding = finding_of(layout, rule)
    assert text in finding.text
    assert remedy in finding.remedy


def test_links_that_share_a_chpid_are_named() -> None:
    layout = layout_of((SLOW, 4), (SLOW, 3))
    shared = [f for f in find_all(layout, (beside(2, 0x51),)) if f.id == SHARED]
    (finding,) = shared
    assert finding.text == (
        "Chpid 51 at BOSTON carries 3 CTCs of this link and 2 of BOSTON - CHICAGO. "
        "Four fill a chpid."
    )


def test_chpids_that_are_shared_alike_are_told_together() -> None:
    link, other = layout_of((SLOW, 3), (SLOW, 3)), beside(2, 0x51)
    fibres = (
        structs.replace(other.fibres[0], name="a"),
        structs.replace(other.fibres[0], name="b", chpids=(ChpidId(0x50), ChpidId(0x61))),
    )
    both = tuple(
        structs.replace(ctc, fibre=fibre)
        for ctc, fibre in zip(beside(4, 0x51).ctcs, fibres * 2, strict=True)
    )
    (finding,) = (f for f in find_all(link, (Layout(other.nodes, fibres, both),)) if f.id == SHARED)
    assert finding.text.startswith(
        "Chpids 50 and 51 at BOSTON each carry 3 CTCs of this link and 2 "
    )


def test_many_links_that_share_a_chpid_are_summed_up() -> None:
    collection = parse_collection(mesh(6, shared=True))
    link = collection.links[0]
    (finding,) = (f for f in find_all(link, collection.beside(link)) if f.id == SHARED)
    assert "4 CTCs of this link and 16 of 4 others: S1 - S3, S1 - S4, S1 - S5 and 1 more." in (
        finding.text
    )


@pytest.mark.parametrize("neighbour", [beside(1, 0x51), beside(4, 0x52), beside(4, 0x41)])
def test_links_with_room_for_both_may_share(neighbour: Layout) -> None:
    findings = find_all(layout_of((SLOW, 4), (SLOW, 3)), (neighbour,))
    assert SHARED not in [finding.id for finding in findings]


def test_what_an_ambiguous_number_means_is_said() -> None:
    assert finding_of(FIRES["rdevs-ambiguous"][0], "rdevs-ambiguous").text == (
        "0002 means one CTC at ATLANTA and another at BOSTON: ATLANTA's 0002 is joined to "
        "BOSTON's 0003, BOSTON's 0002 to ATLANTA's 0001."
    )


def test_rules_and_findings_are_in_sentences() -> None:
    for rule in LAYOUT_RULES:
        assert rule.severity in Severity
        for text in (rule.title, rule.reason, rule.remedy):
            assert text[0].isupper()
            assert text.endswith(".")
        assert not rule.source.endswith(".")
    for name in ONE_LINK:
        for finding in find_all(load_layout(name)):
            assert finding.advice[0].isupper() or finding.advice[0].isdigit()
            assert finding.advice.endswith(".")
            assert "  " not in finding.advice
