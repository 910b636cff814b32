"""Whatever a program gives to a public function, it gets a result or an `IsfcError`."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isfc

FUNCTIONS = sorted(
    name
    for name in isfc.__all__
    if inspect.isfunction(getattr(isfc, name)) and name not in ("open_node", "sweep")
)
CLASSES = ["GuestMemory", "GuestPlan", "Limits", "NodeName", "Workload"]
MANY = "[[link]]\nnodes = ['A', 'B']\n[[link]]\nnodes = ['A', 'C']\n"

anything = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(),
    st.text(max_size=12),
    st.binary(max_size=12),
    st.sampled_from(
        ["published-4", "HL", "no-such", MANY, Path("published-4"), Path(), object(), int]
    ),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
    st.sampled_from([isfc.Layout, isfc.load_layout("published-4"), isfc.GuestMemory(2**20, 2**20)]),
)


any_call: Any = isfc
GOOD: dict[str, st.SearchStrategy[Any]] = {
    "layout": st.sampled_from(["published-4", isfc.load_layout("published-4"), MANY]),
    "workload": st.sampled_from(["HS", "CDU:100"]),
    "pairs": st.integers(-1, 5),
    "seconds": st.floats(-1, 0.05),
    "warmup": st.floats(-1, 0.05),
    "interval": st.floats(-0.1, 1),
    "collection": st.sampled_from([isfc.Collection((isfc.load_layout("published-4"),))]),
    "change": st.sampled_from(
        [isfc.MoveCtc("CLIENT-SERVER", "6000", "2"), any_call.MoveCtc("A", 0x6000, "2")]
    ),
    "guests": st.sampled_from([isfc.GuestMemory(2**20, 2**20)]),
    "fibres": st.frozensets(st.sampled_from("12x")),
    "data": st.sampled_from(["", MANY]),
    "memory": st.sampled_from([isfc.GuestMemory(2**20, 2**20)]),
}
"""What is of the right type, by the argument's name; some of it is wrong all the same."""


def call_with(data: st.DataObject, function: Callable[..., Any]) -> None:
    """Call a function with good arguments but for one, or with anything for all."""
    arguments = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            continue
        is_left_out = parameter.default is not inspect.Parameter.empty and data.draw(st.booleans())
        if not is_left_out:
            arguments[name] = data.draw(anything | GOOD.get(name, anything), label=name)
    if "seconds" in arguments and isinstance(arguments["seconds"], int | float):
        arguments["seconds"] = min(arguments["seconds"], 0.1)
    with suppress(isfc.IsfcError):
        function(**arguments)


@pytest.mark.parametrize("name", FUNCTIONS)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_function_raises_nothing_but_an_error_of_ours(name: str, data: st.DataObject) -> None:
    call_with(data, getattr(isfc, name))


@pytest.mark.parametrize("name", CLASSES)
@given(data=st.data())
@settings(max_examples=60, deadline=None)
def test_class_raises_nothing_but_an_error_of_ours(name: str, data: st.DataObject) -> None:
    call_with(data, getattr(isfc, name))
