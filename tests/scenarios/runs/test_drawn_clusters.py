"""What holds for any cluster: 50 drawn ones in every run, 500 in the long form.

Tables in another order and other names change no figure; an idle link, or one that shares nothing,
changes none of another link's, to the last byte. Nothing is busy for more than all of the time.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from ctc.features import ChpidProfile
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection, parse_layout
from isfc.layout.layout import Layout
from isfc.layout.loss import collection_without, known_pieces, losses
from isfc.layout.sharing import carried_by
from isfc.reports.figure import NoteKind
from scenarios.faults.fault import parse_faults
from scenarios.runs.experiment import Experiment
from scenarios.runs.notes import run_notes
from scenarios.runs.result import MIB, EndSamples, Result
from scenarios.runs.run import Outcome
from scenarios.runs.run import run as run_experiment
from scenarios.runs.workload import SUITES, load_of
from tests.drawn_clusters import DrawnCluster, draw_cluster
from tests.layouts import mesh

NAMES: Final = dict(
    zip(
        (f"SYS{number}" for number in range(6)),
        ("ZEBRA", "Z0", "Z1", "0A", "00", "1"),  # in EBCDIC's order, not in ASCII's
        strict=True,
    )
)
GAIN_MAX: Final = 1.05
"""What is no gain may come to so much more, within what two runs of 0.3 s differ by."""

STEP_MAX: Final = 1.15
"""A busy neighbour, or 10 km more, may make a link faster by so much over longer runs, and seldom
does: of 500 drawn clusters, one of 634 links beside others by more than 5 % (8), and four clusters
over 10 km more (6 to 13). `has_reason` has why."""

SEEDS: Final = [
    pytest.param(range(5), id="0-"),
    pytest.param(range(5, 25), id="5-", marks=pytest.mark.exhaustive),
    *(
        pytest.param(range(first, first + 25), id=f"{first}-", marks=pytest.mark.exhaustive)
        for first in range(25, 500, 25)
    ),
]


def run(drawn: DrawnCluster, text: str | None = None) -> Outcome:
    return run_experiment(experiment(drawn, text))


def experiment(drawn: DrawnCluster, text: str | None = None) -> Experiment:
    collection = parse_collection(drawn.text() if text is None else text)
    loads = tuple(map(load_of, collection.traffic))
    return Experiment(collection, loads, seconds=0.3, warmup=0.1)


def run_longer(drawn: DrawnCluster) -> list[Outcome]:
    longer = replace(experiment(drawn), seconds=3.0, warmup=1.0)
    return [run_experiment(replace(longer, seed=seed)) for seed in (1, 2, 3)]


def figures(result: Outcome) -> dict[str, tuple[EndSamples, EndSamples]]:
    return {link.experiment.layout.name: (link.client, link.server) for link in result.links}


def rates(result: Outcome) -> list[float]:
    return [link.client.whole.result.mb_per_s for link in result.links]


@pytest.mark.slow
@pytest.mark.at_length
@pytest.mark.parametrize("seeds", SEEDS)
def test_drawn_clusters_keep_what_holds_for_any(seeds: range) -> None:
    for seed in seeds:
        drawn = draw_cluster(seed)
        found = run(drawn)
        assert run(drawn) == found, f"cluster {seed} differs when it is run again"
        check_ways_of_writing(seed, drawn, found)
        check_sums(seed, found)
        check_ceilings(seed, found)
        check_neighbours(seed, drawn, found)
        check_fibres(seed, drawn, found)


@pytest.mark.parametrize("seeds", SEEDS)
def test_a_piece_that_drawn_clusters_lose_is_one_piece(seeds: range) -> None:
    """By any of its names, in plans, in tables of losses and in faults, it takes the same CTCs."""
    for seed in seeds:
        collection = parse_collection(draw_cluster(seed).text())
        whole = [loss for loss in losses(collection) if loss.kind == "chpid"]
        for channel in carried_by(collection):
            names = [str(end).replace(" ", ":") for end in channel]
            lefts = [collection_without(collection, [name]) for name in names]
            assert all(left == lefts[0] for left in lefts), f"cluster {seed}: {names}"
            left = lefts[0]
            assert channel not in carried_by(left)
            (loss,) = {loss.fewer: loss for loss in whole if loss.rest == left}.values()
            counts = {link.name: len(link.ctcs) for link in left.links}
            assert all(counts[name] == few for name, few, _ in loss.fewer)
            for name in names:
                varied = collection_without(collection, [f"vary:{name}"])
                assert ctcs(varied) >= ctcs(left)
        for name in known_pieces(collection.links, collection.cecs):
            if not name.startswith("isl:"):
                file = f'[[fault]]\nat = "1ms"\nkind = "piece lost"\npiece = "{name}"\nfor = "1ms"'
                (fault,) = parse_faults(file.encode(), collection, collection.systems[0], 9 * 10**6)
                left = collection_without(collection, [name])
                assert len(fault.places) == len(ctcs(collection)) - len(ctcs(left))


def ctcs(collection: Collection) -> set[tuple[object, ...]]:
    return {(link.nodes, ctc.rdevs) for link in collection.links for ctc in link.ctcs}


def check_ways_of_writing(seed: int, drawn: DrawnCluster, found: Outcome) -> None:
    """Neither the order of tables nor the names of systems matter, but for EBCDIC's order."""
    shuffled = drawn.text(Random(seed))
    assert figures(run(drawn, shuffled)) == figures(found), f"cluster {seed}: order of tables"
    renamed = run(drawn, drawn.text(names=NAMES))
    assert rates(renamed) == rates(found), f"cluster {seed}: names of systems"


