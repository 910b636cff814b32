"""What is found, on the page: the answer first."""

from isfc.cli.html.cluster import together_shown
from isfc.cli.html.losses import losses_panel
from isfc.cli.studio import shown
from isfc.layout.catalogue import load_collection, load_layout
from isfc.layout.collection import Collection
from isfc.layout.sharing import carried_by
from scenarios.figures.cluster_plan import ClusterPlan, LinkPlan
from scenarios.figures.ranges import links_rate
from scenarios.figures.rates import Carried, EndRate
from scenarios.runs.channel_busy import ChannelBusy
from scenarios.runs.cluster_shared import ChannelResult
from scenarios.runs.load import STATED
from scenarios.runs.steady import Rate


def test_guest_that_is_not_moved_has_its_reason_and_what_would_move_it() -> None:
    would = {"change_bytes_per_s": 328 << 20, "max_quiesce_s": 15, "channels": None}
    guest = {
        "name": "GUEST",
        "moved": False,
        "end": "max-quiesce",
        "max_quiesce_s": 10.0,
        "seconds": 114.3,
        "quiesced_seconds": 10.0,
        "would_move": {**would, "max_total_s": None},
        "passes": [],
    }
    way = {"source": "AA", "destination": "BB", "seconds": 114.3}
    page = shown.relocation({**way, "guests": [guest], "ranges": None, "notes": []})
    assert page.startswith(
        '<p class="answer"><strong>GUEST is not moved: it was stopped for longer than 10 s '
        "(MAXQUIESCE), and stays on AA.</strong> It was given up after 114.30 s. By the rules it "
        "would be moved with at most 328 MB/s of change, or MAXQUIESCE 15.</p>"
    )


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
    page = together_shown(plan, ())
    assert page.startswith(
        '<p class="answer"><strong>With all links at work AA-CC keeps 40 % of what it carries.'
        "</strong> Busiest: chpid 40 at CLIENT, 97 %.</p>"
    )
    assert "A range holds in four of five cases, by " in page


def test_losses_of_a_cluster_begin_with_the_piece_whose_loss_leaves_least() -> None:
    """A CEC takes its systems along, whatever their links are."""
    page = losses_panel(load_collection("two-cecs"), "", (), None)
    assert page.startswith('<p class="answer"><strong>Worst:</strong> director 1: 43 % is left, ')
    assert "<td>all: 4 of 8</td>" in page
    assert "<td>CEC EAST</td><td>17</td>" in page
