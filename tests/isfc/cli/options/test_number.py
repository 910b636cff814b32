"""Number options: of every command, none takes what is no number, or an absurd one."""

from collections.abc import Iterator
from typing import Any

import pytest
from typer.core import TyperOption

from isfc.cli.main import COMMANDS, load_command, run
from isfc.errors import ConfigurationError

ABSURD = ("nan", "inf", "-inf", "1e300", "-1", "9" * 400)


def number_options() -> Iterator[tuple[str, TyperOption]]:
    """Every option of every command that takes a number, under the name of the two."""
    for name in COMMANDS:
        command = load_command(name)
        for each in getattr(command, "commands", {name: command}).values():
            for option in each.params:
                if option.type.name.removesuffix(" range") in ("int", "float"):
                    yield f"{name} {option.opts[0]}", option


OPTIONS = dict(number_options())


def test_all_of_them_are_found() -> None:
    named = {
        "up --reconnect",
        "node --dilation",
        "run --pairs",
        "replay --rdevs",
        "run --seeds",
        "io --seconds",
        "new --ctcs",
        "collide --seed",
    }
    assert named <= set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_absurd_number_is_refused_with_the_option_and_its_bounds(name: str) -> None:
    option: Any = OPTIONS[name]
    context = load_command(name.split()[0]).context_class(load_command("plan"))
    for text in ABSURD:
        with pytest.raises(Exception) as caught:  # which of the two is asserted below
            option.process_value(context, [text] if option.multiple else text)
        error = caught.value
        if isinstance(error, ConfigurationError):
            assert f"{name.split()[1]} " in str(error)
            assert ": expected " in str(error)
            assert len(str(error)) < 120
        else:  # an integer that is none
            assert "is not a valid int" in str(error)


def test_bounds_are_told_with_their_unit(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("up", "node 1STI"):
        assert run([*command.split(), "query-islink", "--reconnect", "0"]) == 2
        assert capsys.readouterr().err == "isfc: --reconnect 0: expected 0.1 to 86400 s\n"
