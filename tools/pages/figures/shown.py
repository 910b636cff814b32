"""Figures in sentences that a page's own tables show: what its commands print."""

import math
import re
from collections.abc import Iterator
from typing import Final

from isfc.answers.check import RULES
from isfc.answers.io_plan import io_plan
from isfc.answers.io_size import io_size
from isfc.io.configuration import Protocol
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.rmf import read_rmf
from isfc.io.zhyperlink import ZHYPERLINK
from isfc.reports.units import shown
from scenarios.figures.figure import Unit
from tools import PROJECT
from tools.pages.spans import WORDS, block

IO: Final = PROJECT / "docs" / "io"


DOCUMENTS: Final = {
    "z/VM 6.2 performance report, ISFC Improvements": "report",
    "IBM, z/VM live guest relocation with Linux": "LGR",
}
"""What the page on sources calls them, for short."""


def _found(pattern: str, text: str) -> list[str]:
    """The groups of the first line that begins so."""
    found = re.search(f"^{pattern}", text, re.MULTILINE)
    assert found is not None, f"no line {pattern}"
    return list(found.groups())


def collisions(text: str) -> dict[str, str]:
    """Of the page on collisions."""
    rules = {
        "none": "stop-short 0",
        "rule": "stop-short 1",
        "two": "stop-short 2",
        "three": "stop-short 3",
        "random": "random",
        "upward": "upward",
    }
    planes = {name: _plane(text, rule) for name, rule in rules.items()}
    assert not any(planes["two"] + planes["three"]), "the page says that these never collide"
    full = {
        name: _found(rf"{rule}(?: \+)? +(\d+) +\d+ +\d+ +(\d+) ", text)
        for name, rule in rules.items()
    }
    found = {
        **{f"{name}_half": planes[name][5] for name in ("none", "rule", "random", "upward")},
        "rule_most": max(planes["rule"]),
        "rule_full": full["rule"][0],
    }
    both = {
        f"{'one' if name == 'rule' else name}_both": full[name][1]
        for name in ("none", "rule", "two", "three")
    }
    return {name: str(value) for name, value in (found | both).items()}


def _plane(text: str, rule: str) -> list[int]:
    """Collisions a second, by what is offered out and in: 40, 80, 120 and 160 MB/s."""
    lines = text.partition(f"Collisions/s, {rule}: ")[2].splitlines()[2:6]
    return [int(word) for line in lines for word in re.findall(r"\d+", line)[1:]]


def io_sizing(_: str) -> dict[str, str]:
    """Of the page on sizing."""
    intervals = read_rmf(IO / "rmf.txt")
    (mix,) = io_size(rmf=IO / "rmf.txt", growth=30.0, km=100.0).mixes
    (command,) = (
        each
        for each in mix.choices
        if (each.feature, each.protocol, each.encrypted)
        == (mix.best.feature, Protocol.FICON, False)
    )
    slips = parse_io_configuration((IO / "without-zhpf.toml").read_bytes(), "slips")
    (credits_of_slips,) = {
        each.path.isl.credits for each in slips.channels.values() if each.path and each.path.isl
    }
    planned = io_plan(IO / "two-channels.toml").channels[0]
    return {
        "intervals": WORDS[len(intervals)],
        "channels": WORDS[len(intervals[0].channels)],
        "credits": str(mix.distances[-1].credits),
        "credits_by_rule": str(mix.distances[-1].credits_by_rule),
        "command_grown": str(command.channels_grown),
        "slip_credits": str(credits_of_slips),
        "planned": shown(planned.line_percent, Unit.PERCENT),
        "sized": shown(mix.best.line_percent, Unit.PERCENT),
        "zhyperlink_max": str(ZHYPERLINK.length_max),
    }


def live(_: str) -> dict[str, str]:
    """Of the page on live systems, that tells what the page on clusters shows."""
    cluster = (PROJECT / "docs" / "cluster.md").read_text("utf-8")
    alone, together = _found(r"ALPHA-BETA +(\d+) +\d+ +(\d+) ", cluster)
    return {"alone": alone, "together": together}


def tutorial(text: str) -> dict[str, str]:
    """Of the tutorial."""
    sent = re.findall(r"^MB/s sent +(\S+) +(\S+) +\S+ +(\S+)$", text, re.MULTILINE)
    (two, four, more), (_, _, fifth) = sent
    waiting_two, waiting_four = _found(r"TXPENDCT +(\d+) +(\d+)", text)
    _, packages = re.findall(r"^packages/s sent +\S+ +\S+ +\S+ +(\S+)$", text, re.MULTILINE)
    busy = [float(each) for each in re.findall(r"^50[012]\d +\d.* (\S+)$", text, re.MULTILINE)]
    return {
        "four_more": f"{float(more):.0f}",
        "waiting_two": waiting_two,
        "waiting_four": waiting_four,
        "fifth_less": f"{-float(fifth):.0f}",
        "two_less": f"{(1 - float(two) / float(four)) * 100:.0f}",
        "packages_more": f"{float(packages):.0f}",
        "busy_least": f"{math.floor(min(busy[:-1]))}",
    }


def rules() -> str:
    """The rules, as Markdown."""
    return block("\n".join(_lines()))


def _lines() -> Iterator[str]:
    for rule in RULES:
        yield ""
        yield f"### {rule.id}"
        yield ""
        yield f"{rule.severity.capitalize()}: {rule.title} {rule.reason}"
        yield ""
        yield f"- Change: {rule.remedy}"
        source = rule.source
        for document, short in DOCUMENTS.items():
            source = source.replace(document, short)
        yield f"- Source: {source}."
