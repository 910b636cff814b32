"""``isfc new``: a first layout, and what an editor knows of it."""

import io
import json
import sys

import pytest

import isfc
from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.layout.file import parse_layout
from tests.isfc.cli.conftest import Terminal

ENOUGH = ["new", "--systems", "ATLANTA,BOSTON", "--chpids", "40:50,41"]


@pytest.fixture(autouse=True)
def nobody_types(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())


def test_a_few_options_are_a_commented_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(ENOUGH) == ExitCode.GOOD
    page, told = capsys.readouterr()
    assert told == ""
    assert "# CTCs of a fibre:\n[[ctc]]\n" in page
    layout = parse_layout(page)
    assert [fibre.chpids for fibre in layout.fibres] == [(0x40, 0x50), (0x41, 0x41)]
    assert [f"{ctc.rdevs[0]:04X} {ctc.rdevs[1]:04X}" for ctc in layout.ctcs] == [
        *(f"600{n} 600{n}" for n in range(4)),
        *(f"601{n} 601{n}" for n in range(4)),
    ]


def test_options_say_feature_number_and_device_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    more = ["--ctcs", "2", "--feature", "Express4", "--rdevs", "CC30,33C0"]
    assert run(["new", "--systems", "zulu,alpha", "--chpids", "40:50", *more]) == ExitCode.GOOD
    layout = parse_layout(capsys.readouterr().out)
    assert layout.nodes == ("ALPHA", "ZULU")
    assert layout.fibres[0].profile.feature == "FICON Express4"
    assert layout.fibres[0].chpids == (0x50, 0x40)
    assert [ctc.rdevs for ctc in layout.ctcs] == [(0x33C0, 0xCC30), (0x33C1, 0xCC31)]


def test_at_a_terminal_what_is_missing_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("A,B\n40:50\n\n\n7000\n"))
    assert run(["new"]) == ExitCode.GOOD
    page, asked = capsys.readouterr()
    assert page.startswith("# A logical link")
    layout = parse_layout(page)
    assert (layout.nodes, layout.ctcs[3].rdevs) == (("A", "B"), (0x7003, 0x7003))
    assert "The two systems, such as ATLANTA,BOSTON: " in asked
    assert "CTCs on each chpid [4]: " in asked


def test_whoever_stops_answering_ends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal("A,B\n"))
    assert run(["new"]) == ExitCode.INTERRUPTED
    assert capsys.readouterr().out == ""


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["new", "--schema"]) == ExitCode.GOOD
    assert json.loads(capsys.readouterr().out) == isfc.schema()


def test_each_pair_of_chpids_may_have_a_feature_and_a_speed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run([*ENOUGH, "--feature", "Express4,Express16S@8"]) == ExitCode.GOOD
    first, second = parse_layout(capsys.readouterr().out).fibres
    assert (first.profile.feature, first.profile.link_gbps) == ("FICON Express4", 4)
    assert (second.profile.feature, second.profile.link_gbps) == ("FICON Express16S", 8)
