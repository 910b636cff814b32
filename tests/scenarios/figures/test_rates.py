"""What a link carries while links that its file does not have are busy."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import pytest

from isfc.answers.compare import pair_odds
from isfc.deck.importing import import_iocp
from isfc.layout.build import new
from isfc.layout.capacity import (
    COMMAND_MODE_MB_PER_S,
    StatedOfChpids,
    directions_of,
    end_to_count_on,
)
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.layout import Layout
from isfc.layout.site import SiteProfile
from isfc.link.name import NodeName
from isfc.reports.figure import NoteKind
from isfc.reports.units import with_unit
from scenarios.figures.changed import AfterLoss
from scenarios.figures.cluster_plan import system_overview
from scenarios.figures.rates import Carried, ModelledRate, carry, with_others_busy
from scenarios.runs.experiment import STATED, Experiment, in_turn
from scenarios.runs.steady import Rate, SteadyEnds, SteadyRun, short_ends
from scenarios.runs.workload import LinkLoad
from scenarios.search import scoring
from scenarios.search.scoring import Objective, Scoring, Task, Trials
from scenarios.search.sizing import LostPiece, SizeSearch
from scenarios.search.workers import shared_out
from tests.decks import mesh_decks
from tests.isfc.answers.test_link_run import RESULT
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


def seen(experiment: Experiment, mb_per_s: Mapping[NodeName, float]) -> SteadyEnds:
    """What runs are taken to show: so much of each node that sends."""
    own = partial(replace, RESULT, collisions_per_s=0.0)
    sending = experiment.sending
    ends = {end: SteadyRun(Rate(mb_per_s[end[0]]), own(node=end[0])) for end in sending}
    return SteadyEnds(ends, (), ())


def together(*links: Layout, mb_per_s: float) -> Carried:
    sent = {node: mb_per_s for link in links for node in link.nodes}
    (found,) = carry([Collection.of(*links)], STATED, in_turn, partial(seen, mb_per_s=sent))
    return found


@pytest.mark.parametrize(("wide", "rate", "most"), [(16, 711.0, 572.2), (8, 500.0, 500.0)])
def test_what_a_link_carries_is_ibms_ceiling_wherever_the_model_has_more(
    wide: int, rate: float, most: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # a plan said 572 MB/s; its losses, loads and what to order 711, and then optimise
    link, found = layout_of((wide, 4)), Rate(rate)
    way = ModelledRate(link, link.nodes[0], (found, found))
    load = LinkLoad(*link.nodes, STATED.workload, 50)
    size = SizeSearch(1.0, LostPiece.NONE, 0.0, load, 1, print)
    sent = dict.fromkeys(link.nodes, rate)
    (run,) = seen(STATED.runs(Collection.of(link))[0], sent).ends.values()
    monkeypatch.setattr(scoring, "steady_ends", partial(seen, mb_per_s=sent))
    goals = Objective.FORWARD, Objective.REVERSE, Objective.SYMMETRIC
    task = Task(Collection.of(link), Scoring(goals, STATED, None), seeds=2)
    (best,) = Trials[int](task, partial(shared_out, jobs=1), print).measured([task.collection])
    whole = together(link, mb_per_s=rate).rate
    for each in (whole, way.stated, size.figure(run, link), *best.figures):
        assert each.value == pytest.approx(most, abs=0.1)
        assert each.modelled == rate
        assert each.ends.low < each.value <= each.modelled < each.ends.high
        assert ("IBM's ceiling of command mode, 711 by the model)" in with_unit(each)) == (
            each.by_model is not None
        )
        assert (each.by_model is None) == (rate == most)


def test_a_link_that_was_fitted_carries_what_the_fit_says_and_another_feature_ibms_ceiling() -> (
    None
):
    link = layout_of((16, 4))
    known = tuple(tuple(0.001 * (row == column) for column in range(6)) for row in range(6))
    own, other = (
        SiteProfile("PROD", {}, (feature,), 9, "", covariance=known)
        for feature in (link.fibres[0].profile.feature, "FICON Express32S")
    )
    for site, most in ((own, 711.0), (other, 572.2), (replace(own, covariance=()), 572.2)):
        fitted = replace(link, site=site)
        way = ModelledRate(fitted, link.nodes[0], (Rate(711.0), Rate(711.0))).stated
        whole = together(fitted, mb_per_s=711.0).rate
        assert whole.value == way.value == pytest.approx(most, abs=0.1)
        assert whole.ends == way.ends
        assert (way.by_model is None) == (site is own)


def test_the_slower_direction_is_that_of_which_less_is_to_be_counted_on() -> None:
    # it was that of which the model has less, though its node writes on more chpids
    link = layout_of((16, 1), (16, 4))
    sent = dict(zip(link.nodes, (700.0, 900.0), strict=True))
    (found,) = carry([Collection.of(link)], STATED, in_turn, partial(seen, mb_per_s=sent))
    assert found.rate.value == pytest.approx(572.2, abs=0.1)
    assert found.rate.modelled == 900
    assert found.slower is not None
    assert found.slower.sending == (link.nodes[::-1],)


def test_layouts_of_which_as_much_is_to_be_counted_on_are_alike() -> None:
    # by the model the other one was ahead
    every = [together(layout_of((16, 4)), mb_per_s=rate) for rate in (640.0, 711.0)]
    names = zip("AB", (AfterLoss(None, each, each) for each in every), strict=True)
    (pair,) = pair_odds([*names])
    assert (pair.ahead, pair.ratio.value, pair.percent) == ("A", 1.0, 50)


def test_features_before_ibms_ceiling_have_none_and_links_together_that_of_each() -> None:
    assert together(layout_of((4, 4)), mb_per_s=5000.0).rate.value == 5000
    links = [new(ends, "40:50", ctcs=4, feature="FICON Express16SA") for ends in ("A,B", "C,D")]
    found = together(*links, mb_per_s=711.0).rate
    assert found.value == pytest.approx(2 * 572.2, abs=0.1)
    assert found.modelled == 1422


def test_links_that_share_a_chpid_have_no_more_together_than_is_stated_of_it() -> None:
    # each had all of it: 1,200 MB/s of three links on one chpid of each system
    links = parse_collection(mesh(3, shared=True, feature="FICON Express16SA")).links
    found = together(*links, mb_per_s=400.0)
    assert found.rate.value == pytest.approx(3 * 572.2 / 2, abs=0.1)  # each chpid is of two links
    assert found.rate.modelled == 1200
    assert found.ways is not None
    for link in links:
        assert found.rate_of(link, found.ways[link.name][0]).value == pytest.approx(286.1, abs=0.1)


def test_a_full_chpid_bounds_what_its_ctcs_send_and_few_others_do_not_make_up_for_it() -> None:
    # both chpids had half of it, which was 1,000 MB/s of 1,000
    link = layout_of((16, 3), (16, 1))
    to, back = directions_of(link)
    assert [use.ctc_count for way in (to, back) for use in way.chpids] == [3, 1, 2]
    stated = COMMAND_MODE_MB_PER_S * 1e6 / 2**20
    assert end_to_count_on(Rate(1000.0), link, to.sender).mb_per_s == pytest.approx(stated)
    found = end_to_count_on(Rate(1000.0), link, back.sender).mb_per_s
    assert found == pytest.approx(stated + 1000 / 3)
    even, _ = directions_of(layout_of((16, 4), (16, 4)))
    assert [use.ctc_count for use in even.chpids] == [4, 3]
    found = end_to_count_on(Rate(1100.0), layout_of((16, 4), (16, 4)), even.sender).mb_per_s
    assert found == 1100
    way = {(to.sender, back.sender): 550.0}
    assert StatedOfChpids([layout_of((16, 4), (16, 4))]).room(way) == pytest.approx(
        2 * stated / 550
    )


@pytest.mark.parametrize(("feature", "most"), [("Express16SA", 572.2), ("Express4", 394.1)])
def test_a_system_sends_no_more_over_its_only_chpid_than_that_lets_through(
    feature: str, most: float
) -> None:
    # what it sends to one system and to the other, in a run of each, was added up
    links = parse_collection(mesh(3, shared=True, feature=f"FICON {feature}"))
    found = together(*links.links, mb_per_s=360.0)
    for name in links.systems:
        each = system_overview(links, name, found)
        assert each.rate is not None
        assert each.rate.value == each.back == pytest.approx(most, abs=0.1)
