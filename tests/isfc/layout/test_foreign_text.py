"""What was given for a layout is named, with what to give instead."""

import json
from pathlib import Path

import pytest

from isfc.deck.activation import parse_activations
from isfc.deck.console import parse_log
from isfc.deck.iocp import parse_deck
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import read_content, shipped_layouts
from isfc.layout.checked_toml import FILE_LENGTH_MAX, SourceKind, decode, is_ebcdic, source_kind

DATA = Path(__file__).parents[2] / "data"
PUBLISHED = Path(__file__).parents[3] / "docs" / "measured"
RUN = json.dumps({"workload": "HL", "node": "ATLANTA", "devices": []}, indent=2)

FOREIGN = {
    "a run's JSON": (RUN, "'isfc run --json' prints"),
    "a long run's JSON": (RUN + " " * FILE_LENGTH_MAX, "'isfc run --json' prints"),
    "a run's JSON in one line": (
        json.dumps({"node": "ATLANTA", "devices": [*range(500)]}),
        "'isfc run --json' prints",
    ),
    "other JSON": ('[{"a": 1}]', "JSON: give a layout in TOML"),
    "a report as HTML": ("<!doctype html>\n<title>x</title>", "'isfc report' writes"),
    "a page of a run": ((PUBLISHED / "site-1.txt").read_text(), "a page that 'isfc run' printed"),
    "FCX108": ((PUBLISHED / "H001709C-fcx108.txt").read_text(), "'isfc measured read FILE'"),
    "link activity": ((PUBLISHED / "H001709C-link.txt").read_text(), "'isfc measured read FILE'"),
    "RMF": ((DATA / "rmf" / "device-activity.txt").read_text(), "'isfc io size --rmf FILE'"),
    "a Hercules' configuration": ("0E20 CTCE 31880 127.0.0.1 31890\n", "'isfc ctce FILE FILE'"),
    "IOCP's report": (
        "1 19.29  24.042  CHPID SUMMARY REPORT  PAGE 2\n 50",
        "isfc import iocp",
    ),
    "its columns": (" CHPID  PCHID TYPE  SWITCH\n  50  140  FC  NONE\n", "a report that IOCP"),
}


@pytest.mark.parametrize(("text", "remedy"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_no_layout_is_named(text: str, remedy: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        decode(text.encode(), "a layout file")
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    "path", [*DATA.glob("rmf/*.txt"), *DATA.glob("decks/*.iocp")], ids=lambda path: path.stem
)
def test_ebcdic_is_told_from_ascii(path: Path) -> None:
    text = path.read_text("utf-8")
    assert is_ebcdic(text.encode("cp037"))
    assert not is_ebcdic(text.encode())


DATA = Path(__file__).parents[2] / "data"


@pytest.mark.parametrize("path", [*(DATA / "decks").iterdir()], ids=lambda path: path.name)
def test_a_deck_is_one(path: Path) -> None:
    assert source_kind(path.read_text("utf-8")) is SourceKind.DECK


@pytest.mark.parametrize("path", [*(DATA / "logs").iterdir()], ids=lambda path: path.name)
def test_a_console_log_is_one(path: Path) -> None:
    assert source_kind(path.read_text("utf-8")) is SourceKind.CONSOLE_LOG


@pytest.mark.parametrize(
    "text",
    [
        "CHPID PATH=(CSS(0),50),TYPE=FC\n",
        " CHPID SHARED,PATH=(CSS(0),50),TYPE=FC\n",
        "C50      chpid path=(CSS(0),50),type=FC\n",
    ],
)
def test_what_is_read_as_a_deck_is_one(text: str) -> None:
    assert parse_deck(text, "deck").channels
    assert source_kind(text) is SourceKind.DECK


def test_lines_of_a_log_that_run_together_are_a_log() -> None:
    text = f"{'Ready; ' * 60}Link device: CC30  Type: FCTC  Node: BOSTON\n"
    assert parse_log(text, "log").devices
    assert source_kind(text) is SourceKind.CONSOLE_LOG


@pytest.mark.parametrize(
    "text",
    [
        "ACTIVATE ISLINK 6000 6001 NODE BOSTON\n",
        "ATLANTA: Activate ISLink 6000\n",
        "act isl 6000\n",
        "Ready; DEACTIVE ISLINK 6000\n",
        "#CP DEA ISLI 6000\n",
    ],
)
def test_what_is_read_as_statements_is_a_configuration(text: str) -> None:
    assert parse_activations(text, "config")
    assert source_kind(text) is SourceKind.CONFIGURATION


@pytest.mark.parametrize("name", shipped_layouts())
def test_a_shipped_layout_is_one(name: str) -> None:
    assert source_kind(read_content(name)[0].decode()) is SourceKind.LAYOUT


@pytest.mark.parametrize(
    "remark", ["ACTIVATE ISLINK 6000", "Link device: CC30", " CHPID PATH=(CSS(0),50)"]
)
def test_a_layout_with_a_remark_stays_a_layout(remark: str) -> None:
    assert source_kind(f"# {remark}\n{read_content('atlanta-boston')[0].decode()}") is (
        SourceKind.LAYOUT
    )
