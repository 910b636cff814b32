"""What ``isfc optimise`` shows of several links: the best places of all CTCs, and what moves."""

from collections.abc import Iterator
from itertools import groupby

from rich.console import Group, RenderableType

from ctc.address import format_chpid
from isfc.cli.output.notes import note_lines
from isfc.cli.output.table import plain_table
from isfc.layout.layout import Fibre
from isfc.layout.write import format_rdevs
from isfc.search.together import LinksFound, LinksTask, Move
from scenarios.notes import cluster_notes


def links_found_page(found: LinksFound, task: LinksTask) -> RenderableType:
    """The best beside the collection given, what moves, how much was looked at."""
    table = plain_table(gap=1)
    for heading in ("", task.objective.value, "+-%", "ahead", *found.given.links):
        table.add_column(heading, justify="right", no_wrap=heading in ("", "+-%", "ahead"))
    rows = [(str(number), one) for number, one in enumerate(found.best, start=1)]
    for name, one in (*rows, ("given", found.given)):
        ahead = 100 * (one.score / found.given.score - 1) if found.given.score else 0.0
        table.add_row(
            name,
            f"{one.score:.1f}",
            f"{one.spread_percent:.1f}",
            "" if one is found.given else f"{ahead:+.1f}%",
            *(f"{figure:.1f}" for figure in one.links.values()),
        )
    loads = ", ".join(map(str, task.loads))
    parts: list[RenderableType] = [
        f"{loads}; MB/s both ways, mean of {task.seeds} seeds",
        "",
        table,
        "",
        f"Candidates simulated: {found.simulated_count}.",
        "",
    ]
    if found.best[0].gains(found.given):
        parts += ["What moves with the first; device numbers stay, the IODF changes:"]
        parts += [*move_lines(found)]
    else:
        parts += ["Nothing to gain: no candidate is ahead by more than seeds differ."]
    return Group(*parts, *note_lines(cluster_notes(task.collection)))


def move_lines(found: LinksFound) -> Iterator[str]:
    """A line for CTCs of a link that leave one fibre for another."""

    def way(move: Move) -> tuple[str, str, str]:
        return move.link.name, move.before.name, move.after.name

    for _, group in groupby(sorted(found.moves, key=way), key=way):
        moves = list(group)
        link = moves[0].link
        devices = " = ".join(
            f"{node} {format_rdevs(move.rdevs[end] for move in moves)}"
            for end, node in enumerate(link.nodes)
        )
        yield f"  {devices}: chpids {_chpids(moves[0].before)} to {_chpids(moves[0].after)}"


def _chpids(fibre: Fibre) -> str:
    return "-".join(map(format_chpid, fibre.chpids))
