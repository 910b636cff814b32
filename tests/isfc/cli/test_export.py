"""``isfc export``: what it writes, and that ``isfc import`` makes the same layout of it."""

import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.output.streams import ExitCode
from isfc.io.configuration_file import parse_io_configuration
from isfc.layout.catalogue import given_collection, load_layout
from isfc.layout.file import parse_collection
from isfc.layout.write import format_layout
from tests.isfc.layout.test_file_shared import THREE


def test_several_links_are_exported_and_imported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """BOSTON's chpid 50 is in both links, so it is on a director."""
    path = tmp_path / "three.toml"
    path.write_text(THREE)
    layout = given_collection(path)
    assert run(["export", str(path), "--as", "toml"]) == ExitCode.GOOD
    text = capsys.readouterr().out
    assert text.startswith("[[link]]\n")
    assert parse_collection(text) == layout

    made = tmp_path / "new" / "decks"  # which export makes
    arguments = ["export", str(path), "--as", "iocp", "-o", str(made)]
    assert run(arguments) == ExitCode.BAD_INPUT
    said = capsys.readouterr().err
    assert said.startswith("isfc: chpid 50 at BOSTON leads to ATLANTA and CHICAGO, so it is on a")
    ports = "ATLANTA:40=A0,BOSTON:50=B0,CHICAGO:60=C0"
    assert run([*arguments, "--ports", ports]) == ExitCode.GOOD
    decks = [str(made / f"{node}.iocp") for node in layout.systems]
    partitions = ["--partitions", "ATLANTA,BOSTON,CHICAGO"]
    assert run(["import", "iocp", *decks, *partitions]) == ExitCode.GOOD
    again = parse_collection(capsys.readouterr().out)
    assert [cec.systems for cec in again.cecs] == [(node,) for node in layout.systems]  # by deck
    assert replace(again, cecs=()) == layout

    assert run(["export", str(path), "--as", "activate", "--system", "boston"]) == ExitCode.GOOD
    assert capsys.readouterr().out == (
        "ACTIVATE ISLINK 7000 7001 NODE ATLANTA\nACTIVATE ISLINK 7100 7101 7102 7103 NODE CHICAGO\n"
    )


IO = """
[channel.99]
feature = "FICON Express8S"
encrypted = true
path = "far away"

[path."far away"]
km = 12.5
isl = { count = 2, gbps = 16, credits = 960 }

[[io]]
name = "a \\"b\\""
channels = ["40", "99"]
system = "ATLANTA"
rate = 1e4
"""


def test_disks_of_a_layout_are_exported_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "link.toml"
    path.write_text(format_layout(load_layout("atlanta-boston")) + IO)
    assert run(["export", str(path), "--as", "toml"]) == ExitCode.GOOD
    exported = capsys.readouterr().out
    assert tomllib.loads(exported) == tomllib.loads(path.read_text())
    again = parse_io_configuration(exported.encode(), "exported")
    assert again == parse_io_configuration(path.read_bytes(), "link.toml")


def test_file_with_something_else_is_written_over_only_if_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`isfc export -o` over its own input lost every comment, `isfc import -o` an edited layout."""
    file = tmp_path / "link.toml"
    file.write_text(f"# ours\n{format_layout(load_layout('published-4'))}")
    words = ["export", str(file), "--as", "toml", "-o", str(file)]
    assert run(words) != 0
    assert "--force to write over it" in " ".join(capsys.readouterr().err.split())
    assert file.read_text().startswith("# ours\n")
    assert run([*words, "--force"]) == 0
    assert "# ours" not in file.read_text()
    assert run(words) == 0, "what is there already is the same"
