"""The picture of the CTC's states is the one that the table gives."""

from xml.etree import ElementTree

from ctc.state import TRANSITIONS, CommandClass, State
from isfc.link.state import DeviceState
from isfc.link.write_side import SHOWN, WRITE_SIDE
from tools.pages import diagram

TEXT = "{http://www.w3.org/2000/svg}text"


def test_picture_holds_the_table() -> None:
    texts = [element.text for element in ElementTree.fromstring(diagram.draw()).iter(TEXT)]
    del texts[: texts.index("not ready") + 1]  # the headings
    for command_class in CommandClass:
        row = texts.index(command_class.value) + 1
        outcomes = [outcome.name.lower() for outcome in TRANSITIONS[command_class]]
        assert texts[row : row + len(State)] == [name.replace("_", " ") for name in outcomes]


def test_picture_of_the_link_holds_its_table() -> None:
    texts = [element.text for element in ElementTree.fromstring(diagram.draw_link()).iter(TEXT)]
    for given in WRITE_SIDE:
        row = texts[texts.index(given.cause) + 1 :][: len(DeviceState)]
        found = {SHOWN[each] for each in given.changes}
        left = {SHOWN[each] for each in given.changes.values()}
        assert row.count("stays") >= len(found & left)
        assert row.count("from here") >= len(found - left)
        assert row.count("to here") >= len(left - found)
