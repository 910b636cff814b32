"""What limits, in one line: of what is run, and of both ways."""

from dataclasses import replace

import pytest

from isfc.answers.limit import SEARCHED_SECONDS_MIN, limit_line, limit_lines
from isfc.answers.plan_link import plan_report, planned_by_rule
from isfc.answers.plan_modelled import modelled_link
from isfc.cli.main import run
from isfc.layout.catalogue import load_layout
from isfc.layout.plan import make_plan
from isfc.reports.figure import Figure, Interval, Range, Unit
from scenarios.figures.limit import Limit, Relief, Share
from scenarios.figures.rates import ModelledRate
from scenarios.figures.resources import LINE, RECEIVE, Resource
from scenarios.runs.experiment import SATURATING_PAIRS, one_way
from scenarios.runs.steady import Rate

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
    for figures, begins in ((both, "ATLANTA sending: "), (alike, "nothing ")):
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
    limit = replace(limit, experiment=one_way(fifteen, fifteen.nodes[0], SATURATING_PAIRS))
    assert "; a link has 16 CTCs at most, too few for one more on each" in limit_line(limit, 100)


def test_ways_limited_by_their_chpids_are_alike() -> None:
    line = Share(Resource(LINE), 0.9, 1.0)
    (said,) = limit_lines([limited(0, line), limited(1, replace(line, busy=0.99))])
    assert said.endswith("without this limit, with 500 pairs: 150 (129 to 175) MB/s.")


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize(
    "words",
    [
        ["published-1", "--workload", "HS", "--pairs", "1"],
        ["two-cecs", "--traffic", "ALPHA-BETA:HS:1"],
    ],
)
def test_a_run_says_what_limits_unless_it_is_short(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    for seconds, is_said in ((SEARCHED_SECONDS_MIN, True), (0.1, False)):
        assert run(["run", *words, "--seconds", str(seconds)]) == 0
        assert ("\nLimited by " in capsys.readouterr().out) is is_said
