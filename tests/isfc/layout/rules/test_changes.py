"""Advice carried out: a rule that promises more MB/s has a change, and is content with it."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from ctc.address import Rdev
from isfc.layout.layout import Layout
from isfc.layout.plan import RULES, find_all
from isfc.layout.rules import changes
from isfc.layout.rules.rule import ChangedLayout, LayoutRule, Severity, Untried
from tests.isfc.layout.rules.test_book import FIRES
from tests.layouts import layout_of

TRIALS = [
    (rule, trial) for rule in RULES if isinstance(rule.trials, tuple) for trial in rule.trials
]


def speeds(layout: Layout | None) -> Sequence[float]:
    assert layout is not None
    return [ctc.fibre.profile.link_gbps for ctc in layout.device_list()]


def names(layout: Layout | None) -> str:
    assert layout is not None
    return "".join(ctc.fibre.name[-1] for ctc in layout.device_list())


def changed(rule: str, layout: Layout, index: int = 0) -> Layout | None:
    (trials,) = (one.trials for one in RULES if one.id == rule)
    assert isinstance(trials, tuple)
    return trials[index].carried_out(layout)


def test_every_rule_has_a_trial_or_says_why_not() -> None:
    for rule in RULES:
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


def test_what_crowds_a_chpid_is_left_out_or_moved() -> None:
    crowded = layout_of((2, 6), (2, 3))
    assert names(changed("chpid-crowded", crowded)) == "0000111"
    assert names(changed("chpid-crowded", crowded, 1)) == "000012111"
    moved = changed("chpid-crowded", crowded, 1)
    assert moved is not None
    assert len({fibre.chpids[0] for fibre in moved.fibres}) == 3


def test_unidirectional_ctcs_come_in_addition_on_one_chpid() -> None:
    assert names(changed("too-many-each", layout_of(*[(2, 4)] * 4))) == "0000011122233300"
    assert names(changed("too-many-each", layout_of(*[(2, 1)] * 16))) == "0123456789012300"
    assert names(changed("unidirectional-spread", layout_of((2, 4), (2, 4)))) == "00011110"


def test_fast_chpids_go_outside_and_a_single_one_inside() -> None:
    assert speeds(changed("speeds-slow-first", layout_of((2, 2), (4, 2), (4, 2), (2, 2)))) == (
        [4, 4, 2, 2, 2, 2, 4, 4]
    )
    uneven = layout_of((4, 2), (2, 4), (4, 4))
    assert names(changed("speeds-asymmetric", uneven)) == "2201111022"
    assert names(changed("speeds-asymmetric", layout_of((4, 4), (2, 4)))) == "11000011"


def test_alike_chpids_or_halves_of_one_go_to_both_ends() -> None:
    assert names(changed("directions-unequal", layout_of((2, 4), (2, 4), (4, 2)))) == "0000221111"
    assert names(changed("directions-unequal", layout_of((4, 4), (2, 4)))) == "00111100"
    assert changed("directions-unequal", layout_of((2, 4), (2, 5))) is None


def test_fast_chpids_alone_take_what_fills_them() -> None:
    assert names(changed("speeds-mixed", layout_of((2, 4), (4, 3)))) == "1111"


def test_eight_ctcs_are_left_of_ten() -> None:
    assert names(changed("few-beyond-eight", layout_of((2, 4), (2, 3), (2, 3)))) == "00111222"


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


@pytest.mark.parametrize("groups", [[(2, 8), (2, 8)], [(2, 5), (2, 5), (2, 5)]])
def test_no_more_than_four_ctcs_a_chpid_are_advised(groups: list[tuple[float, int]]) -> None:
    # "Define 7 CTCs a chpid" stood beside "four fill a chpid"
    layout = layout_of(*groups)
    (finding,) = (one for one in find_all(layout) if one.id == "too-many-each")
    assert finding.remedy.startswith("Define 4 CTCs a chpid, and the unidirectional ones on one")


def test_unidirectional_ctcs_on_one_chpid_are_said_to_crowd_it() -> None:
    (finding,) = (one for one in find_all(layout_of(*[(2, 4)] * 4)) if one.id == "too-many-each")
    assert finding.brings == ("chpid-crowded",)
    assert finding.remedy.endswith("That way isfc check would warn of chpid-crowded.")


def test_order_that_no_other_betters_is_no_finding() -> None:
    # two CTCs of two speeds meet the nodes differently in any order
    assert "speeds-asymmetric" not in {f.id for f in find_all(layout_of((2, 1), (4, 1)))}
    assert "speeds-asymmetric" in {f.id for f in find_all(layout_of((2, 2), (4, 2)))}


def test_four_of_each_is_four() -> None:
    (fibre,) = layout_of((2, 1)).fibres
    assert changes.four_of_each([fibre]) == [fibre] * 4
