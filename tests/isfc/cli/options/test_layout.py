"""The LAYOUT argument: its completion; from a pipe it is read as other files are."""

import io
import os
from importlib import resources

import pytest

from isfc.cli.options.layout import complete_layout, open_layout
from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout, shipped_layouts

TEXT = resources.files("isfc").joinpath("layout/shipped/published-4.toml").read_bytes()


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


def test_layout_from_standard_input_or_a_pipe_is_that_of_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    assert open_layout("-") == load_layout("published-4")
    read, write = os.pipe()
    os.write(write, TEXT)
    os.close(write)
    assert open_layout(f"/dev/fd/{read}") == load_layout("published-4")
    os.close(read)


def test_empty_argument_is_called_so() -> None:
    with pytest.raises(ConfigurationError, match="LAYOUT is empty; expected a path or one of"):
        open_layout("")
