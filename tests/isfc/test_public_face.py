"""The public face: what ``import isfc`` offers, where it comes from and what it costs."""

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any, get_args, get_origin

import pytest

import isfc
from isfc import testing
from isfc.errors.arguments import annotation_of
from tools import PROJECT

OURS = ("ctc", "isfc", "scenarios")


def test_program_that_type_checkers_read_has_every_public_name() -> None:
    program = (PROJECT / "tests" / "user_program.py").read_text("utf-8")
    used = set(re.findall(r"\bisfc\.(\w+)", program))
    assert used == set(isfc.__all__)


@pytest.mark.at_length
@pytest.mark.slow
def test_program_that_type_checkers_read_runs() -> None:
    subprocess.run(
        [sys.executable, "-m", "tests.user_program"], cwd=PROJECT, check=True, timeout=110
    )


@pytest.mark.parametrize("name", isfc.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    assert getattr(isfc, name).__doc__
    assert re.search(rf"`[^`]*\b{name}\b", (PROJECT / "docs" / "api.md").read_text("utf-8"))


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("name", [*isfc.__all__, *(f"testing.{each}" for each in dir(testing))])
def test_help_says_what_the_source_says(name: str) -> None:
    """The compiler leaves docstrings of classes out, and gives types the module that imports."""
    public = getattr(testing, name[8:]) if "." in name else getattr(isfc, name)
    assert "filler" not in (inspect.getdoc(public) or "filler")
    if isinstance(public, type) and not issubclass(public, Exception):
        try:
            signature = str(inspect.signature(public))
        except ValueError:  # a compiled class that is no dataclass has none
            signature = ""
        assert "importlib" not in signature


def test_every_class_that_a_function_returns_is_public() -> None:
    public = [getattr(isfc, name) for name in isfc.__all__]
    public += [getattr(isfc.measured, name) for name in isfc.measured.__all__]
    for function in filter(inspect.isroutine, public):
        for kind in classes(annotation_of(inspect.unwrap(function), "return")):
            assert kind in public or kind.__module__.partition(".")[0] not in OURS, (function, kind)


def classes(hint: Any) -> Iterator[type]:
    """Those in an annotation."""
    for each in (get_origin(hint), *map(classes, get_args(hint)), hint):
        if isinstance(each, Iterator):
            yield from each
        elif inspect.isclass(each):
            yield each


def test_programs_of_the_documentation_import_isfc_alone() -> None:
    pages = [page.read_text("utf-8") for page in (PROJECT / "docs").rglob("*.md")]
    programs = [each for page in pages for each in re.findall(r"(?s)```python\n(.*?)```", page)]
    programs += [file.read_text("utf-8") for file in (PROJECT / "docs" / "api").glob("*.py")]
    assert len(programs) > 15
    for program in programs:
        assert not re.findall(r"(?m)^\s*(?:from|import) (?:ctc|scenarios)\b", program)


def test_a_name_that_is_not_public_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="module 'isfc' has no attribute 'LogicalLink'"):
        isfc.LogicalLink  # noqa: B018


def test_names_are_listed_for_completion() -> None:
    assert {*isfc.__all__, "__version__"} == {*dir(isfc)}


def test_import_loads_nothing_else() -> None:
    code = (
        "import isfc, sys; print(*(m for m in sys.modules if m.startswith(('isfc', 'ctc', 'sce'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "isfc.errors isfc.errors.loading isfc\n"
