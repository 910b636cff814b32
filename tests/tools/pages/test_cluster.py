"""The pictures of the guide on clusters are those of the code, and say what its commands print."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from tools.pages import cluster

TEXT = "{http://www.w3.org/2000/svg}text"
PAGE = (cluster.DOCS / "cluster.md").read_text("utf-8")


def texts(name: str) -> list[str]:
    svg = ElementTree.fromstring((cluster.DOCS / name).read_text("utf-8"))
    return [element.text or "" for element in svg.iter(TEXT)]


def section(question: str) -> str:
    return PAGE.partition(f"## {question}")[2].partition("\n## ")[0]


def test_each_question_has_its_picture() -> None:
    assert "(cluster-together.svg)" in section("Can my third member share the two chpids?")
    assert "(cluster-losses.svg)" in section("What does the loss of one CEC leave?")
    assert "(cluster-evacuation.svg)" in section("How long does evacuating ALPHA take?")


def test_links_together_are_those_of_the_plan() -> None:
    printed = section("Can my third member share the two chpids?")
    shown = texts("cluster-together.svg")
    found = re.findall(r"^(\w+-\w+) +\d+ +\d+ +\d+ +\d+ +(\d+)  HL:50$", printed, re.MULTILINE)
    assert len(found) == 3
    for link, left in found:
        assert shown[shown.index(link) + 2].endswith(f": {left} %")
    busy = re.findall(r"^(\w+ \w\w) +\d+ +\d+ +\d+ +\d+ +(\d+)  ", printed, re.MULTILINE)
    assert len(busy) == 6
    for channel, percent in busy:
        assert shown[shown.index(channel) + 1] == f"{percent} %"


def test_losses_are_those_of_the_plan() -> None:
    printed = section("What does the loss of one CEC leave?")
    shown = texts("cluster-losses.svg")
    links = sorted({*re.findall(r"\b[A-Z]+-[A-Z]+\b", printed)})
    heading = shown.index(links[0])
    assert shown[heading : heading + len(links)] == links
    rows = dict(_rows(shown[heading + len(links) :], len(links)))
    assert rows["CEC EAST"] == ["down"] * 5 + ["all"]
    assert rows["CEC WEST"] == ["all"] + ["down"] * 5
    assert rows["director 1"] == rows["director 2"] == ["4 of 8"] * 6


def _rows(shown: list[str], columns: int) -> Iterator[tuple[str, list[str]]]:
    for first in range(0, len(shown), columns + 1):
        yield shown[first], shown[first + 1 : first + 1 + columns]


def test_evacuation_is_that_of_the_command() -> None:
    printed = section("How long does evacuating ALPHA take?")
    shown = texts("cluster-evacuation.svg")
    (seconds,) = re.findall(r"^Empty after (\S+) s", printed, re.MULTILINE)
    assert shown[0].startswith(f"4 guests in {seconds} s")
    guests = re.findall(
        r"^(LINUX\d) +(\w+) +(\S+) +\S+ +\S+ +(\S+)  =* *=+$",
        printed,
        re.MULTILINE,
    )
    assert len(guests) == 4
    for name, to, size, stop in guests:
        at = shown.index(f"{name} to {to}, {size} GiB")
        assert shown[at + 1] == f"stopped {stop} s"
