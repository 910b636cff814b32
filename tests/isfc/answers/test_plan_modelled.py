"""Rule and model side by side in ``isfc plan``: what limits, and what is said of differences."""

from dataclasses import replace
from functools import partial

import pytest
from msgspec import structs

from ctc.features import find_profile
from isfc.answers.limit import SEARCHED_SECONDS_MIN, limit_line, limit_lines
from isfc.answers.plan_link import plan_report, planned_by_rule
from isfc.answers.plan_modelled import differences, ends_at, handled_mb_per_s, modelled_link
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_collection
from isfc.layout.layout import FarPath, Isl, Layout
from isfc.layout.plan import make_plan
from isfc.layout.processors import Processors
from isfc.layout.site import SiteProfile
from isfc.reports.figure import Figure, Interval, Range, Unit
from scenarios.figures.limit import Limit, Relief, Share
from scenarios.figures.rates import ModelledRate, carried
from scenarios.figures.resources import LINE, RECEIVE, Resource, resource_known
from scenarios.runs import run as runs
from scenarios.runs.experiment import SATURATING_PAIRS, SUITE, Experiment, one_way
from scenarios.runs.notes import ONE_WAY_MB_PER_S_MAX, plan_notes
from scenarios.runs.steady import Rate
from scenarios.runs.workload import find_workload
from tests.isfc.printed import Printed, Recorded
from tests.layouts import layout_of


def figures(layout: Layout, *rates: float) -> list[ModelledRate]:
    return [
        ModelledRate(layout, node, (Rate(rate, 0.01 * rate),) * 2)
        for node, rate in zip(layout.nodes, rates, strict=True)
    ]


def said(layout: Layout, *rates: float) -> str:
    return " ".join(differences(make_plan(layout), figures(layout, *rates)))


def noted(layout: Layout, *rates: float) -> str:
    return " ".join(note.text for note in plan_notes(layout, figures(layout, *rates)))


def test_figures_that_agree_are_not_explained() -> None:
    layout = load_layout("published-12")
    rates = [way.estimated_mb_per_s * 0.95 for way in make_plan(layout).directions]
    assert "differ" not in said(layout, *rates)


def test_how_long_changes_ran_is_said_where_some_were_tried() -> None:
    tried = "Advised changes were tried for a second"
    assert tried in said(load_layout("atlanta-boston"), 390, 390)
    assert tried not in said(load_layout("published-4"), 189, 189)


def test_difference_of_more_than_a_tenth_is_told_with_its_reason() -> None:
    assert "fewer than four carry more" in said(load_layout("published-4"), 189, 189)
    assert "both ends write on" in said(load_layout("published-1"), 81, 80)


def test_a_chpid_that_carries_more_than_ibm_states_of_command_mode_is_told_first() -> None:
    fast = layout_of((16, 5), (16, 5))
    most = handled_mb_per_s(fast.fibres[0].profile)
    page = said(fast, 1200, 1200)
    assert page.startswith("The model carries 600 MB/s (2^20) one way on a chpid.")
    assert "which is 572 here: count on no more." in page
    assert f"handles {most:,.0f} MB/s of such messages in command mode" in page
    assert "carries" not in said(fast, 1100, 1100).partition("The model's figures")[0]


@pytest.mark.at_length
@pytest.mark.slow
def test_the_model_carries_no_more_on_a_chpid_than_what_is_said_that_it_handles() -> None:
    for name in ("FICON Express8S", "FICON Express16S", "FICON Express32-4P"):
        profile = find_profile(name)
        single = layout_of((8, 8)).with_fibres(partial(structs.replace, profile=profile))
        found = runs.run(Experiment.of(single, find_workload(SUITE), 200, seconds=1.0)).link()
        rate = found.client.whole.result.mb_per_s
        assert 0.8 * handled_mb_per_s(profile) < rate <= handled_mb_per_s(profile)


def test_less_than_the_rule_says_is_not_explained_by_what_makes_it_more() -> None:
    # of a link through narrow inter-switch links it said that few CTCs carry more
    layout = load_layout("published-4")
    few = said(layout, 90, 90)
    assert "fewer than four carry more" not in few
    assert "overheads for each package" in few
    path = FarPath("far", 30.0, Isl(1, 2, 20))
    far = layout.with_fibres(lambda fibre: structs.replace(fibre, km=path.km, path=path))
    assert "The rule knows neither distance nor inter-switch links." in said(far, 90, 90)
    assert "Those of path far let through 122 MB/s each way." in said(far, 90, 90)
    assert "fewer than four carry more" in said(far, 189, 189)


