"""What the two nodes' process does when one of them cannot start, or does not end."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from isfc.cli.live.loops import run_live
from isfc.cli.live.measured import Measured
from isfc.cli.live.options import LiveOptions
from isfc.cli.live.processes import LiveSystems
from isfc.link.name import NodeName

pytestmark = pytest.mark.slow

RunPair = Callable[..., tuple[int, str]]


@pytest.fixture
def run_pair(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> RunPair:
    """Run CLIENT and another system, perhaps as a script; the exit code, and what was said."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    measured: list[Measured] = []

    def run(other: str = "SERVER", *, script: str = "", told: bool = False) -> tuple[int, str]:
        if script:
            file = tmp_path / "script"
            file.write_text(f"#!/bin/sh\n{script}\n")
            file.chmod(0o700)
            monkeypatch.setattr("sys.executable", str(file))

        async def main(stop: asyncio.Event) -> int:
            if told:
                stop.set()
            names = (NodeName("CLIENT"), NodeName(other))
            pair = LiveSystems(["published-4"], [names], LiveOptions())
            return await pair.run(stop, measured, plain=True, quiet=True)

        code = run_live(main)
        assert not measured
        assert not list((tmp_path / "isfc").glob("*"))
        return code, capfd.readouterr().err

    return run


def test_a_node_that_does_not_start_ends_both_with_its_exit_code(run_pair: RunPair) -> None:
    code, said = run_pair("NOBODY")
    assert code == 2
    assert "NOBODY: not a node of this layout" in said


def test_a_node_that_does_not_end_is_killed_and_named(
    run_pair: RunPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isfc.cli.live.processes.END_S", 0.2)
    code, said = run_pair(script="exec sleep 60", told=True)
    assert code == 1
    assert "isfc: CLIENT did not end within 0.2 s and was killed" in said


@pytest.mark.parametrize(("told", "code"), [(True, 0), (False, 1)])
def test_ctrl_c_that_meets_a_node_as_it_starts_is_no_failure(
    run_pair: RunPair, told: bool, code: int
) -> None:
    found, said = run_pair(script="kill -INT $$", told=told)
    assert found == code
    assert ("was ended by signal 2" in said) is not told
