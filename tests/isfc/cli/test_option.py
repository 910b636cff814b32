"""Options: none takes what is no number, or an absurd one; a record is an option for each field."""

from typing import Annotated, Any, Final

import pytest
import typer
from msgspec import Struct
from typer.testing import CliRunner

from isfc.cli.options.option import flattened
from isfc.errors import ConfigurationError
from tests.isfc.cli.conftest import every_command

ABSURD = ("nan", "inf", "-inf", "1e300", "-1", "9" * 400)


OPTIONS: Final[dict[str, Any]] = {
    f"{name} {option.opts[0]}": option
    for name, command in every_command().items()
    for option in command.params
    if option.type.name.removesuffix(" range") in ("int", "float")
}
"""Every option of every command that takes a number, under the name of the two."""


def test_all_of_them_are_found() -> None:
    named = {
        "up --reconnect",
        "node --dilation",
        "run --pairs",
        "replay --rdevs",
        "run --seeds",
        "io run --seconds",
        "new --ctcs",
        "collide --seed",
    }
    assert named <= set(OPTIONS)


@pytest.mark.parametrize("name", OPTIONS)
def test_absurd_number_is_refused_with_the_option_and_its_bounds(name: str) -> None:
    option, command = OPTIONS[name], every_command()[name.rpartition(" ")[0]]
    context = command.context_class(command)
    for text in ABSURD:
        with pytest.raises(Exception) as caught:  # which of the two is asserted below
            option.process_value(context, [text] if option.multiple else text)
        error = caught.value
        if isinstance(error, ConfigurationError):
            assert f"{name.split()[-1]} " in str(error)
            assert ": expected " in str(error)
            assert len(str(error)) < 120
        else:  # an integer that is none
            assert "is not a valid int" in str(error)


class Where(Struct, frozen=True):
    """A place."""

    place: Annotated[str, typer.Argument(metavar="PLACE")]
    depth: Annotated[int, typer.Option(help="How deep.")] = 3


def test_fields_are_given_one_by_one_and_arrive_as_a_record() -> None:
    taken: list[object] = []

    @flattened
    def dig(where: Where, *, tool: Annotated[str, typer.Option()] = "spade") -> None:
        """Dig."""
        taken.append((where, tool))

    app = typer.Typer()
    app.command()(dig)
    runner = CliRunner()
    assert runner.invoke(app, ["garden"]).exit_code == 0
    assert runner.invoke(app, ["garden", "--depth", "5", "--tool", "fork"]).exit_code == 0
    assert taken == [(Where("garden"), "spade"), (Where("garden", 5), "fork")]
    assert "How deep." in runner.invoke(app, ["--help"]).output