def test_load_that_does_not_fill_the_link_is_told() -> None:
    layout = load_layout("published-8")
    rates = [ModelledRate(layout, node, (Rate(400), Rate(300))) for node in layout.nodes]
    assert "50 pairs do not fill this link" in " ".join(differences(make_plan(layout), rates))


def test_features_beyond_the_measured_ones_are_marked() -> None:
    assert "extrapolated" not in noted(load_layout("published-16"), 900, 900)
    assert "extrapolated: nothing is published" in noted(layout_of((8, 4), (8, 4)), 1200, 1200)


def test_rate_of_one_direction_is_held_against_what_was_measured_one_way() -> None:
    layout = load_layout("published-16")
    assert "extrapolated" not in noted(layout, 900, ONE_WAY_MB_PER_S_MAX)
    assert "nothing is published of more than 963 MB/s one way" in noted(layout, 900, 970)


@pytest.mark.at_length
@pytest.mark.slow
def test_plan_shows_both_and_with_rule_only_one(printed: Printed, recorded: Recorded) -> None:
    page = printed("plan", "published-4")
    assert "sender MB/s range   saturated range   rule CTCs it writes on" in page
    assert max(map(len, page.splitlines())) <= 80
    model = recorded("plan", "published-4")["model"]
    rates = {each.sender: each.saturated.value for each in carried(load_layout("published-4"))}
    assert {node: each["value"] for node, each in model["saturated"].items()} == rates
    assert " MB/s one way, by IBM's rule of thumb\n" in printed("plan", "published-4", "--rule")


def test_loss_by_rule_of_thumb_says_so_beside_figures_of_the_model() -> None:
    plan = make_plan(load_layout("atlanta-boston"))
    by_rule = planned_by_rule(plan)
    found = modelled_link(plan, figures(plan.layout, 390.0, 390.0), {}, by_rule.worst_chpid)
    whole = "worst is 40 (mate 50): 131 MB/s left, 43 %"
    assert dict(plan_report(by_rule).answer)["Lose a chpid"] == whole
    assert dict(plan_report(found).answer)["Lose a chpid"] == f"{whole}, by IBM's rule of thumb"


STRAIGHT = """
[fibre.1]
feature = "FICON Express4"
chpid = { VMA = "40", VMB = "40" }
[[ctc]]
fibre = "1"
rdevs = { VMA = "4000-4003", VMB = "5000-5003" }
[cec.A]
systems = ["VMA", "VMB"]
"""


def test_straight_connection_is_what_makes_less_than_the_rule() -> None:
    # it was put down to the overheads of packages, and nothing said that nobody has measured one
    text = STRAIGHT + '[[shared_channel]]\nchpid = { VMA = "40", VMB = "40" }\n'
    straight, crossed = (parse_collection(one).link() for one in (text, STRAIGHT))
    why = "a straight connection is one, which handles each byte twice."
    assert why in said(straight, 179, 179)
    assert "fibres that share channels" in noted(straight, 179, 179)
    assert why not in said(crossed, 179, 179)
    assert "share channels" not in noted(crossed, 179, 179)


LAYOUT = load_layout("atlanta-boston")
WAYS = [one_way(LAYOUT, node, SATURATING_PAIRS) for node in LAYOUT.nodes]


def limited(way: int, share: Share) -> ModelledRate:
    sender, rate = LAYOUT.nodes[way], Rate(100.0 + way)
    within = Interval(0.9, 1.1)
    none = Relief("one more CTC", Figure(1.0, Unit.TIMES, Range(within, within, "")))
    limit = Limit(WAYS[way], (share,), (share,), 1.5, (none,))
    return ModelledRate(LAYOUT, sender, (rate, rate), limit=limit)


def receiving(node: int) -> Share:
    return Share(Resource(RECEIVE, LAYOUT.nodes[node]), 0.9, 0.97)


def test_what_is_to_gain_names_its_direction_where_both_differ() -> None:
    """The page said what the first node gains, without a word of whose it is."""
    both = [limited(way, receiving(1 - way)) for way in (0, 1)]
    alike = [both[0], replace(both[0], sender=both[1].sender)]
    by_rule = planned_by_rule(make_plan(LAYOUT))
    for figures, begins in ((both, "ATLANTA, saturated: "), (alike, "saturated: nothing ")):
        found = modelled_link(make_plan(LAYOUT), figures, {}, by_rule.worst_chpid)
        answer = dict(plan_report(found).answer)
        assert answer["To gain"].startswith(begins)