def check_sums(seed: int, found: Outcome) -> None:
    """Systems carry what links do, and links what moves over shared channels and their lines."""
    ends = [end for system in found.systems.values() for end in system]
    assert sum(end.mb_per_s_out for end in ends) == pytest.approx(
        sum(seen.whole.result.mb_per_s_out for link in figures(found).values() for seen in link)
    )
    for channel in found.channels:
        out = sum(share.mb_per_s_out for share in channel.shares)
        assert channel.mb_per_s_out == pytest.approx(out), f"cluster {seed}: {channel.name}"
        moved = found.busy(map(str, channel.channel))
        fibres = found.experiment.collection.fibre_ends(channel.channel)
        lines = [line_mb_per_s(fibre.line_profile) for _, fibre, _ in fibres]
        carried = [channel.mb_per_s_out, channel.mb_per_s_in]
        for busy, mb_per_s in zip((moved.line_out, moved.line_in), carried, strict=True):
            least, most = busy * min(lines) - 0.01, busy * max(lines) + 0.01
            assert least <= mb_per_s <= most, f"cluster {seed}: {channel.name}"


def check_ceilings(seed: int, found: Outcome) -> None:
    """No resource is busy for more than all of the time, and no line carries more than it can."""
    for channel in found.channels:
        line = line_mb_per_s(channel.profile)
        assert max(channel.mb_per_s_out, channel.mb_per_s_in) <= line, f"cluster {seed}: {channel}"
    for link in found.links:
        line = sum(line_mb_per_s(fibre.line_profile) for fibre in link.experiment.layout.fibres)
        seen = link.client.whole.result
        assert max(seen.mb_per_s_out, seen.mb_per_s_in) <= line, f"cluster {seed}: {link}"
    busy = {each.name: each.busy for each in found.channels}
    busy |= {each.name: each.busy for each in found.paths}
    assert all(0.0 <= share <= 1.0 + 1e-9 for share in busy.values()), f"cluster {seed}: {busy}"


def line_mb_per_s(profile: ChpidProfile) -> float:
    return 1e9 / profile.line_ns_per_byte / MIB


def check_neighbours(seed: int, drawn: DrawnCluster, found: Outcome) -> None:
    """An idle link changes nothing, nor one that shares nothing, and a busy one is no gain."""
    loaded = [nodes for nodes in drawn.links if drawn.loaded(nodes)]
    without_idle = figures(run(drawn.only(loaded)))
    assert without_idle == figures(found), f"cluster {seed}: idle links"
    for nodes in loaded:
        name = "-".join(nodes)
        traffic = tuple(load for load in drawn.traffic if {*load[:2]} == {*nodes})
        only = replace(drawn, traffic=traffic)
        alone = run(only)
        if any(drawn.uses(nodes) & drawn.uses(other) for other in loaded if other != nodes):
            if rate(found, name) > GAIN_MAX * rate(alone, name):
                check_gain(f"cluster {seed}: neighbours of {name}", only, drawn, [name])
        else:
            assert figures(found)[name] == figures(alone)[name], f"cluster {seed}: {name}"


