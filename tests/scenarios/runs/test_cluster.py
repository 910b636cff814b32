"""Several links run together: what they share is shared, and what they do not share is not."""

from itertools import pairwise
from typing import Final

import pytest
from msgspec.structs import replace

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import given_collection
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.layout.parts import SYSTEMS_MAX
from isfc.link.name import NodeName
from scenarios.runs.experiment import Experiment
from scenarios.runs.report import cluster_rows
from scenarios.runs.run import Outcome
from scenarios.runs.run import run as run_experiment
from scenarios.runs.workload import LinkLoad, find_workload, load_of
from tests.layouts import mesh

HL: Final = find_workload("HL")


def load(text: str, pairs: int = 50) -> LinkLoad:
    client, server = map(NodeName, text.split("-"))
    return LinkLoad(client, server, HL, pairs)


def run(collection: Collection, *loads: LinkLoad, seconds: float = 0.4) -> Outcome:
    return run_experiment(Experiment(collection, loads, seconds=seconds, warmup=0.2))


@pytest.mark.at_length
@pytest.mark.parametrize("client", ["S1-S2", "S2-S1"])
def test_a_link_that_shares_nothing_is_as_if_it_were_alone(client: str) -> None:
    cluster = parse_collection(mesh(4, shared=False))
    loads = [load(client), *map(load, ("S1-S3", "S4-S1", "S3-S4", "S2-S4"))]
    together = Experiment(cluster, tuple(loads), seconds=0.2, warmup=0.1)
    alone = together.each_alone[0]
    assert run_experiment(together).links[0] == run_experiment(alone).link()


@pytest.mark.at_length
def test_two_senders_into_one_chpid_share_its_rate() -> None:
    cluster = parse_collection(mesh(3, shared=True))
    one = run(cluster, load("S2-S1")).link("S1-S2").server.whole.result
    both = run(cluster, load("S2-S1"), load("S3-S1"), seconds=2.0)
    ends = [link.server.whole.result for link in both.links]
    assert sum(end.mb_per_s for end in ends) == pytest.approx(one.mb_per_s, rel=0.1)
    assert ends[0].mb_per_s == pytest.approx(ends[1].mb_per_s, rel=0.02)


@pytest.mark.at_length
def test_two_links_that_send_over_one_chpid_share_its_rate() -> None:
    cluster = parse_collection(mesh(3, shared=True))
    alone = run(cluster, load("S1-S2")).mb_per_s
    both = run(cluster, load("S1-S2"), load("S1-S3"))
    assert both.mb_per_s == pytest.approx(alone, rel=0.1)
    (channel,) = [each for each in both.channels if each.channel[0].node == "S1"]
    assert channel.busy > 0.9
    line = 1e9 / cluster.links[0].fibres[0].profile.line_ns_per_byte / 2**20
    assert channel.mb_per_s_out < line * 1.05


@pytest.mark.slow
@pytest.mark.at_length
def test_more_traffic_on_one_link_makes_no_other_that_shares_a_channel_faster() -> None:
    cluster = parse_collection(mesh(3, shared=True))
    figures = [
        run(cluster, load("S1-S2", 10), load("S1-S3", pairs)).link("S1-S2").client.whole.result
        for pairs in (1, 4, 16, 64)
    ]
    rates = [figure.mb_per_s for figure in figures]
    assert all(after < before * 1.02 for before, after in pairwise(rates))
    assert rates[-1] < 0.8 * rates[0]


@pytest.mark.slow
@pytest.mark.at_length
def test_a_symmetric_cluster_has_symmetric_figures() -> None:
    cluster = parse_collection(mesh(4, shared=True))
    ring = [load(each, 20) for each in ("S1-S2", "S2-S3", "S3-S4", "S4-S1")]
    systems = run(cluster, *ring, seconds=2.0).systems.values()
    rates = [sum(end.mb_per_s for end in ends) for ends in systems]
    assert max(rates) < 1.02 * min(rates)