def test_each_way_is_said_once_of_the_end_that_has_the_resource() -> None:
    ways = [limited(0, receiving(1)), limited(1, receiving(0))]
    (line,) = limit_lines(ways)
    said = "Each way limited by: how fast the other end receives (CP's lock for the link is busy"
    assert line.startswith(said)
    limit = ways[0].limit
    assert limit is not None
    assert limit_line(limit, 100).startswith("limited by: how fast BOSTON receives")


def test_ways_are_not_alike_where_it_is_the_sender_of_one_and_the_receiver_of_the_other() -> None:
    assert len(limit_lines([limited(0, receiving(1)), limited(1, receiving(1))])) == 2


def test_a_link_with_all_the_ctcs_that_it_may_have_says_so() -> None:
    share = Share(Resource(LINE), 0.9, 1.0)
    for name, is_full in (("published-16", True), ("published-8", False)):
        layout = load_layout(name)
        experiment = one_way(layout, layout.nodes[0], SATURATING_PAIRS)
        limit = Limit(experiment, (share,), (share,), 1.5, ())
        assert ("; a link has 16 CTCs at most; " in limit_line(limit, 100)) is is_full
    fifteen = replace(load_layout("published-16"), ctcs=load_layout("published-16").ctcs[:15])
    limit = structs.replace(limit, experiment=one_way(fifteen, fifteen.nodes[0], SATURATING_PAIRS))
    assert "; a link has 16 CTCs at most, too few for one more on each" in limit_line(limit, 100)


def test_ways_limited_by_their_chpids_are_alike() -> None:
    line = Share(Resource(LINE), 0.9, 1.0)
    (said,) = limit_lines([limited(0, line), limited(1, structs.replace(line, busy=0.99))])
    assert said.endswith("without this limit, with 500 pairs: 150 (128 to 175) MB/s.")


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize(
    "words",
    [
        ["published-1", "--workload", "HS", "--pairs", "1"],
        ["two-cecs", "--traffic", "ALPHA-BETA:HS:1"],
    ],
)
def test_a_run_says_what_limits_unless_it_is_short(words: list[str], printed: Printed) -> None:
    for seconds, is_said in ((SEARCHED_SECONDS_MIN, True), (0.1, False)):
        assert ("\nLimited by " in printed("run", *words, "--seconds", str(seconds))) is is_said


def on_machines(text: str, *groups: tuple[float, int]) -> str:
    """Between which limits a link ends whose first node is a z10, and the second that."""
    layout = replace(layout_of(*groups), machines=(Processors("z10 EC"), Processors(text)))
    return ends_at(make_plan(layout))


def test_it_is_said_whether_cp_s_lock_or_the_chpids_end_a_link_on_machines() -> None:
    four, one = ((8.0, 4),) * 4, ((4.0, 4),)
    here, there, measure = on_machines("z16 A01", *four).split(". ")
    assert here.startswith("ATLANTA: CP's receive lock on BOSTON (z16 A01) 1,510-6,170 MB/s, ")
    assert "command mode of 4 chpids " in here
    assert here.endswith(": the range cannot tell which")
    assert there.endswith(": the lock")  # a z10's
    assert "FCX108" in measure
    assert on_machines("z16 A01", *one).count(", 1 fibre link 394: the fibre links.") == 2
    assert on_machines("z16 A01", (2.0, 4), (2.0, 4)).count(", 2 fibre links 394: the fibre") == 2
    assert "FCX108" not in on_machines("z16 A01", *one)
    unsaid = replace(layout_of(*four), machines=(None, Processors("z16 A01")))
    assert ends_at(make_plan(unsaid)) == on_machines("z16 A01", *four)


def test_without_machines_and_at_a_site_nothing_is_said_of_it() -> None:
    layout = layout_of((8.0, 4))
    assert ends_at(make_plan(layout)) == ""
    on = replace(layout, machines=(Processors("z14"), Processors("z14")))
    assert ends_at(make_plan(on)) != ""
    assert ends_at(make_plan(replace(on, site=SiteProfile("A", {}, (), 1, "")))) == ""


def test_a_lock_s_speed_is_said_to_be_a_z10_s_or_the_machine_s() -> None:
    layout = layout_of((8.0, 4))
    first, second = layout.nodes
    on = replace(layout, machines=(None, Processors("z14")))
    here, there = (resource_known(Resource(RECEIVE, node), [on]) for node in (first, second))
    assert "a z10's" in here
    assert there == "its speed is the middle of what is likely of z14"
