"""The metrics: their values, and that the list and the dashboard name what exists."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs
from prometheus_client import ProcessCollector
from prometheus_client.metrics_core import Metric

from isfc.link.counters import SERV_BOUNDS_NS
from isfc.link.state import DeviceState, LinkState
from isfc.live.metrics import families
from tests.isfc.live.snapshots import sight
from tools import PROJECT

DASHBOARD = json.loads((PROJECT / "docs" / "grafana-isfc.json").read_text("utf-8"))
NAMES = {"link": {"node", "partner"}, "CTC": {"node", "partner", "rdev"}, "process": set[str]()}
LINK = {"node": "ATLANTA", "partner": "BOSTON"}
CTC = {"node": "ATLANTA", "partner": "BOSTON", "rdev": "6000"}


@pytest.fixture(scope="module")
def metrics() -> dict[str, Metric]:
    return {metric.name: metric for metric in families([sight(scale=2)])}


def value(
    metrics: Mapping[str, Metric], name: str, labels: dict[str, str], suffix: str = ""
) -> float:
    """The one sample with these labels."""
    (found,) = [
        sample.value
        for sample in metrics[name].samples
        if sample.name == name + suffix and sample.labels == labels
    ]
    return found


OF_THE_LINK = {
    "isfc_link_written_bytes": 6 * 2**20,
    "isfc_link_written_messages": 40,
    "isfc_link_written_packages": 8,
    "isfc_link_read_bytes": 2 * 2**20,
    "isfc_link_read_messages": 36,
    "isfc_link_read_packages": 4,
    "isfc_link_collisions": 4,
    "isfc_link_cpu_seconds": 0.02,
    "isfc_connections_attached": 2,
    "isfc_connections_lost": 0,
    "isfc_connections_refused": 3,
    "isfc_link_severed": 0,
    "isfc_waited_seconds": 0.2,
    "isfc_late_seconds": 0.004,
}
OF_A_CTC = {
    "isfc_ctc_written_bytes": 6 * 2**20,
    "isfc_ctc_written_packages": 8,
    "isfc_ctc_read_bytes": 0,
    "isfc_ctc_read_packages": 0,
    "isfc_ctc_collisions": 4,
    "isfc_ctc_ios": 8,
    "isfc_ctc_pend_seconds": 0.002,
    "isfc_ctc_disc_seconds": 0.004,
    "isfc_ctc_conn_seconds": 0.014,
    "isfc_ctc_stale_frames": 0,
}


def test_link_and_each_ctc_count_and_what_waits_is_a_gauge(metrics: dict[str, Metric]) -> None:
    found = {name: value(metrics, name, LINK, "_total") for name in OF_THE_LINK}
    assert found == pytest.approx(OF_THE_LINK)
    found = {name: value(metrics, name, CTC, "_total") for name in OF_A_CTC}
    assert found == pytest.approx(OF_A_CTC)
    assert {len(metrics[name].samples) for name in OF_A_CTC} == {2}
    assert value(metrics, "isfc_link_pending_messages", LINK) == 5
    assert value(metrics, "isfc_link_pending_bytes", LINK) == 5_000


def test_states_are_sets_of_which_one_holds(metrics: dict[str, Metric]) -> None:
    for state in LinkState:
        labels = LINK | {"isfc_link_state": state.value}
        assert value(metrics, "isfc_link_state", labels) == (state is LinkState.UP)
    for device_state in DeviceState:
        labels = CTC | {"isfc_ctc_state": device_state.value}
        holds = device_state is DeviceState.WRITING
        assert value(metrics, "isfc_ctc_state", labels) == holds


def test_service_times_are_a_cumulative_histogram(metrics: dict[str, Metric]) -> None:
    # six writes of at most 1 ms, two that took longer than every bound
    name = "isfc_ctc_write_serv_seconds"
    counts = {
        sample.labels["le"]: sample.value
        for sample in metrics[name].samples
        if sample.name == f"{name}_bucket" and sample.labels["rdev"] == "6000"
    }
    assert len(counts) == len(SERV_BOUNDS_NS) + 1
    assert [counts[bound] for bound in ("1e-05", "0.0005", "0.001", "1.0", "+Inf")] == [
        *(0, 0, 6, 6, 8)
    ]
    assert value(metrics, name, CTC, "_sum") == pytest.approx(3.0)
    assert value(metrics, name, CTC, "_count") == 8


def test_a_node_without_traffic_has_all_metrics_too() -> None:
    idle = sight(scale=0)
    idle = structs.replace(idle, node=replace(idle.node, state=LinkState.DOWN))
    assert {metric.name for metric in families([idle])} == {m.name for m in families([sight()])}


def exposed() -> Iterator[tuple[str, str, str]]:
    """The name, type and kind of every metric that a node has, as the list has them."""
    process = ProcessCollector(registry=None).collect()
    for metric in [*families([sight()]), *process]:
        name = metric.name + ("_total" if metric.type == "counter" else "")
        labels = {*metric.samples[0].labels} - {metric.name, "le"}
        (kind,) = [kind for kind, names in NAMES.items() if names == labels]
        yield name, metric.type, kind


def test_every_metric_is_documented() -> None:
    with (PROJECT / "docs" / "metrics.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    assert [tuple(row[:3]) for row in rows] == list(exposed())
    assert all(row[3] for row in rows)


def test_names_end_with_their_units(metrics: dict[str, Metric]) -> None:
    for metric in metrics.values():
        assert metric.name.endswith(metric.unit), metric.name
        assert bool(metric.unit) == metric.name.endswith(("_bytes", "_seconds")), metric.name


def strings(node: Any, key: str) -> Iterator[str]:
    """Every string under ``key`` in a JSON document."""
    if isinstance(node, dict):
        for name, inner in node.items():
            if name == key and isinstance(inner, str):
                yield inner
            yield from strings(inner, key)
    elif isinstance(node, list):
        for inner in node:
            yield from strings(inner, key)


def test_dashboard_asks_for_metrics_that_exist() -> None:
    sampled = {
        sample.name
        for metric in [*families([sight()]), *ProcessCollector(registry=None).collect()]
        for sample in metric.samples
    }
    queries = list(strings(DASHBOARD, "expr"))
    assert len(queries) >= 12
    for query in queries:
        names = set(re.findall(r"\b(?:isfc|process)_\w+(?=[{\[])", query))
        assert names, query
        assert names <= sampled, query
        labels = set(re.findall(r"[{,]\s*(\w+)\s*=~?", query)) | {
            label.strip()
            for group in re.findall(r"\bby \(([^)]*)\)", query)
            for label in group.split(",")
        }
        assert labels <= {"node", "partner", "rdev", "le", "job", "instance", *names}, query
        assert query.count("(") == query.count(")"), query


def test_dashboard_shows_every_metric_of_link_and_ctc() -> None:
    # what is counted and shown nowhere might as well not be counted
    text = " ".join(strings(DASHBOARD, "expr"))
    unseen = {
        metric.name for metric in families([sight()]) if not re.search(rf"\b{metric.name}", text)
    }
    assert unseen <= {"isfc_connections_attached", "isfc_link_pending_bytes"}


def test_grafanas_own_types_know_every_key_of_the_dashboard() -> None:
    """What they read and write again is the same; Grafana itself fills in the ``id``."""
    cog = "grafana_foundation_sdk.cog"
    encoder = pytest.importorskip(f"{cog}.encoder", reason="an older .venv: 'make .venv' has it")
    pytest.importorskip(f"{cog}.plugins").register_default_plugins()
    dashboard = pytest.importorskip("grafana_foundation_sdk.models.dashboard").Dashboard
    written = json.dumps(dashboard.from_json(DASHBOARD), cls=encoder.JSONEncoder)
    known = json.loads(written)
    assert missing(DASHBOARD, known) == [".id"]


def missing(wanted: Any, found: Any, place: str = "") -> list[str]:
    """Where ``found`` lacks what ``wanted`` has, or has something else."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        lacking = [f"{place}.{key}" for key in wanted.keys() - found.keys()]
        both = sorted(wanted.keys() & found.keys())
        return lacking + [m for k in both for m in missing(wanted[k], found[k], f"{place}.{k}")]
    if isinstance(wanted, list) and isinstance(found, list) and len(wanted) == len(found):
        pairs = zip(wanted, found, strict=True)
        return [m for n, pair in enumerate(pairs) for m in missing(*pair, f"{place}[{n}]")]
    return [] if wanted == found else [place]


def test_dashboard_can_be_imported() -> None:
    assert DASHBOARD["id"] is None
    assert DASHBOARD["schemaVersion"] >= 38
    panels = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])
    for panel in panels:
        assert panel["title"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        position = panel["gridPos"]
        assert 0 <= position["x"] <= position["x"] + position["w"] <= 24
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len({*cells}), "no panel lies on another"
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(DASHBOARD["panels"])))
    assert used - {"__rate_interval"} <= variables == {"datasource", "node"}
