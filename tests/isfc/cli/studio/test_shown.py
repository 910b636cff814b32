"""What commands print as JSON, on the page: the answer first."""

from typing import Any

from isfc.cli.studio import shown


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
    page = shown.relocation({**way, "guests": [guest], "ranges": None})
    assert page.startswith(
        '<p class="answer"><strong>GUEST is not moved: it was stopped for longer than 10 s '
        "(MAXQUIESCE), and stays on AA.</strong> It was given up after 114.30 s. By the rules it "
        "would be moved with at most 328 MB/s of change, or MAXQUIESCE 15.</p>"
    )


def test_links_together_begin_with_the_link_that_keeps_least() -> None:
    within = {"likely": [1.0, 300.0], "sure": [0.0, 400.0], "basis": "four of five cases; from 9"}
    links = [
        {
            "link": name,
            "alone_mb_per_s": [100.0, 100.0],
            "together_mb_per_s": [kept, kept],
            "together_range": within,
        }
        for name, kept in (("AA-BB", 90.0), ("AA-CC", 40.0))
    ]
    busy = {"name": "AA 40", "mb_per_s_out": 1.0, "mb_per_s_in": 2.0, "busy_percent": 97.0}
    page = shown.together({"together": links, "channels": [busy], "paths": []})
    assert page.startswith(
        '<p class="answer"><strong>With all links at work AA-CC keeps 40 % of what it carries.'
        "</strong> Busiest: AA 40, 97 %.</p>"
    )
    assert "A range holds in four of five cases, by 9." in page


def test_losses_of_a_cluster_begin_with_the_piece_whose_loss_leaves_least() -> None:
    """A CEC takes its systems along, whatever their links are."""

    def lost(kind: str, name: str, cut: list[str], rate: float) -> dict[str, Any]:
        return {
            "kind": kind,
            "name": name,
            "cut": cut,
            "fewer": [["AA-BB", 2, 4]],
            "mb_per_s": rate,
            "left_share": rate / 600,
            "text": f"{name}: so much is left.",
        }

    losses = [
        lost("channel", "the channel AA 40", [], 550.0),
        lost("director", "director 1", ["AA-CC"], 500.0),
        lost("cec", "CEC EAST", ["AA-CC", "AA-BB"], 0.0),
    ]
    page = shown.cluster_losses({"losses": losses})
    answer = "<strong>Worst: director 1 gone.</strong> so much is left. Down: AA-CC.</p>"
    assert page.startswith(f'<p class="answer">{answer}')
    assert "<td>AA-BB 2 of 4</td>" in page


def test_links_that_share_nothing_have_their_losses_each() -> None:
    rates = {"AA": 100.0, "BB": 90.0}
    whole: dict[str, Any] = {
        "kind": None, "gone": {}, "ctcs_left": 2, "estimated_mb_per_s": rates,
        "simulated_mb_per_s": None, "simulated_range": None, "left_share": None,
        "left_share_range": None, "limits": None, "notes": [],
    }  # fmt: skip
    lost = {**whole, "kind": "chpid", "gone": {"AA": "40", "BB": "50"}, "ctcs_left": 1}
    lost |= {"left_share": 0.5, "text": "chpid 40 (50): 50 % is left."}
    page = shown.cluster_losses({"links": [[whole, lost], [whole, lost]]})
    assert page == 2 * shown.losses([whole, lost])
    assert shown.together({"links": []}).startswith('<p class="answer"><strong>No two links share')
