"""What the two nodes' process does when one of them cannot start."""

import asyncio
from pathlib import Path

import pytest

from isfc.cli.live.loops import run_live
from isfc.cli.live.measured import Measured
from isfc.cli.live.options import LiveOptions
from isfc.cli.live.processes import LiveSystems
from isfc.link.name import NodeName


@pytest.mark.slow
def test_a_node_that_does_not_start_ends_both_with_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    names = (NodeName("CLIENT"), NodeName("NOBODY"))
    measured: list[Measured] = []

    async def main(stop: asyncio.Event) -> int:
        pair = LiveSystems(["published-4"], [names], LiveOptions())
        return await pair.run(stop, measured, plain=True, quiet=True)

    assert run_live(main) == 2
    assert not measured
    assert "NOBODY: not a node of this layout" in capfd.readouterr().err
    assert not list((tmp_path / "isfc").glob("*"))


@pytest.mark.slow
def test_a_node_that_does_not_end_is_killed_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr("isfc.cli.live.processes.END_S", 0.2)
    stubborn = tmp_path / "stubborn"
    stubborn.write_text("#!/bin/sh\nexec sleep 60\n")
    stubborn.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(stubborn))

    async def main(stop: asyncio.Event) -> int:
        stop.set()
        pair = LiveSystems(
            ["published-4"], [(NodeName("CLIENT"), NodeName("SERVER"))], LiveOptions()
        )
        return await pair.run(stop, [], plain=True, quiet=True)

    assert run_live(main) == 1
    assert "isfc: CLIENT did not end within 0.2 s and was killed" in capfd.readouterr().err
    assert not list((tmp_path / "isfc").glob("*"))


@pytest.mark.slow
@pytest.mark.parametrize(("is_told", "code"), [(True, 0), (False, 1)])
def test_ctrl_c_that_meets_a_node_as_it_starts_is_no_failure(
    *,
    is_told: bool,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    starting = tmp_path / "starting"
    starting.write_text("#!/bin/sh\nkill -INT $$\n")
    starting.chmod(0o700)
    monkeypatch.setattr("sys.executable", str(starting))

    async def main(stop: asyncio.Event) -> int:
        if is_told:
            stop.set()
        names = (NodeName("CLIENT"), NodeName("SERVER"))
        pair = LiveSystems(["published-4"], [names], LiveOptions())
        return await pair.run(stop, [], plain=True, quiet=True)

    assert run_live(main) == code
    assert ("was ended by signal 2" in capfd.readouterr().err) is not is_told