@pytest.mark.slow
@pytest.mark.at_length
def test_the_shipped_cluster_is_shared_evenly_and_full() -> None:
    collection = given_collection("two-cecs")
    result = run(collection, *map(load_of, collection.traffic))
    rates = [link.client.whole.result.mb_per_s for link in result.links]
    assert len(rates) == 6
    assert max(rates) < 1.1 * min(rates)
    assert all(0.7 < channel.busy <= 1 for channel in result.channels)
    alone = run(collection, load_of(collection.traffic[0])).mb_per_s
    assert alone > 1.5 * max(rates)


@pytest.mark.exhaustive
@pytest.mark.slow
@pytest.mark.at_length
def test_a_mesh_of_as_many_systems_as_may_be_runs() -> None:
    cluster = parse_collection(mesh(SYSTEMS_MAX, shared=False, ctcs=1))
    loads = tuple(load("-".join(link.nodes), 1) for link in cluster.links)
    result = run_experiment(Experiment(cluster, loads, seconds=0.02, warmup=0.02))
    rates = [link.client.whole.result.mb_per_s for link in result.links]
    assert len(rates) == SYSTEMS_MAX * (SYSTEMS_MAX - 1) // 2
    assert min(rates) == pytest.approx(max(rates), rel=0.05)


def test_loads_of_both_ends_of_a_link_run_together() -> None:
    cluster = parse_collection(mesh(2, shared=False))
    link = run(cluster, load("S1-S2", 10), load("S2-S1", 10)).link("S1-S2").client.whole.result
    assert link.mb_per_s_out == pytest.approx(link.mb_per_s_in, rel=0.05)


def test_rows_are_of_links_systems_channels_and_all() -> None:
    cluster = parse_collection(mesh(3, shared=True))
    result = run(cluster, load("S1-S2"), seconds=0.1)
    rows = cluster_rows([result])
    assert [row.kind for row in rows if row.kind != "share"] == [
        "link", "system", "system", "system", "channel", "channel", "channel", "all"
    ]  # fmt: skip
    assert rows[-1].mb_per_s == rows[0].mb_per_s == result.mb_per_s
    (twice,) = [row for row in cluster_rows([result, result]) if row.kind == "all"]
    assert (twice.mb_per_s, twice.spread_percent) == (result.mb_per_s, 0.0)


def test_traffic_must_be_there_and_within_bounds() -> None:
    cluster = parse_collection(mesh(2, shared=False))
    with pytest.raises(ConfigurationError, match="traffic: none"):
        Experiment(cluster, ())
    with pytest.raises(ConfigurationError, match="pairs 0: expected 1 to"):
        Experiment(cluster, (load("S1-S2", 0),))
    with pytest.raises(ConfigurationError, match="no link joins S1 and S9"):
        Experiment(cluster, (replace(load("S1-S2"), server=NodeName("S9")),))


@pytest.mark.at_length
@pytest.mark.slow
def test_appc_vm_of_two_links_of_a_system_is_copied_by_turns() -> None:
    # one lock of the system, for all its links: nothing else is shared here
    cluster = parse_collection(mesh(3, shared=False))

    def rate(*names: str, workload: str) -> list[float]:
        loads = [replace(load(name, 10), workload=find_workload(workload)) for name in names]
        links = run(cluster, *loads, seconds=0.3).links
        return [link.client.whole.result.mb_per_s for link in links]

    (alone,) = rate("S1-S2", workload="CDU:100000")
    first, second = rate("S1-S2", "S1-S3", workload="CDU:100000")
    assert first == pytest.approx(second, rel=0.05)
    assert first < 0.9 * alone
    assert first + second > 0.9 * alone
    apart = rate("S1-S2", "S1-S3", workload="HL")
    assert apart[0] == pytest.approx(rate("S1-S2", workload="HL")[0], rel=1e-9)
