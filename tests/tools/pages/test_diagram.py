"""The picture of the CTC's states is the one that the table gives."""

from xml.etree import ElementTree

from ctc.state import TRANSITIONS, CommandClass, State
from isfc.link.state import CHANGES
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
    for change in CHANGES:
        row = texts[texts.index(change.cause) + 1 :][: len(change.before) + 1]
        stays = change.after in change.before
        assert row.count("from here") >= len(change.before) - 2 * stays
        assert ("stays" if stays else "to here") in row
