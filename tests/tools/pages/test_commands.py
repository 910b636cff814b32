"""The site has a page for every command, as the command's help is now."""

import re

import pytest

from isfc.cli.main import COMMANDS
from tools import PROJECT
from tools.pages.commands import Listed, listed, pages


def test_every_command_has_a_page_and_a_group_one_for_each_of_its_own() -> None:
    names = [one.name for one in listed()]
    assert {name.split()[0] for name in names} == set(COMMANDS)
    assert {"import iocp", "import islink", "import config", "io run", "journal show"} <= set(names)


@pytest.mark.parametrize("one", listed(), ids=lambda one: one.name)
def test_first_page_about_a_command_names_it(one: Listed) -> None:
    text = (PROJECT / "docs" / one.topics[0]).read_text("utf-8")
    assert re.search(rf"isfc {one.name}\b", text)


def test_every_option_of_a_command_is_in_its_page() -> None:
    made = pages()
    for one in listed():
        for parameter in one.command.params:
            if parameter.param_type_name == "option" and not parameter.hidden:
                assert parameter.opts[0] in made[one.file], f"isfc {one.name}"


def test_every_command_that_prints_json_is_on_its_page() -> None:
    page = (PROJECT / "docs" / "json.md").read_text("utf-8")
    options = {
        one.name: {name for each in one.command.params for name in each.opts} for one in listed()
    }
    told = {name for name in options if f"`isfc {name} --json`" in page}
    assert told == {name for name, has in options.items() if "--json" in has}
