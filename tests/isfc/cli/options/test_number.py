"""Number options: of every command, none takes what is no number, or an absurd one."""

from typing import Any, Final

import pytest

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
