"""The LAYOUT argument: its completion, and layouts from a pipe."""

import io
import os
from pathlib import Path

import pytest

from isfc.cli.options.layout import complete_layout, open_layout
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout, shipped_layouts


def test_shipped_layouts_are_offered_by_their_beginning() -> None:
    assert complete_layout("published-1") == [
        "published-1",
        "published-10",
        "published-12",
        "published-14",
        "published-16",
    ]
    assert complete_layout("") == list(shipped_layouts())


def test_nothing_is_offered_for_a_path_so_that_the_shell_offers_files() -> None:
    assert complete_layout("./pub") == []


TEXT = Path(__file__).parents[4] / "isfc" / "layout" / "shipped" / "published-4.toml"


def test_layout_is_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT.read_bytes())))
    assert open_layout("-") == load_layout("published-4")


def test_layout_is_read_from_a_pipe() -> None:
    read, write = os.pipe()
    os.write(write, TEXT.read_bytes())
    os.close(write)
    assert open_layout(f"/dev/fd/{read}") == load_layout("published-4")
    os.close(read)


def test_empty_argument_is_called_so() -> None:
    with pytest.raises(ConfigurationError, match="LAYOUT is empty; expected a path or one of"):
        open_layout("")
