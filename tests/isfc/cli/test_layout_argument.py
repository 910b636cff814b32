"""What a LAYOUT may be, of every command and function: one reads for all."""

import inspect
import io
import sys
from pathlib import Path
from typing import Any, Final

import pytest

import isfc
from isfc.cli.capability import _takes_decks
from isfc.cli.main import run
from isfc.cli.output.exits import ExitCode
from isfc.errors.arguments import annotation_of
from isfc.layout.catalogue import given_collection
from tests.decks import DECKS, LOGS
from tests.isfc.cli.conftest import every_command

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
    for name, command in every_command():
        shown = {param.metavar or "" for param in command.params}
        options = {each for param in command.params for each in param.opts}
        if any("LAYOUT" in each for each in shown) and "--partitions" not in options:
            without.add(name)
    assert without <= WITHOUT.keys()


def test_every_function_with_a_layout_takes_decks() -> None:
    for name in isfc.__all__:
        function = inspect.unwrap(getattr(isfc, name))
        if inspect.isfunction(function) and "layout" in inspect.signature(function).parameters:
            hint = annotation_of(function, "layout")
            assert _takes_decks(hint) or name == "io_beside", name


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


def test_a_deck_comes_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TWO.read_bytes())))
    assert run(["show", "-", "--partitions", "VMA,VMB"]) == ExitCode.GOOD
    assert "VMA" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("show TWO,published-1", "is an IOCP deck, published-1 is a layout: expected one layout"),
        ("show published-1 --partitions A,B", "--partitions: of IOCP decks; published-1 is none"),
        ("check published-1 --ports A:50=C1", "--ports: of IOCP decks; published-1 is none"),
        ("show MANY", "--partitions: missing; expected two or more"),
        ("export MANY --as toml", "--partitions: missing; expected two or more"),
    ],
)
def test_what_is_ambiguous_is_refused(
    words: str, problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    many = f"{DECKS / 'cec-a.iocp'},{DECKS / 'cec-b.iocp'}"
    run(words.replace("TWO", str(TWO)).replace("MANY", many).split())
    assert problem in capsys.readouterr().err


def test_from_python_arguments_are_named_as_they_are() -> None:
    with pytest.raises(isfc.ConfigurationError, match=r"^partitions: missing"):
        isfc.carried(Path(DECKS / "one-cec.iocp"))
