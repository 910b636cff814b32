"""Advice carried out: a rule that promises more MB/s has a change, and is content with it."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ctc.address import Rdev
from isfc.layout.layout import Layout
from isfc.layout.plan import LAYOUT_RULES, find_all
from isfc.layout.rules.chpids import four_of_each
from isfc.layout.rules.rule import ChangedLayout, LayoutRule, Severity, Untried
from tests.isfc.layout.rules.test_book import FIRES, fibres
from tests.layouts import layout_of

TRIALS = [
    (one, trial) for one in LAYOUT_RULES if isinstance(one.trials, tuple) for trial in one.trials
]


def names(layout: Layout | None) -> str | None:
    """The fibres of the CTCs down the device list; None if the advice cannot be carried out."""
    if layout is None:
        return None
    return "".join(ctc.fibre.name[-1] for ctc in layout.device_list())


def changed(rule: str, layout: Layout, index: int = 0) -> Layout | None:
    (trials,) = (one.trials for one in LAYOUT_RULES if one.id == rule)
    assert isinstance(trials, tuple)
    return trials[index].carried_out(layout)


def test_every_rule_has_a_trial_or_says_why_not() -> None:
    for rule in LAYOUT_RULES:
        assert rule.trials.because if isinstance(rule.trials, Untried) else rule.trials


@pytest.mark.parametrize(
    ("rule", "trial"), TRIALS, ids=[f"{rule.id} {trial.done}" for rule, trial in TRIALS]
)
def test_rule_has_nothing_to_say_of_a_layout_changed_as_it_advises(
    rule: LayoutRule, trial: ChangedLayout
) -> None:
    layouts = [trial.carried_out(layout) for layout in FIRES[rule.id]]
    assert any(layouts)
    for layout in layouts:
        assert layout is None or rule.id not in [finding.id for finding in find_all(layout)]


@pytest.mark.parametrize(
    ("rule", "way", "before", "after"),
    [
        # what crowds a chpid is left out, or moved
        ("chpid-crowded", 0, "2x6 2x3", "0000111"),
        ("chpid-crowded", 1, "2x6 2x3", "000012111"),
        # unidirectional CTCs come in addition, on one chpid
        ("too-many-each", 0, "2x4 2x4 2x4 2x4", "0000011122233300"),
        ("too-many-each", 0, " ".join(["2x1"] * 16), "0123456789012300"),
        ("unidirectional-spread", 0, "2x4 2x4", "00011110"),
        # fast chpids go outside, and a single one inside
        ("speeds-slow-first", 0, "2x2 4x2 4x2 2x2", "11003322"),
        ("speeds-asymmetric", 0, "4x2 2x4 4x4", "2201111022"),
        ("speeds-asymmetric", 0, "4x4 2x4", "11000011"),
        # alike chpids, or halves of one, go to both ends
        ("directions-unequal", 0, "2x4 2x4 4x2", "0000221111"),
        ("directions-unequal", 0, "4x4 2x4", "00111100"),
        ("directions-unequal", 0, "2x4 2x5", None),
        # fast chpids alone take what fills them; eight CTCs are left of ten
        ("speeds-mixed", 0, "2x4 4x3", "1111"),
        ("few-beyond-eight", 0, "2x4 2x3 2x3", "00111222"),
    ],
)
def test_a_change_is_the_list_that_is_advised(
    rule: str, way: int, before: str, after: str | None
) -> None:
    (layout,) = fibres(before)
    done = changed(rule, layout, way)
    assert names(done) == after
    assert done is None or len({fibre.chpids[0] for fibre in done.fibres}) == len(done.fibres)


@given(
    st.lists(
        st.tuples(st.sampled_from([1.0, 2.0, 4.0, 16.0]), st.integers(1, 16)),
        min_size=1,
        max_size=16,
    ).filter(lambda groups: sum(count for _, count in groups) <= 16)
)
def test_any_layout_that_breaks_a_rule_becomes_a_link(groups: list[tuple[float, int]]) -> None:
    layout = layout_of(*groups)
    for finding in find_all(layout):
        trials = finding.rule.trials
        for trial in trials if isinstance(trials, tuple) else ():
            if (after := trial.carried_out(layout)) is not None:
                assert 1 <= len(after.ctcs) <= 16
                for end in (0, 1):
                    chpids = [fibre.chpids[end] for fibre in after.fibres]
                    assert len(set(chpids)) == len(chpids)
                assert after == replace(after, fibres=tuple({c.fibre: 0 for c in after.ctcs}))


@st.composite
def drawn_layouts(draw: st.DrawFn) -> Layout:
    """Up to five chpids of up to three speeds, their CTCs one after the other or in any order."""
    speeds = draw(st.lists(st.sampled_from([2.0, 4.0, 8.0]), min_size=1, max_size=5))
    down = draw(st.lists(st.integers(0, len(speeds) - 1), min_size=1, max_size=16))
    layout = layout_of(*((gbps, 1) for gbps in speeds))
    order = sorted(down) if draw(st.booleans()) else down
    ctcs = tuple(
        structs.replace(layout.ctcs[index], rdevs=(Rdev(n), Rdev(n)))
        for n, index in enumerate(order)
    )
    return replace(layout, fibres=tuple(dict.fromkeys(c.fibre for c in ctcs)), ctcs=ctcs)


@given(drawn_layouts())
def test_advice_carried_out_ends_its_finding_and_says_which_warnings_it_makes(
    layout: Layout,
) -> None:
    known = {finding.id for finding in find_all(layout)}
    for finding in find_all(layout):
        trials = finding.rule.trials
        for trial in trials if isinstance(trials, tuple) else ():
            changed = trial.carried_out(layout)
            after = () if changed is None else find_all(changed)
            assert finding.id not in {one.id for one in after}
            for one in after:
                if one.severity is Severity.WARNING and one.id not in known:
                    assert one.id in finding.brings
                    assert one.id in finding.advice


@pytest.mark.parametrize("groups", ["2x8 2x8", "2x5 2x5 2x5", "2x4 2x4 2x4 2x4"])
def test_no_more_than_four_ctcs_a_chpid_are_advised_and_what_more_would_bring(groups: str) -> None:
    # "Define 7 CTCs a chpid" stood beside "four fill a chpid"
    (layout,) = fibres(groups)
    (finding,) = (one for one in find_all(layout) if one.id == "too-many-each")
    if len(layout.fibres) < 4:
        start = "Define 4 CTCs a chpid, and the unidirectional ones on one"
        assert finding.remedy.startswith(start)
    else:
        assert finding.brings == ("chpid-crowded",)
        assert finding.remedy.endswith("That way isfc check would warn of chpid-crowded.")


def test_order_that_no_other_betters_is_no_finding() -> None:
    # two CTCs of two speeds meet the nodes differently in any order
    one, two = ({each.id for each in find_all(layout)} for layout in fibres("2x1 4x1", "2x2 4x2"))
    assert ("speeds-asymmetric" in one, "speeds-asymmetric" in two) == (False, True)


def test_four_of_each_is_four() -> None:
    (fibre,) = layout_of((2, 1)).fibres
    assert four_of_each([fibre]) == [fibre] * 4
