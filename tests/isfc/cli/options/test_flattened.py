"""A record of options is an option of each command that takes it."""

from typing import Annotated

import typer
from msgspec import Struct
from typer.testing import CliRunner

from isfc.cli.options.option import flattened


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
