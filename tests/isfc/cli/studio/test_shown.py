"""What is found, on the page: the answer first."""

import pytest

import isfc
from isfc.answers.cluster import cluster_report
from isfc.cli.html import moves
from isfc.cli.html.losses import losses_panel
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.sharing import carried_by
from isfc.reports.html import section
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import Carried, EndRate
from scenarios.moves.guest_memory import GuestMemory
from scenarios.runs.channel_busy import ChannelBusy
from scenarios.runs.cluster_shared import ChannelResult
from scenarios.runs.load import STATED
from scenarios.runs.steady import Rate


def test_guest_that_is_not_moved_has_its_reason_its_range_and_what_would_move_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(moves, "moving_line", lambda _: "Moving is limited.")  # takes runs
    guest = GuestMemory(size=2**24, change_rate=2**32)
    outcome = isfc.relocate("published-1", guest, max_quiesce=0.1)
    page = moves.moves_panel(outcome)
    assert page.startswith(
        '<p class="answer"><strong>GUEST was not moved: MAXQUIESCE exceeded after 0.10 s stopped; '
        "the guest stays on CLIENT.</strong> Range: "
    )
    (would,) = outcome.advice
    assert would is not None
    assert f"or MAXQUIESCE {would.max_quiesce_s}, or {would.channels} channels.</p>" in page
    assert '<p class="answer"><strong></strong> Moving is limited.</p>' in page
    passes = outcome.guests[0].passes
    assert page.count("<tr><td>") == len(passes)
    assert f"<td>{passes[-1].begin_ns / 1e9:.2f}</td>" in page


def test_links_together_begin_with_the_link_that_keeps_least() -> None:
    links = Collection.of(load_layout("published-4"))
    alone = EndRate(Rate(100.0, 1.0)), EndRate(Rate(110.0, 1.0))
    plans = tuple(
        LinkPlan(
            name, (), alone, (EndRate(Rate(kept, 1.0)), alone[1]), links_rate(kept, links.links)
        )
        for name, kept in (("AA-BB", 90.0), ("AA-CC", 40.0))
    )
    channel, *_ = carried_by(links)
    profile = links.links[0].fibres[0].profile
    busy = ChannelResult((), channel, profile, ChannelBusy(data=0.97))
    plan = ClusterPlan(plans, Carried(links, STATED, channels=(busy,)))
    page = section(cluster_report(plan, ()))
    assert "<strong>Keeps least:</strong> AA-CC: 40 % of what it carries alone</p>" in page
    assert "<strong>Busiest:</strong> chpid 40 at CLIENT, 97 %</p>" in page
    assert "A range holds in four of five cases, by " in page


def test_losses_of_a_cluster_begin_with_the_piece_whose_loss_leaves_least() -> None:
    """A CEC takes its systems along, whatever their links are."""
    page = losses_panel(load_collection("two-cecs"), "", (), None)
    assert page.startswith('<p class="answer"><strong>Worst:</strong> director 1: 43 % is left, ')
    assert "<td>all: 4 of 8</td>" in page
    assert "<td>CEC EAST</td><td>17</td>" in page
