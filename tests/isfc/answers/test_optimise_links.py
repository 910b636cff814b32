"""``isfc optimise`` of several links: its page, its record, what is refused."""

import json
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.layout.catalogue import load_collection
from scenarios.runs import steady
from tests.isfc.cli.conftest import Refusal

pytestmark = pytest.mark.at_length
LAYOUT = "docs/optimise-cluster.toml"
OF_ONE = (
    "of one link, and the file has 2 links; expected --link with one of AUSTIN-DALLAS, DALLAS-TULSA"
)
QUICK = ["--runs", "4", "--seconds", "0.02", "--seeds", "1", "--jobs", "1"]


@pytest.mark.slow
def test_all_links_are_moved_together(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(steady, "BATCH_NS", 40_000_000)  # long enough to tell them apart
    file = tmp_path / "best.toml"
    assert run(["optimise", LAYOUT, *QUICK, "-o", str(file)]) == 0
    page = " ".join(capsys.readouterr().out.split())
    assert page.startswith("Best places of CTCs by MB/s sum, DALLAS-TULSA:HL:10, DALLAS-AUSTIN:HL:")
    assert "Best +" in page
    assert "IODF AUSTIN " in page or "IODF DALLAS " in page
    assert "to 51-61" in page
    best = load_collection(file)
    assert [len(link.ctcs) for link in best.links] == [4, 4]


def test_the_record_has_each_link(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["optimise", LAYOUT, *QUICK, "--objective", "worst-link", "--json"]
    assert run([*words, "--traffic", "DALLAS-TULSA:HL:5"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["objectives"], record["traffic"]) == (["worst-link"], ["DALLAS-TULSA:HL:5"])
    assert list(record["given"]["links"]) == ["DALLAS-TULSA"]
    best, given = (one["figures"]["worst-link"] for one in (record["best"][0], record["given"]))
    assert best["value"] >= given["value"]
    assert all(move["before"] != move["after"] for move in record["moves"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([LAYOUT, "--ctcs", "4"], f"--ctcs: {OF_ONE}"),
        ([LAYOUT, "--objective", "forward"], "--objective 'forward': expected one of sum, worst-"),
        (
            [LAYOUT, "--objective", "sum", "--objective", "worst-link"],
            f"--objective: {OF_ONE}",
        ),
        ([LAYOUT, "--workload", "HX"], "workload 'HX' is unknown"),  # was not looked at
        (
            [LAYOUT, "--pairs", "5", "--traffic", "DALLAS-TULSA:HL:5"],
            "--traffic and --pairs: exp",
        ),
        ([LAYOUT, "--traffic", "DALLAS-X:HL:5"], "--traffic DALLAS-X:HL:5: no link joins"),
        (["published-4", "--traffic", "A-B:HL:5"], "--traffic: of several links; expected it"),
    ],
)
def test_what_does_not_fit_is_refused(words: list[str], message: str, refusal: Refusal) -> None:
    assert message in refusal("optimise", *words)
