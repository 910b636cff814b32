"""What ``isfc optimise`` shows: the best, of one link or several, beside what was given."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Final

from rich.console import RenderableType

from ctc.address import format_chpid, format_rdev
from isfc.answers.advice import two_paces
from isfc.cli.output.curves import axis, marks, nominal
from isfc.cli.output.picture import Spec, picture
from isfc.deck.export import activation_text
from isfc.layout.layout import CtcPair, Fibre, Layout
from isfc.layout.note import Note
from isfc.layout.rules.book import find_all
from isfc.layout.write import format_rdevs
from isfc.link.name import NodeName
from isfc.reports.ranges import factor_line, range_note
from isfc.reports.table import apart, plain_table
from isfc.reports.units import range_of
from isfc.search.objective import Objective
from isfc.search.result import Contender, Move, SearchResult, Task, by_objective
from scenarios.runs.notes import cluster_notes, run_notes
from scenarios.runs.published_range import beyond_measured_run

_UNDEFINED: Final = "!"
"""Marks CTCs that the layout given does not have."""


def found_page(found: SearchResult, task: Task) -> RenderableType:
    """The best, beside what was given; how much was looked at; what to do."""
    several = len(task.objectives) > 1
    objectives = task.scoring.objectives
    scores = (heading for one in objectives for heading in (f">{one.value}", ">+-%"))
    links = (f">{name}" for name in task.links)
    ahead = (">ahead", "~odds")
    table = plain_table(">" if task.links else "", *scores, *ahead, *links, gap=1, no_wrap=True)
    if not task.links:
        table.add_column("CTCs by fibre, down the device list")
    front = found.front if several else ()
    rows = [(f"{n}{'*' * (one in front)}", one) for n, one in enumerate(found.best, start=1)]
    for name, one in (*rows, ("given", found.given)):
        ahead = ("", "") if one is found.given else _sure_ahead(one, found.given)
        table.add_row(name, *_figures(one), *ahead, *_placed(one, found, task))
    sure = how_sure([one for _, one in rows], found.given, task)
    lead = f"{_verdict(found, task)}\n\n{_heading(task)}"
    parts: list[RenderableType] = [lead, table, sure, _known(found, task)]
    parts.append(_looked_at(found, task))
    if several:
        parts.append("* no other layout is better at all of the objectives.")
    if not task.links and any(undefined(one.layout, found.given.layout) for one in found.best):
        parts.append(f"{_UNDEFINED} CTCs that are not defined so: they need a change of the IODF.")
    notes = [note.text for note in found_notes(found, task)]
    if task.links:
        moved = "\n".join(_moved(found))
        return apart([*parts, *([moved] if moved else []), *notes])
    return apart([*parts, *notes, *_answers(found)])


def _verdict(found: SearchResult, task: Task) -> str:
    """Whether there is anything to gain, and what that takes."""
    best, given = found.best[0], found.given
    one = best if task.links or best.gains(found.defined) else found.defined
    if one.gains(given):
        return f"Best: {_over(one, found, task)}; below is what to change."
    if best.rates[0].is_ahead(given.rates[0]):
        return f"Open: the best is {_over(best, found, task)}. So far neither is ahead."
    what = (
        "no candidate"
        if task.links
        else "neither another choice of the devices that are defined nor a change of the IODF"
    )
    return f"Nothing to gain: {what} is ahead of the layout given."


def _over(one: Contender, found: SearchResult, task: Task) -> str:
    """How far a layout is ahead of the one given, how surely, and what it takes."""
    is_new = task.links or undefined(one.layout, found.given.layout)
    needs = "a change of the IODF" if is_new else "the devices that are defined"
    ahead, odds = _sure_ahead(one, found.given)
    return f"{ahead} over the layout given, odds {odds}, with {needs}"


def _heading(task: Task) -> str:
    """What runs, and of how many runs the figures are."""
    scoring = task.scoring
    if task.links:
        loads = ", ".join(map(str, scoring.load.traffic)) or scoring.load.words
        return f"{loads}; MB/s of the slower direction, mean of {task.seeds} seeds"
    load = f"{scoring.load.workload.name}, {scoring.load.pairs} pairs, {task.ctcs} CTCs"
    return f"{load}; MB/s one way, mean of {task.seeds} seeds"


def _known(found: SearchResult, task: Task) -> str:
    """Which runs the figures are of, how far they are known, and what has two paces."""
    relocated = Objective.RELOCATION in task.objectives
    steady = "until what they carry was steady" + ", or one relocation" * relocated
    names = [*task.scoring.objectives, *task.links]
    rows = [*((str(n), one) for n, one in enumerate(found.best, start=1)), ("given", found.given)]
    paces = two_paces(
        (f"{row} {name}", rate)
        for row, one in rows
        for name, rate in zip(names, (*one.rates, *one.links.values()), strict=True)
    )
    return (
        f"Each figure is of runs {steady}; +-% is how far it is known, by their batches and seeds. "
        f"The search before that ran each candidate once, "
        f"for {task.scoring.seconds:g} s of virtual time. {paces}"
    ).strip()


def _placed(one: Contender, found: SearchResult, task: Task) -> list[str]:
    """What each of several links carries, or where the CTCs of one are."""
    if task.links:
        return [f"{rate.mb_per_s:.1f}" for rate in one.links.values()]
    return [_order(one.layout, found.given.layout)]


def _moved(found: SearchResult) -> Iterator[str]:
    """What to do with several links: a line for CTCs that leave one fibre for another."""
    if not found.best[0].gains(found.given):
        return
    yield "What moves with the first; device numbers stay, the IODF changes:"

    def way(move: Move) -> tuple[str, str, str]:
        return move.link.name, move.before.name, move.after.name

    for _, group in groupby(sorted(found.moves, key=way), key=way):
        moves = list(group)
        devices = " = ".join(
            f"{node} {format_rdevs(move.rdevs[end] for move in moves)}"
            for end, node in enumerate(moves[0].link.nodes)
        )
        yield f"  {devices}: chpids {_chpids(moves[0].before)} to {_chpids(moves[0].after)}"


def _chpids(fibre: Fibre) -> str:
    return "-".join(map(format_chpid, fibre.chpids))


def written(found: SearchResult) -> str:
    """What ``-o`` writes of what was found: ``first`` of the table, ``defined`` or ``given``."""
    if found.proposed is found.best[0]:
        return "first"
    return "given" if found.proposed is found.given else "defined"


_WRITTEN: Final = {
    "first": "the first of the table",
    "defined": "the best choice of the devices that are defined",
    "given": "the layout given, as there is nothing to gain",
}


def written_line(file: Path | None, which: str) -> Iterator[str]:
    """What is in the file that was written, if one was."""
    if file is not None:
        yield f"\nWritten to {file}: {_WRITTEN[which]}."


def _answers(found: SearchResult) -> Iterator[str]:
    """What to do: with the devices that are defined, and with a change of the IODF."""
    best, defined, given = found.best[0], found.defined, found.given
    if defined is given and not best.gains(given):
        return
    if defined is given:
        yield (
            "With the devices that are defined there is nothing to gain: no choice of them is "
            "ahead of the layout given."
        )
    else:
        ahead, ctcs = ", odds ".join(_sure_ahead(defined, given)), len(defined.layout.ctcs)
        yield (
            f"With the devices that are defined {defined.rates[0].mb_per_s:.1f} MB/s ({ahead}) are "
            f"carried by {ctcs} CTCs: {_order(defined.layout, given.layout)}."
        )
        yield from _rules(defined, given)
        yield from _statements(defined.layout, given.layout)
    if not undefined(best.layout, given.layout):
        if best.gains(defined):
            yield "The first of the table needs no change of the IODF."
            yield from _rules(best, given)
            yield from _statements(best.layout, given.layout)
        return
    if not best.gains(defined):
        yield (
            "A change of the IODF gains nothing more: as far as spread and odds tell, the first of "
            "the table is not ahead of that."
        )
        return
    yield "With a change of the IODF, the first of the table:"
    yield from _rules(best, given)
    yield from _statements(best.layout, given.layout)
    changes = definition_changes(given.layout, best.layout)
    yield f"What changes in the IODF and in the cabling: {'; '.join(changes)}."


def _rules(one: Contender, given: Contender) -> Iterator[str]:
    """How findings of ``isfc check`` differ from those of the layout given, if they do."""
    changes = rule_changes(one, given)
    gone = [change[1:] for change in changes if change.startswith("-")]
    come = [change[1:] for change in changes if change.startswith("+")]
    if gone:
        yield f"'isfc check' then no longer finds: {', '.join(gone)}."
    if come:
        yield f"'isfc check' then finds, other than now: {', '.join(come)}."


def found_notes(found: SearchResult, task: Task) -> tuple[Note, ...]:
    """The notes of the figures of the best, which are those of its runs."""
    if task.links:
        return cluster_notes(task.collection)
    best, scoring = found.best[0].layout, task.scoring
    own = replace(best, site=task.layout.site, notes=task.layout.notes)
    return run_notes(own, scoring.load.workload, scoring.load.pairs)


def beyond_found(found: SearchResult, task: Task) -> list[str]:
    """What of the best layout and its load no published figure identifies."""
    load = task.scoring.load
    return beyond_measured_run(found.best[0].layout, load.workload, load.pairs)


def definition_changes(given: Layout, proposed: Layout) -> list[str]:
    """The device numbers of a proposal that are defined nowhere in the layout given, or elsewhere.

    As ``5002 at DALLAS is new``; ``5001 at DALLAS goes from chpid 40 to 41``.
    """
    changes = []
    for end, node in enumerate(given.nodes):
        defined = {ctc.rdevs[end]: ctc.fibre.chpids[end] for ctc in given.ctcs}
        for ctc in proposed.device_list():
            rdev, chpid = ctc.rdevs[end], ctc.fibre.chpids[end]
            if rdev not in defined:
                changes.append(f"{format_rdev(rdev)} at {node} is new")
            elif defined[rdev] != chpid:
                changes.append(
                    f"{format_rdev(rdev)} at {node} goes from chpid "
                    f"{format_chpid(defined[rdev])} to {format_chpid(chpid)}"
                )
    return changes


def undefined(proposed: Layout, given: Layout) -> tuple[CtcPair, ...]:
    """The CTCs of a proposal, down its device list, that the layout given does not have."""
    return tuple(ctc for ctc in proposed.device_list() if ctc not in given.ctcs)


def activation_lines(proposed: Layout, given: Layout, node: NodeName) -> dict[str, list[str]]:
    """ACTIVATE ISLINK at a node: ``now`` for CTCs that are defined, ``after_iodf`` for others."""
    new = undefined(proposed, given)
    parts = {"now": tuple(c for c in proposed.device_list() if c not in new), "after_iodf": new}
    return {
        when: activation_text(replace(proposed, ctcs=ctcs), node).splitlines() if ctcs else []
        for when, ctcs in parts.items()
    }


def left_out(proposed: Layout, given: Layout, node: NodeName) -> list[str]:
    """The device numbers of the layout given that a proposal does not have, at a node."""
    end = given.nodes.index(node)
    wanted = {ctc.rdevs[end] for ctc in proposed.ctcs}
    return [
        format_rdev(ctc.rdevs[end]) for ctc in given.device_list() if ctc.rdevs[end] not in wanted
    ]


def _statements(proposed: Layout, given: Layout) -> Iterator[str]:
    """The commands that activate a layout, for each system; apart those that need the IODF."""
    for node in proposed.nodes:
        lines = activation_lines(proposed, given, node)
        text = [f"On {node}:", *lines["now"]]
        if lines["after_iodf"]:
            text += ["and once the IODF has them:", *lines["after_iodf"]]
        if gone := left_out(proposed, given, node):
            text.append(f"without {' '.join(gone)}")
        yield "\n".join(text)


def _figures(one: Contender) -> list[str]:
    """Score and spread of each objective."""
    return [
        text
        for rate in one.rates
        for text in (f"{rate.mb_per_s:.1f}", f"{rate.spread_percent:.1f}")
    ]


def _ahead(one: Contender, given: Contender) -> str:
    """By how much it is ahead of the layout given, at the first objective."""
    ours, theirs = one.rates[0].mb_per_s, given.rates[0].mb_per_s
    return f"{(ours / theirs - 1) * 100:+.1f} %" if theirs else "-"


def _sure_ahead(one: Contender, given: Contender) -> tuple[str, str]:
    """The same, and the odds that it is so on real hardware."""
    return _ahead(one, given), str(one.odds_over(given))


def _order(layout: Layout, given: Layout) -> str:
    """``1x4 2x4! 1x1``: the fibres down the device list, and how many CTCs of each follow.

    ``!`` is behind CTCs that the layout given does not have.
    """
    new = undefined(layout, given)
    names = [(ctc.fibre.name, _UNDEFINED * (ctc in new)) for ctc in layout.device_list()]
    return " ".join(f"{name}x{len([*run])}{mark}" for (name, mark), run in groupby(names))


def _looked_at(found: SearchResult, task: Task) -> str:
    if task.links:
        return f"Candidates simulated: {found.simulated_count}."
    of_all = "more than can be counted" if found.candidate_count is None else found.candidate_count
    return (
        f"Candidates: {of_all}; left out by the rule of thumb: {found.screened_count}; "
        f"simulated: {found.simulated_count}. Choices of defined devices that were simulated: "
        f"{found.defined_count}."
    )


def rule_changes(one: Contender, given: Contender) -> list[str]:
    """The rules of ``isfc check`` that fire no more (-) or newly (+), against the layout given."""
    here, there = ({f.rule.id for f in find_all(c.layout)} for c in (one, given))
    gone = [f"-{name}" for name in sorted(there - here)]
    return [*gone, *(f"+{name}" for name in sorted(here - there))]


def front_picture(found: SearchResult, task: Task) -> Spec:
    """What was found by its first two objectives, with ranges; the front is joined."""

    def scored(of: str, ones: Iterable[Contender]) -> list[Spec]:
        return [{"of": of, "x": x, "y": y} for x, y, *_ in map(by_objective, ones)]

    points = scored("found", found.best)
    for point, one in zip(points, found.best, strict=True):
        for way, within in zip("xy", one.figures, strict=False):
            point |= {f"{way} from": within.ends.low, f"{way} to": within.ends.high}
    first, second = task.objectives[:2]
    x = axis("x", f"{first}, MB/s; bars: four of five cases", zero=False)
    y = axis("y", f"{second}, MB/s", zero=False)
    names = ("found", "front", "given")
    where = {"x": x, "y": y, "color": nominal("of", names)}
    level = {**where, "x": {**x, "field": "x from"}, "x2": {"field": "x to"}}
    upright = {**where, "y": {**y, "field": "y from"}, "y2": {"field": "y to"}}
    shaped = {**where, "shape": nominal("of", names, ("circle", "M-1,-.2H1V.2H-1Z", "square"))}
    layer = [
        *(marks("rule", points, ends, opacity=0.5) for ends in (level, upright)),
        marks("line", scored("front", found.front), where),
        marks("point", [*points, *scored("given", [found.given])], shaped, filled=True, size=40),
    ]
    return picture(f"What was found: {second} over {first}", layer=layer)


def how_sure(rows: Sequence[Contender], given: Contender, task: Task) -> str:
    """Of the first of the table and of the layout given, and of all figures, in sentences."""
    first, second = (each.figures for each in (rows[0], given))
    said = "; ".join(
        f"{objective.value} {range_of(ours)}, given {range_of(theirs)}"
        for objective, ours, theirs in zip(task.scoring.objectives, first, second, strict=True)
    )
    every = [within for each in rows for within in each.figures]
    return (
        f"Range of the first: {said} MB/s; of each figure {factor_line(every)}. "
        f"{range_note(every)} odds: in how many of such choices it is ahead of the layout "
        "given on real hardware too."
    )
