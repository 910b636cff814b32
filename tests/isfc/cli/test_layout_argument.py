"""What a LAYOUT may be, of every command and function: one reads for all."""

import inspect
from pathlib import Path
from typing import Any, Final

import pytest

import isfc
from isfc.cli.capability import _takes_decks
from isfc.cli.main import run
from isfc.cli.options.layout import complete_layout
from isfc.cli.output.streams import ExitCode
from isfc.errors.arguments import annotation_of
from isfc.layout.catalogue import given_collection, shipped_layouts
from tests.decks import DECKS, LOGS
from tests.isfc.cli.conftest import every_command, options_of

WITHOUT: Final = {
    "node": "each process reads the layout",
    "up": "each process reads the layout",
    "ctce": "of a Hercules",
    "io beside": "needs [[io]], which decks do not have",
    "studio": "asks for partitions on its page",
    "import config": "keeps what a layout has",
    "plan": "is not made of a function yet",
}
"""Commands with a LAYOUT and without ``--partitions``, each with the reason."""
TWO: Final = DECKS / "crowded.iocp"
LOG: Final = [LOGS / "atlanta.txt", LOGS / "boston.txt"]


def test_every_command_with_a_layout_takes_partitions() -> None:
    without = set()
    for name, command in every_command().items():
        shown = {param.metavar or "" for param in command.params}
        if any("LAYOUT" in each for each in shown) and "partitions" not in options_of(name):
            without.add(name)
    assert without <= WITHOUT.keys()


def test_every_function_with_a_layout_takes_decks() -> None:
    for name in isfc.__all__:
        function = inspect.unwrap(getattr(isfc, name))
        if inspect.isfunction(function) and "layout" in inspect.signature(function).parameters:
            hint = annotation_of(function, "layout")
            assert _takes_decks(hint) or name == "io_beside", name


def test_the_shell_offers_shipped_layouts_and_for_a_path_its_files() -> None:
    assert complete_layout("") == [*shipped_layouts()]
    assert complete_layout("published-16") == ["published-16"]
    assert complete_layout("./pub") == []


@pytest.mark.parametrize(
    "given",
    [
        TWO,
        str(TWO),
        TWO.read_text("utf-8"),
        isfc.Decks([TWO]),
        isfc.Decks([TWO.read_text("utf-8")], "VMA,VMB"),
        isfc.import_iocp([TWO], partitions="VMA,VMB").collection,
    ],
    ids=["path", "name", "text", "decks", "partitions", "collection"],
)
def test_a_deck_is_the_layout_that_it_is_imported_as(given: Any) -> None:
    known = isfc.import_iocp([TWO], partitions="VMA,VMB").collection
    assert given_collection(given).links == known.links
    assert [each.nodes for each in isfc.check(given)] == [("VMA", "VMB")]


@pytest.mark.parametrize(
    "given", [",".join(map(str, LOG)), isfc.Decks(LOG), isfc.import_islink(LOG).collection]
)
def test_console_logs_are_the_layout_that_they_are_imported_as(given: Any) -> None:
    assert given_collection(given).links == isfc.import_islink(LOG).collection.links


def test_what_is_assumed_is_a_note_of_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    link = isfc.load_layout(f"ATLANTA={LOG[0]}")
    assert "assumed" in {note.kind for note in link.notes}
    assert run(["show", f"ATLANTA={LOG[0]}"]) == ExitCode.GOOD
    assert "ATLANTA" in capsys.readouterr().out
    words = [str(DECKS / "mistakes.iocp"), "--partitions", "CHICAGO,DENVER", "--rule"]
    assert run(["plan", *words]) == ExitCode.GOOD  # which two other remarks had left no room
    assert "\nLeft out: 19 devices of the decks in no link." in capsys.readouterr().out


def test_from_python_arguments_are_named_as_they_are() -> None:
    with pytest.raises(isfc.ConfigurationError, match=r"^partitions: missing"):
        isfc.carried(Path(DECKS / "one-cec.iocp"))