def check_fibres(seed: int, drawn: DrawnCluster, found: Outcome) -> None:
    """Longer fibres carry no more, nor does a link that has lost one of its own channels."""
    farther = drawn.farther(10.0)
    if run(farther).mb_per_s > GAIN_MAX * found.mb_per_s:
        names = ["-".join(nodes) for nodes in drawn.links if drawn.loaded(nodes)]
        check_gain(f"cluster {seed}: 10 km more", drawn, farther, names)
    for nodes in drawn.links:
        fibres = [fibre for fibre in drawn.fibres if fibre.nodes == nodes]
        if drawn.loaded(nodes) and len(fibres) > 1 and own_channels(drawn, nodes):
            fewer = rates(run(drawn.without(fibres[0])))
            assert sum(fewer) <= GAIN_MAX * found.mb_per_s, f"cluster {seed}: {nodes}"


def own_channels(drawn: DrawnCluster, nodes: tuple[str, str]) -> bool:
    """Whether each fibre of a link has channels that nothing else uses, and all are alike."""
    ends = Counter(
        drawn.channel(*end)
        for fibre in drawn.fibres
        for end in zip(fibre.nodes, fibre.chpids, strict=True)
    )
    fibres = [fibre for fibre in drawn.fibres if fibre.nodes == nodes]
    return len({(fibre.km, fibre.path) for fibre in fibres}) == 1 and all(
        ends[drawn.channel(*end)] == 1
        for fibre in fibres
        for end in zip(nodes, fibre.chpids, strict=True)
    )


def rate(result: Outcome, name: str) -> float:
    return figures(result)[name][0].whole.result.mb_per_s


def check_gain(what: str, before: DrawnCluster, after: DrawnCluster, names: Sequence[str]) -> None:
    """What gains in a short run does not over longer ones, or by little and with a reason."""
    was, became = run_longer(before), run_longer(after)
    total = [sum(rate(each, name) for each in runs for name in names) for runs in (was, became)]
    assert total[1] <= STEP_MAX * total[0], f"{what}: {total}"
    if total[1] > GAIN_MAX * total[0]:
        gained = [name for name in names if rate(became[0], name) > rate(was[0], name)]
        for name in gained:
            seen = (figures(each[0])[name][0].whole.result for each in (was, became))
            assert has_reason(*seen), f"{what}: {name}"


def has_reason(was: Result, became: Result) -> bool:
    """A delay lets more messages gather in a package, more writes overlap, or fewer collide."""
    return (
        became.messages_per_package_out > 1.1 * was.messages_per_package_out
        or became.rdev_util_percent > 1.1 * was.rdev_util_percent
        or became.collisions_per_s < was.collisions_per_s
    )


@pytest.mark.at_length
def test_longer_fibre_lets_more_messages_gather_in_a_package() -> None:
    """The example of `docs/cluster.md`: 15 pairs of HS on four CTCs over 5 and 10 km."""
    text = mesh(2, shared=False)
    links = [parse_layout(text.replace("[[ctc]]", f"km = {km}\n[[ctc]]")) for km in (5, 10, 0)]
    runs = [
        run_experiment(Experiment.of(link, SUITES["HS"], 15, seconds=0.15, warmup=0.1)).result
        for link in links[:2]
    ]
    assert [round(each.messages_per_package_out) for each in runs] == [10, 15]
    assert [each.mb_per_s for each in runs] == pytest.approx([92, 105], rel=0.02)
    noted = [(link, pairs) for link in links for pairs in (30, 31) if in_step(link, pairs)]
    assert noted == [(link, 30) for link in links[:2]]


def in_step(link: Layout, pairs: int) -> bool:
    notes = run_notes(link, SUITES["HS"], pairs)
    return NoteKind.IN_STEP in [note.kind for note in notes]


@pytest.mark.slow
@pytest.mark.at_length
def test_an_idle_link_over_a_long_fibre_slows_none_on_the_same_two_channels() -> None:
    """Their end had the line of whichever fibre came first, as slow as its credits make it."""
    drawn = draw_cluster(121)
    loaded = [nodes for nodes in drawn.links if drawn.loaded(nodes)]
    assert figures(run(drawn.only(loaded))).items() <= figures(run(drawn)).items()
