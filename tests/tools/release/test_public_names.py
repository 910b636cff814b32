"""The program for type checkers names everything public."""

import isfc
from tools.release.public_names import program


def test_program_names_everything_public_and_runs() -> None:
    scope: dict[str, tuple[object, ...]] = {}
    exec(program(), scope)  # what type checkers read
    assert len(scope["names"]) > 2 * len(isfc.__all__) + 20
    for name in isfc.__all__:
        assert scope["names"].count(getattr(isfc, name)) >= 2
    assert "isfc.testing.strategies.setups" in program()
