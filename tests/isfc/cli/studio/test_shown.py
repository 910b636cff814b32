"""What is found, on the page: the answer first."""

import pytest

import isfc
from isfc.answers.moves_report import relocate_report
from isfc.answers.plan_links import planned_together
from isfc.answers.plan_links_report import cluster_report
from isfc.layout.catalogue import given_collection
from isfc.layout.sharing import carried_by
from isfc.reports.html import section
from isfc.reports.report import report_of
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import Carried, EndRate
from scenarios.moves.guest import GuestMemory
from scenarios.runs.channels import ChannelBusy, ChannelResult
from scenarios.runs.experiment import STATED
from scenarios.runs.steady import Rate


@pytest.mark.at_length
def test_guest_that_is_not_moved_has_its_reason_and_what_would_move_it() -> None:
    memory = GuestMemory(size=2**24, change_rate=2**32)
    guest = isfc.GuestPlan("GUEST", memory, isfc.Limits(max_quiesce=0.1))
    found = isfc.relocate("published-1", guest)
    page = section(relocate_report(found))
    assert page.startswith(
        '<p class="answer"><strong>Not moved:</strong> GUEST stays on CLIENT: stopped for longer '
        "than MAXQUIESCE, 0.1 s, with "
    )
    (moved,) = found.guests
    would = moved.would_move
    assert would is not None
    assert f"or MAXQUIESCE {would.max_quiesce_s}, or {would.channels} channels.</p>" in page
    table = page.partition("<caption>Passes over memory</caption>")[2].partition("</table>")[0]
    assert table.count("<tr><td>") == len(moved.passes)
    assert f"<td>{moved.passes[-1].begin_ns / 1e9:.2f}</td>" in table


def test_links_together_begin_with_the_link_that_keeps_least() -> None:
    links = given_collection("two-cecs")
    alone = EndRate(Rate(100.0, 1.0)), EndRate(Rate(110.0, 1.0))
    plans = tuple(
        LinkPlan(
            link.name, (), alone, (EndRate(Rate(kept, 1.0)), alone[1]), links_rate(kept, [link])
        )
        for link, kept in zip(links.links, (90.0, 40.0), strict=False)
    )
    channel, *_ = carried_by(links)
    profile = links.links[0].fibres[0].profile
    busy = ChannelResult((), channel, profile, ChannelBusy(data=0.97))
    plan = ClusterPlan(plans, Carried(links, STATED, channels=(busy,)))
    page = section(cluster_report(planned_together(plan)))
    assert "<strong>Keeps least:</strong> ALPHA-DELTA: 40 % of what it carries alone</p>" in page
    assert "<strong>Busiest:</strong> the channel ALPHA 40 = BETA 40, 97 %</p>" in page
    assert "A range holds in four of five cases, by " in page


def test_losses_of_a_cluster_begin_with_the_piece_whose_loss_leaves_least() -> None:
    """A CEC takes its systems along, whatever their links are."""
    page = section(report_of(isfc.losses(given_collection("two-cecs"), rule=True)))
    assert page.startswith('<p class="answer"><strong>Worst:</strong> director 1: 43 % is left, ')
    assert "<td>each: 4 of 8</td>" in page
    assert "<td>CEC EAST</td><td>~17</td>" in page
