"""The picture of the CTC's states is the one that the table gives."""

from xml.etree import ElementTree

from ctc.state import TRANSITIONS, CommandClass, State
from tools.pages import diagram

TEXT = "{http://www.w3.org/2000/svg}text"


def test_picture_is_up_to_date() -> None:
    assert diagram.PICTURE.read_text("utf-8") == diagram.draw(), "run: make docs"


def test_picture_holds_the_table() -> None:
    texts = [element.text for element in ElementTree.fromstring(diagram.draw()).iter(TEXT)]
    del texts[: texts.index("not ready") + 1]  # the headings
    for command_class in CommandClass:
        row = texts.index(command_class.value) + 1
        outcomes = [outcome.name.lower() for outcome in TRANSITIONS[command_class]]
        assert texts[row : row + len(State)] == [name.replace("_", " ") for name in outcomes]
