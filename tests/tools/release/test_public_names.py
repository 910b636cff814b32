"""The program for type checkers names everything public; what stubtest says of it is heard."""

import isfc
from tools.release.public_names import doubts, program


def test_program_names_everything_public_and_runs() -> None:
    scope: dict[str, tuple[object, ...]] = {}
    exec(program(), scope)  # what type checkers read
    assert len(scope["names"]) > 2 * len(isfc.__all__) + 20
    for name in isfc.__all__:
        assert scope["names"].count(getattr(isfc, name)) >= 2
    assert "isfc.testing.strategies.setups" in program()


def test_only_public_names_are_doubted() -> None:
    said = """\
error: isfc.__all__ names exported from the stub do not correspond to the names exported at runtime
error: isfc.layout.layout.Layout.fibres is not present at runtime
error: isfc.layout.edit.AddCtc.__init__ is inconsistent, runtime does not have parameter "fibre". \
You may need to write stubs for __new__ instead of __init__.
error: isfc.cli.main.COMMANDS is not present at runtime
Found 4 errors (checked 354 modules)
"""
    assert [line.split()[0] for line in doubts(said)] == [
        "isfc.__all__",
        "isfc.layout.layout.Layout.fibres",
    ]
