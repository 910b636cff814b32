"""``isfc export``: what it writes, and that ``isfc import`` makes the same layout of it."""

from pathlib import Path

import pytest

from isfc.cli.exits import ExitCode
from isfc.cli.main import run
from isfc.layout.catalogue import load_layout, shipped_layouts
from isfc.layout.file import parse_layout


@pytest.mark.parametrize("name", shipped_layouts())
def test_export_then_import_is_the_same_layout(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout = load_layout(name)
    assert run(["export", name, "--as", "toml"]) == ExitCode.GOOD
    assert parse_layout(capsys.readouterr().out.encode(), "toml") == layout

    assert run(["export", name, "--as", "iocp", "-o", str(tmp_path)]) == ExitCode.GOOD
    decks = [str(tmp_path / f"{node}.iocp") for node in layout.nodes]
    partitions = ",".join(layout.nodes)
    assert run(["import", "iocp", *decks, "--partitions", partitions]) == ExitCode.GOOD
    page, told = capsys.readouterr()
    assert (parse_layout(page.encode(), "iocp"), told) == (layout, "")

    config = tmp_path / "SYSTEM.CONFIG"
    assert run(["export", name, "--as", "activate", "-o", str(config)]) == ExitCode.GOOD
    assert run(["import", "config", str(config), "--layout", name]) == ExitCode.GOOD
    page, told = capsys.readouterr()
    assert (parse_layout(page.encode(), "config"), told) == (layout, "")


def test_one_system_may_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["export", "query-islink", "--as", "activate", "--system", "2ndi"]
    assert run(arguments) == ExitCode.GOOD
    assert capsys.readouterr().out == "ACTIVATE ISLINK 33C0 33C1 33C2 33C3 NODE 1STI\n"


def test_ports_become_links(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["export", "published-1", "--as", "iocp", "--system", "CLIENT"]
    assert run([*arguments, "--ports", "CLIENT:40=C1,SERVER:50=D1"]) == ExitCode.GOOD
    assert "LINK=((CSS(0),D1))" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--as", "iocp", "--system", "DENVER"], "--system 'DENVER': expected CLIENT or SERVER"),
        (["--as", "iocp", "--ports", "CLIENT:41=C1"], "--ports 'CLIENT:41=C1': expected a node"),
        (["--as", "iocp", "--ports", "CLIENT:40"], "--ports 'CLIENT:40': expected a node and"),
        (["--as", "iocp", "-o", "a.iocp"], "a.iocp: there are 2 decks, and a file holds one;"),
    ],
)
def test_what_cannot_be_exported_is_refused(
    arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["export", "published-1", *arguments]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().err.startswith(f"isfc: {what}")
