"""``isfc collide``: how often writes collide, by the rule that chooses CTCs and by the load."""

from dataclasses import asdict
from typing import Annotated, Any

from isfc.cli.experiments import run_all
from isfc.cli.options.layout import JsonOption, LayoutArgument, LinkOption, open_layout
from isfc.cli.options.number import SEED_MAX, bounded
from isfc.cli.render.collide import collide_page
from isfc.cli.render.notes import note_lines, note_records
from isfc.cli.render.output import show, show_json
from isfc.layout.layout import Layout
from scenarios.collide import (
    LOAD_MAX,
    MESSAGE_LENGTH,
    SEEDS,
    CollisionOutcome,
    CollisionTrial,
    collide,
    mean_outcome,
    trials,
)
from scenarios.notes import layout_notes
from scenarios.repeat import SEEDS_MAX
from scenarios.run import INTERVAL_MIN
from scenarios.warmup import WARMUP
from scenarios.workload import MESSAGE_LENGTH_MAX

STEPS_MAX = 16
SECONDS_MAX = 60.0


def collide_layout(
    layout: LayoutArgument,
    *,
    link_name: LinkOption = None,
    offer_out: Annotated[
        float, bounded("MB/s", 0, LOAD_MAX, "The most that the first system offers.")
    ],
    offer_in: Annotated[
        float, bounded("MB/s", 0, LOAD_MAX, "The most that the second system offers.")
    ],
    steps: Annotated[
        int, bounded("N", 1, STEPS_MAX, "Loads between nothing and the most, each way.")
    ] = 4,
    message: Annotated[
        int, bounded("BYTES", 1, MESSAGE_LENGTH_MAX, "Length of every message.")
    ] = MESSAGE_LENGTH,
    seconds: Annotated[
        float,
        bounded(
            "S",
            INTERVAL_MIN,
            SECONDS_MAX,
            f"Virtual time that each run is measured, after {WARMUP:g} s of warm-up.",
        ),
    ] = 0.5,
    seed: Annotated[int, bounded("N", 0, SEED_MAX, "Seed of when messages are sent.")] = 1,
    seeds: Annotated[
        int,
        bounded(
            "N",
            1,
            SEEDS_MAX,
            "Runs of each figure, with N seeds from --seed on; the mean and how far they differ.",
        ),
    ] = SEEDS,
    json: JsonOption = False,
) -> None:
    """Show how often writes collide, by rule and by offered load.

    Both systems send messages at rates of their own, up to the loads given. ISFC's rule scans the
    CTCs from opposite sides and stops short of the last ones; beside it are rules that stop short
    of 0 to 3, that scan upward at both ends, and that take any CTC that is free.
    """
    link = open_layout(layout, link_name)
    loads = _loads(offer_out, steps), _loads(offer_in, steps)
    planned = trials(link, *loads, seconds, message, range(seed, seed + seeds))
    runs = run_all(collide, planned, None)
    outcomes = [mean_outcome(runs[at : at + seeds]) for at in range(0, len(runs), seeds)]
    if json:
        show_json(collide_record(link, outcomes, planned[0], seeds))
    else:
        show(collide_page(link, outcomes, planned[0], seeds), *note_lines(layout_notes(link)))


def _loads(most: float, steps: int) -> list[float]:
    """So many loads up to the most, in equal steps; one where there is nothing to offer."""
    return sorted({most * step / steps for step in range(1, steps + 1)})


def collide_record(
    layout: Layout, outcomes: list[CollisionOutcome], trial: CollisionTrial, seeds: int
) -> dict[str, Any]:
    """What ``--json`` prints. Names and meanings of the keys stay between releases."""
    first, second = layout.nodes
    return {
        "nodes": {"first": first, "second": second},
        "ctcs": len(layout.ctcs),
        "message": trial.message_length,
        "seconds": trial.seconds,
        "warmup": trial.warmup,
        "seed": trial.seed,
        "seeds": seeds,
        **note_records(layout_notes(layout)),
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }
