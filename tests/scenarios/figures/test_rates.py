"""What a link carries while links that its file does not have are busy."""

from math import inf
from types import SimpleNamespace
from typing import Any

import pytest

from isfc.deck.importing import import_iocp
from isfc.layout.build import new
from isfc.layout.capacity import ceiling_mb_per_s, to_count_on
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.reports.figure import NoteKind
from isfc.reports.units import with_unit
from scenarios.figures.rates import Carried, EndRate, ModelledRate, carry, with_others_busy
from scenarios.runs.experiment import STATED, Experiment, in_turn
from scenarios.runs.steady import Rate, SteadyEnds, short_ends
from scenarios.runs.workload import LinkLoad
from scenarios.search.sizing import LostPiece, SizeSearch
from tests.decks import mesh_decks
from tests.layouts import layout_of, mesh
from tests.lengthy import few_in_every_run

TEXTS, PORTS = mesh_decks(("ZVMA", "ZVMC"), ("ZVMB", "ZVMD"))


def imported(partitions: str, texts: list[str], ports: list[str]) -> Collection:
    return import_iocp(texts, partitions=partitions, ports=ports).collection


def said(collection: Collection) -> str:
    """The note of the first link."""
    noted = with_others_busy(collection, collection.links[0], in_turn)
    (note,) = (note for note in noted.notes if note.kind is NoteKind.OTHERS)
    return note.text


SMALL = mesh_decks(("A", "C"), ("B",), chpids=("50",), ctcs=2)
SITES = [(SMALL, "A,B,C", (4, 2)), ((TEXTS, PORTS), "ZVMA,ZVMB,ZVMC,ZVMD", (40, 5))]


@pytest.mark.at_length
@pytest.mark.parametrize(("decks", "every", "counts"), few_in_every_run(SITES))
def test_it_is_what_a_plan_of_all_partitions_says_of_the_link(
    decks: tuple[list[str], list[str]], every: str, counts: tuple[int, int]
) -> None:
    whole = imported(every, *decks)
    pair = imported(",".join(every.split(",")[:2]), *decks)
    (link,) = pair.links
    (together,) = carry([whole], STATED, in_turn)
    ways = (together.ways or {})[link.name]
    here, there = (together.rate_of(link, way) for way in ways)
    assert said(pair) == (
        "By the decks these chpids also carry {} CTCs of {} other links; with those busy it is "
        "about {} from {} and {} from {}, in MB/s, {}."
    ).format(*counts, here, link.nodes[0], there, link.nodes[1], STATED.words)


@pytest.mark.at_length
def test_links_that_are_alike_are_run_once_whatever_they_are_called() -> None:
    links = parse_collection(mesh(3, shared=True, ctcs=1)).links
    made: list[Experiment] = []

    def look(experiment: Experiment) -> SteadyEnds:
        made.append(experiment)
        return short_ends(experiment)

    *_, last = carry([*map(Collection.of, links)], STATED, in_turn, look)
    sending = [each.sending for each in made]
    assert sorted(sending) == sorted([(links[0].nodes,), (links[0].nodes[::-1],)])
    own = [short_ends(run).ends[run.sending[0]] for run in STATED.runs(last.links)]
    ways = (last.ways or {})[links[-1].name]
    for way, node, run in zip(ways, links[-1].nodes, own, strict=True):
        assert way.rate == run.rate
        assert way.seen is not None
        assert (way.seen.node, way.seen.mb_per_s) == (node, run.result.mb_per_s)


def test_a_link_whose_decks_tell_of_no_others_stays_as_it_is() -> None:
    pair = imported("A,B", *mesh_decks(("A",), ("B",)))
    (link,) = pair.links
    assert with_others_busy(pair, link, in_turn) is link


def test_the_figure_is_left_out_with_the_reason_where_an_other_end_is_not_known() -> None:
    texts, _ = mesh_decks(("ZVMA", "ZVMC"), ("ZVMB", "ZVMD"), ("ZVME",))
    assert said(imported("ZVMA,ZVMB", texts[:2], PORTS)) == (
        "By the decks these chpids also carry 72 CTCs of 9 other links; what is left with those "
        "busy is not run: 4 of these links end in decks that were not given, or on ports not known."
    )


def test_a_modelled_rate_is_one_flat_record_for_a_data_frame() -> None:
    layout = load_layout("published-8")
    rates = Rate(400.0, 4.0), Rate(300.0, 3.0, 280.0)
    assert ModelledRate(layout, layout.nodes[0], rates).to_dict() == {
        "sender": layout.nodes[0],
        "saturated_mb_per_s": 400.0,
        "saturated_spread_mb_per_s": 4.0,
        "saturated_second_mb_per_s": None,
        "stated_mb_per_s": 300.0,
        "stated_spread_mb_per_s": 3.0,
        "stated_second_mb_per_s": 280.0,
    }


@pytest.mark.parametrize(("wide", "rate", "most"), [(16, 711.0, 572.2), (8, 500.0, 500.0)])
def test_what_a_link_carries_is_ibms_ceiling_wherever_the_model_has_more(
    wide: int, rate: float, most: float
) -> None:
    # a plan said 572 MB/s, and its losses, loads and what to order 711
    link, found = layout_of((wide, 4)), Rate(rate)
    carried = Carried(Collection.of(link), STATED, {link.name: (EndRate(found), EndRate(found))})
    way = ModelledRate(link, link.nodes[0], (found, found)).stated
    search = SizeSearch(
        1.0, LostPiece.NONE, 0.0, LinkLoad(*link.nodes, STATED.workload, 50), 1, print
    )
    seen: Any = SimpleNamespace(
        rate=found, result=SimpleNamespace(collisions_per_s=0.0, node=link.nodes[0])
    )
    for each in (carried.rate, to_count_on(way, link), search.figure(seen, link)):
        assert each.value == pytest.approx(most, abs=0.1)
        assert each.modelled == rate
        assert each.ends.low < each.value <= each.modelled < each.ends.high
        assert ("IBM's ceiling of command mode, 711 by the model)" in with_unit(each)) == (
            each.by_model is not None
        )
        assert (each.by_model is None) == (rate == most)


def test_features_before_ibms_ceiling_have_none_and_links_together_that_of_each() -> None:
    assert ceiling_mb_per_s(layout_of((4, 4))) == inf
    links = [new(ends, "40:50", ctcs=4, feature="FICON Express16SA") for ends in ("A,B", "C,D")]
    ways = {link.name: (EndRate(Rate(711.0)), EndRate(Rate(900.0))) for link in links}
    found = Carried(Collection(tuple(links)), STATED, ways).rate
    assert found.value == pytest.approx(2 * 572.2, abs=0.1)
    assert found.modelled == 1422
