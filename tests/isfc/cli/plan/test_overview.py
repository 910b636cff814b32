"""Many links: pages lead with what all come to, and one link is shown where it is named."""

import re
from pathlib import Path

import pytest

from isfc.cli.main import run
from tests.isfc.printed import Printed, Recorded
from tests.layouts import mesh

LINES = 60
"""A page as printers have it."""

LOAD = '[[traffic]]\nfrom = "S1"\nto = "S2"\nworkload = "HS"\npairs = 1\n'


@pytest.fixture
def eight(tmp_path: Path) -> str:
    """A mesh of eight systems, of which one link has traffic."""
    file = tmp_path / "eight.toml"
    file.write_text(mesh(8, shared=True, ctcs=1) + LOAD)
    return str(file)


@pytest.mark.parametrize(
    "command",
    [
        "plan FILE --rule",
        "plan FILE --lose --rule",
        "check FILE --fail-on never",
        "run FILE --traffic S1-S2:HS:1 --seconds 0.01 --warmup 0",
    ],
)
def test_each_command_has_one_page_of_many_links(
    command: str, eight: str, printed: Printed
) -> None:
    assert len(printed(*command.replace("FILE", eight).split()).splitlines()) <= LINES


@pytest.mark.slow
@pytest.mark.at_length
def test_page_has_systems_losses_and_findings_and_a_link_all_about_it(
    eight: str, printed: Printed
) -> None:
    page = printed("plan", eight)
    assert page.startswith("8 systems, 28 links, 28 CTCs")
    first = page[: page.index("\nsystem ")]
    for heading in ("Carries", "Limited by", "Worst cut", "To do"):
        assert re.search(rf"^{heading} ", first, re.MULTILINE)
    assert re.search(r"^S1 +\d+ +[\d.]+-[\d.]+ +0 +7 +7 +1 +4$", page, re.MULTILINE)
    assert re.search(r"^chpid 40 at S1 +7 links +none$", page, re.MULTILINE)
    assert re.search(r"^warning +one-chpid +28$", page, re.MULTILINE)
    assert "One link: --link S1-S2 (28 of them)." in page
    assert "S1 - S2" in printed("plan", eight, "--link", "s2-s1", "--rule")


def test_run_shows_the_slowest_links_and_the_busiest_channels(
    tmp_path: Path, printed: Printed
) -> None:
    file = tmp_path / "five.toml"
    pairs = [(one, other) for other in range(2, 6) for one in range(1, other)]
    loads = (
        f'[[traffic]]\nfrom = "S{one}"\nto = "S{other}"\nworkload = "HS"\npairs = 1\n'
        for one, other in pairs
    )
    file.write_text(mesh(5, shared=True, ctcs=1) + "".join(loads))
    page = printed("run", str(file), "--seconds", "0.01", "--warmup", "0")
    assert "The slowest 5 of 10 links, MB/s" in page
    assert "all links" in page


@pytest.mark.exhaustive
@pytest.mark.at_length
def test_report_leads_with_all_and_has_no_part_for_each(eight: str, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    written = tmp_path / "page.html"
    assert run(["report", eight, "-o", str(written)]) == 0
    text = written.read_text("utf-8")
    for heading in (
        "What each system has",
        "What is busiest",
        "The slowest links",
        "The losses that cut most",
        "What is found",
    ):
        assert f"<caption>{heading}" in text
    assert 'id="link"' not in text


@pytest.mark.at_length
@pytest.mark.slow
def test_page_and_record_are_of_the_same_runs(printed: Printed, recorded: Recorded) -> None:
    """The page said 308 MB/s where `--json` had 306.8: it was of a shorter run."""
    page = printed("plan", "two-cecs")
    links = recorded("plan", "two-cecs")["together"]
    total = sum(rate["value"] for link in links for rate in link["together"])
    assert re.search(rf"^Carries +{total:.0f} MB/s \(", page, re.MULTILINE)


@pytest.mark.at_length
@pytest.mark.slow
def test_what_is_slowest_has_traffic(eight: str, printed: Printed) -> None:
    """Links without any were named, with 0 MB/s."""
    slowest = printed("plan", eight).partition("The slowest links")[2].partition("\n\n")[0]
    assert re.findall(r"S\d-S\d", slowest) == ["S1-S2"]
    worst = " ".join(printed("plan", eight, "--lose").split())
    assert "Worst chpid 40 at S1: 0 % is left, 0 MB/s, all links together" in worst
