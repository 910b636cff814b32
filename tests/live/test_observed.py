"""Two live nodes as an operator sees them from outside: scraped, logged, one of them killed."""

import json
import re
import signal
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.live.processes import Isfc, isfc, two_nodes
from tests.waiting import PATIENCE_S, wait_for

TRAFFIC = "--workload HS --pairs 10".split()
SEEN = "--metrics 127.0.0.1:0 --log-format json --log-level debug".split()


def records(node: Isfc) -> list[dict[str, Any]]:
    """What a node has logged, but for a line that is still being written."""
    return [json.loads(line) for line in node.err.splitlines(keepends=True) if line.endswith("\n")]


def events(node: Isfc) -> list[str]:
    return [record["event"] for record in records(node)]


def happened(node: Isfc, event: str) -> Callable[[], bool]:
    return lambda: event in events(node)


def written_packages(address: str) -> float:
    """How many packages the node that answers at an address has written."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=PATIENCE_S) as answer:
        text = answer.read().decode()
    (count,) = re.findall(r"^isfc_link_written_packages_total{.*} (\S+)$", text, re.MULTILINE)
    return float(count)


def rates_mb_per_s(up: Isfc) -> list[float]:
    """What the first node has written, in each whole line that says its link is up."""
    return [float(rate) for rate in re.findall(r"^\S+ +Up +(\S+) .*\n", up.out, re.MULTILINE)]


@pytest.mark.slow
def test_a_node_can_be_watched_through_its_partners_death(tmp_path: Path) -> None:
    with two_nodes(tmp_path, *TRAFFIC, *SEEN) as pair:
        here, there = pair.both
        # the link is up with its first CTC; the others may be seconds behind, and would be no loss
        wait_for(lambda: events(here).count("ctc-up") == 4, "every CTC")
        address = records(here)[0]["metrics"]
        wait_for(lambda: written_packages(address) > 100, "traffic")
        before = written_packages(address)
        wait_for(lambda: written_packages(address) > before, "more traffic")
        there.signal(signal.SIGKILL)
        wait_for(happened(here, "link-down"), "the link's end")
        # the last connection's own word may come after that of the link's end
        wait_for(lambda: events(here).count("detached") == 4, "the end of every connection")
        assert events(here).count("ctc-down") == 4
        assert written_packages(address) > before  # it still answers
        assert here.end() == 0
    (*_, last) = records(here)
    assert (last["event"], last["node"], last["partner"]) == ("stopped", "CLIENT", "SERVER")


@pytest.mark.slow
def test_both_nodes_of_isfc_up_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with isfc(tmp_path, "up", "published-4", *TRAFFIC, *SEEN, "--log-level", "info") as up:
        wait_for(lambda: events(up).count("link-up") == 2, "both ends of the link")
        started = [record for record in records(up) if record["event"] == "started"]
        assert {record["node"] for record in started} == {"CLIENT", "SERVER"}
        addresses = [record["metrics"] for record in started]
        wait_for(lambda: min(map(written_packages, addresses)) > 0, "traffic both ways")
        wait_for(lambda: any(rates_mb_per_s(up)), "a line of rates that are not nought")
        assert up.end() == 0
    heading, columns, *_ = up.out.splitlines()
    assert heading.split() == ["CLIENT", "writes", "SERVER", "writes"]
    assert columns.split()[:3] == ["time", "link", "MB/s"]


@pytest.mark.slow
def test_a_metrics_port_that_is_taken_ends_the_node_with_a_word(tmp_path: Path) -> None:
    with isfc(
        *(tmp_path, "node", "CLIENT", "published-4", "--listen", f"unix:{tmp_path / 'link'}"), *SEEN
    ) as first:
        wait_for(happened(first, "started"), "the first node")
        taken = records(first)[0]["metrics"]
        with isfc(
            *(tmp_path, "node", "SERVER", "published-4", "--connect", "unix:nowhere"),
            *("--metrics", taken),
        ) as second:
            assert second.exit_code() == 1
    assert "in use" in second.err
    assert not (tmp_path / "nowhere").exists()
