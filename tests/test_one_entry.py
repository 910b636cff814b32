"""A feature, a workload, a finding and a CP command are one entry each: CONTRIBUTING says where."""

import re
from collections.abc import Iterable, Iterator
from random import Random

import pytest
from msgspec.structs import replace

from ctc.features import FEATURES
from isfc.answers.run import workload_lines
from isfc.cli.options.experiment import complete_workload
from isfc.errors import ConfigurationError
from isfc.layout import plan
from isfc.layout.catalogue import load_layout
from isfc.layout.file import parse_layout
from isfc.layout.rules.rule import Broken, Judged, LayoutRule, Severity, Untried
from isfc.link.events import LinkEvent, Offer, Program
from isfc.link.message import Message
from isfc.system.cp import processor
from isfc.system.cp.messages import CpResponse, Target
from isfc.system.cp.processor import CP_COMMANDS, CommandProcessor, CpCommand
from isfc.system.cp.words import CommandWords
from isfc.system.system import System
from isfc.testing.pair import Setup
from scenarios.runs.experiment import Experiment
from scenarios.runs.guests import GuestCosts
from scenarios.runs.run import run
from scenarios.runs.workload import WORKLOADS, Workload, WorkloadKind, find_workload

LAYOUT = """
[fibre.1]
feature = "FICON Express64"
chpid = { ATLANTA = "40", BOSTON = "50" }

[[ctc]]
fibre = "1"
rdevs = { ATLANTA = "6000", BOSTON = "7000" }
"""


def test_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="'FICON Express64' is not a FICON feature"):
        parse_layout(LAYOUT)
    new = replace(FEATURES["FICON Express32S"], feature="FICON Express64", link_gbps=64)
    monkeypatch.setitem(FEATURES, new.feature, new)
    assert parse_layout(LAYOUT).fibres[0].profile is new
    with pytest.raises(ConfigurationError, match=r", FICON Express64$"):
        parse_layout(LAYOUT.replace("64", "65"))


class Burst:
    """Sends so many messages, once."""

    def __init__(self, count: int) -> None:
        self._count = count

    def start(self, now_ns: int) -> Iterable[Offer]:
        return [(now_ns + 1_000, [Message(0, 100) for _ in range(self._count)])] * bool(self._count)

    def receive(self, event: LinkEvent, now_ns: int) -> Iterable[Offer]:
        return ()


def bursts(
    workload: Workload, pairs: int, _costs: GuestCosts, _random: Random
) -> tuple[Program, Program]:
    return Burst(workload.window * pairs), Burst(0)


def test_workload(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="BURST"):
        find_workload("BURST:5")
    kind = WorkloadKind(
        "BURST",
        "messages, once",
        lambda count: Workload(f"BURST:{count}", 1, 100, 0, 1, count, programs=bursts),
        operand="messages",
    )
    monkeypatch.setitem(WORKLOADS, kind.name, kind)
    assert complete_workload("B") == ["BURST:"]
    assert any(re.match("BURST:MESSAGES 1 or 100 +1  messages, once$", x) for x in workload_lines())
    with pytest.raises(ConfigurationError, match=r", BURST:<messages> or FILE.toml$"):
        find_workload("BURST")
    experiment = Experiment.of(
        load_layout("atlanta-boston"), find_workload("burst:5"), 3, seconds=0.01, warmup=0
    )
    assert run(experiment).result.messages_per_s_out == pytest.approx(1_500)


def test_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(judged: Judged) -> Iterator[Broken]:
        if judged.layout.nodes[0] == "ATLANTA":
            yield Broken("ATLANTA is first.")

    why_not = Untried("a name carries nothing")
    rule = LayoutRule("first", Severity.INFO, "A.", "B.", "C", "Rename it.", find, why_not)
    monkeypatch.setattr(plan, "LAYOUT_RULES", (*plan.LAYOUT_RULES, rule))
    *_, last = plan.find_all(load_layout("atlanta-boston"))
    assert (last.id, last.advice) == ("first", "ATLANTA is first. Rename it.")


def test_command(monkeypatch: pytest.MonkeyPatch) -> None:
    def query_names(operands: CommandWords, target: Target, answer: CpResponse) -> None:
        operands.end()
        answer.say(f"{target.system.name} and {target.system.ends[0].partner}")

    system = System([Setup().definition(0)])
    assert CommandProcessor().execute("Q NAMES", system, 0).return_code == 2
    command = CpCommand("Query", "NAMes", "", query_names)
    monkeypatch.setattr(processor, "CP_COMMANDS", (*CP_COMMANDS, command))
    assert CommandProcessor().execute("q nam", system, 0).lines == ["ATLANTA and BOSTON"]
    assert "Query NAMes" in CommandProcessor().execute("HELP", system, 0).lines
