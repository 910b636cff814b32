"""CP commands in a file, and what came of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isfc.errors import ConfigurationError
from isfc.layout.catalogue import load_layout
from isfc.link.name import NodeName
from isfc.system.cp.messages import LINK_ACTIVATED, LINK_DEACTIVATED, LINK_DOWN, LINK_UP, OPERATOR
from scenarios.runs.experiment import Experiment
from scenarios.runs.operation import ConsoleEntry, TimedCommand, Transcript, read_script
from scenarios.runs.run import run
from scenarios.runs.workload import find_workload

ATLANTA, BOSTON = NodeName("ATLANTA"), NodeName("BOSTON")


def experiment(client: NodeName | None = None) -> Experiment:
    layout = load_layout("atlanta-boston")
    return Experiment.of(
        layout, find_workload("HL"), pairs=10, seconds=0.04, warmup=0.01, client=client
    )


@pytest.fixture(name="script")
def make_script(tmp_path: Path) -> Path:
    return tmp_path / "commands.cp"


def test_lines_say_when_where_and_what(script: Path) -> None:
    script.write_text(
        "* comments\n"
        "  # of both kinds\n"
        "\n"
        "at 0.025s Q ISLINK\n"
        "AT 0.05 S boston:deact islink 7003  \n"
        "  at 20ms BOSTON: Query ISLINK 7003\n"
        "at 1us Q CHPID 40\r\n"
        "at 0s ATLANTA : q islink\n"
    )
    assert read_script(str(script), experiment()) == [
        TimedCommand(25_000_000, ATLANTA, "Q ISLINK"),
        TimedCommand(50_000_000, BOSTON, "deact islink 7003"),
        TimedCommand(20_000_000, BOSTON, "Query ISLINK 7003"),
        TimedCommand(1_000, ATLANTA, "Q CHPID 40"),
        TimedCommand(0, ATLANTA, "q islink"),
    ]


def test_node_of_the_clients_is_meant_where_none_is_named_and_times_are_exact(script: Path) -> None:
    script.write_text("at 0.000000001s a\nat 0.010000003s b")
    found = read_script(str(script), experiment(BOSTON))
    assert [(timed.node, timed.at_ns) for timed in found] == [(BOSTON, 1), (BOSTON, 10_000_003)]


EXPECTED = "expected 'at 2.5s COMMAND' or 'at 2.5s NODE: COMMAND'"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("Q ISLINK", f"'Q ISLINK': {EXPECTED}"),
        ("at 2 Q ISLINK", f"'at 2 Q ISLINK': {EXPECTED}"),
        ("at -1s Q ISLINK", f"'at -1s Q ISLINK': {EXPECTED}"),
        ("at 0.01s", f"'at 0.01s': {EXPECTED}"),
        ("at 0.01sQ ISLINK", f"'at 0.01sQ ISLINK': {EXPECTED}"),
        ("at 1e3s Q", f"'at 1e3s Q': {EXPECTED}"),
        ("at 0.01s BOSTON:", f"'at 0.01s BOSTON:': {EXPECTED}"),
        ("at 0.051s Q", "at 0.051s: expected a time of the run, which ends at 0.05 s"),
        ("at 999999999s Q", "at 999999999s: expected a time of the run, which ends at 0.05 s"),
        (
            "at 0.01s AKRON: Q",
            "node AKRON: not a node of this layout; expected ATLANTA or BOSTON",
        ),
        ("x" * 100, f"'{'x' * 40}': {EXPECTED}"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_line(script: Path, line: str, complaint: str) -> None:
    script.write_text(f"at 0s q islink\n{line}\n")
    with pytest.raises(ConfigurationError) as refused:
        read_script(str(script), experiment())
    assert str(refused.value) == f"{script}:2: {complaint}"


def test_file_that_cannot_be_read_is_named(script: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"cannot be read \(No such file"):
        read_script(str(script), experiment())
    script.write_bytes(b"at 0s \xff")
    with pytest.raises(ConfigurationError, match="is not UTF-8 text; expected CP commands"):
        read_script(str(script), experiment())


@given(st.text(max_size=40))
def test_any_line_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.cp"
    path.write_text(line, "utf-8", errors="replace")
    try:
        commands = read_script(str(path), experiment())
    except ConfigurationError as error:
        assert str(error).startswith(f"{path}:")  # noqa: PT017  # either way is good
    else:
        assert len(commands) <= len(line.splitlines())


def transcript(script: Path, text: str) -> Transcript:
    script.write_text(text)
    kept = Transcript(read_script(str(script), experiment()))
    run(experiment(), operation=kept.operation)
    return kept


def test_responses_and_what_comes_unasked_stand_in_the_order_of_time(script: Path) -> None:
    kept = transcript(
        script,
        "at 30ms act islink 6003\nat 20ms deact islink 6003\nat 25ms BOSTON: q islink 7003\n",
    )
    assert [(entry.node, entry.command, entry.return_code) for entry in kept.entries] == [
        (ATLANTA, "deact islink 6003", 0),
        (ATLANTA, None, None),
        (ATLANTA, None, None),
        (BOSTON, None, None),
        (BOSTON, "q islink 7003", 0),
        (ATLANTA, "act islink 6003", 0),
        (ATLANTA, None, None),
        (BOSTON, None, None),
        (ATLANTA, None, None),
    ]
    unasked = [entry.lines for entry in kept.entries if entry.command is None]
    assert unasked == [
        (LINK_DEACTIVATED("6003", OPERATOR),),
        (LINK_DOWN("6003"),),
        (LINK_DOWN("7003"),),
        (LINK_ACTIVATED("6003", OPERATOR),),
        (LINK_UP("7003"),),
        (LINK_UP("6003"),),
    ]
    times = [entry.at_s for entry in kept.entries]
    assert times == sorted(times)
    assert times[0] == 0.02
    assert kept.entries[4].lines[3].startswith("State:       Down ")


def test_refusals_are_found(script: Path) -> None:
    kept = transcript(script, "at 20ms foo\nat 21ms help\nat 22ms vary on 6000")
    assert [entry.command for entry in kept.refusals] == ["foo", "vary on 6000"]
    assert all(isinstance(entry, ConsoleEntry) for entry in kept.refusals)
