"""Every command that takes a LAYOUT takes it from standard input as well, as its help says."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from isfc.cli.main import run
from isfc.cli.output.exits import ExitCode
from tests.isfc.cli.conftest import Refusal

LAYOUT = Path(__file__).parents[3] / "isfc" / "layout" / "shipped" / "published-1.toml"


def test_pipe_of_the_shell_is_a_layout(capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["check", "--fail-on", "never"], ["export", "--as", "toml"]):
        reader, writer = os.pipe()
        os.write(writer, LAYOUT.read_bytes())
        os.close(writer)
        try:
            assert run([words[0], f"/dev/fd/{reader}", *words[1:]]) == ExitCode.GOOD
        finally:
            os.close(reader)
        assert capfd.readouterr().err == ""


@pytest.mark.parametrize("words", [["up"], ["up", "--detach"]])
def test_systems_that_read_it_themselves_need_a_file(words: list[str], refusal: Refusal) -> None:
    # each would wait forever for what another has read
    assert refusal(*words, "-").startswith("LAYOUT -: expected a file")


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        "plan - --rule",
        "show -",
        "check - --fail-on never",
        "export - --as toml",
        "run - --workload HS --pairs 1 --seconds 0.01 --warmup 0",
        "relocate - --memory 1M --change-rate 0",
        "collide - --offer-out 1 --offer-in 1 --seconds 0.01",
        "optimise - --ctcs 1 --seconds 0.01 --seeds 1 --pairs 1",
    ],
)
def test_layout_is_read_from_standard_input(arguments: str) -> None:
    with LAYOUT.open() as layout:
        done = subprocess.run(
            [sys.executable, "-m", "isfc", *arguments.split()],
            stdin=layout,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, "")
