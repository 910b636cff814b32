"""What a text is: each kind by what the readers of that kind read, and layouts by none of it."""

from pathlib import Path

import pytest

from isfc.deck.activation import parse_activations
from isfc.deck.iocp import parse_deck
from isfc.deck.islink import parse_log
from isfc.layout.catalogue import read_content, shipped_layouts
from isfc.layout.source_kind import SourceKind, source_kind

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
