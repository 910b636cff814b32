"""Public functions with any arguments of their types raise nothing but `IsfcError`."""

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import isfc
from isfc.errors.arguments import annotation_of
from isfc.layout.site import SiteProfile
from isfc.link.parameters import LinkRules
from isfc.site.measurement import FilePlace
from isfc.testing.strategies import layouts
from scenarios.runs.notes import Saturated
from scenarios.runs.steady import Rate
from tests.scenarios.runs.test_result import SLOW

ONE: Final = isfc.load_layout("published-1")
TEXT: Final = isfc.format_collection(isfc.Collection((ONE,)))

LONG: Final = frozenset("carried plan compare losses optimise sweep evacuate".split())
"""Functions whose runs take long: only the least layout is given to them."""

WITHOUT: Final = frozenset(["open_node", "replay", "report"])
"""One is a coroutine's, and the others would run for minutes."""

ALWAYS: Final = frozenset(["seconds", "warmup", "interval", "runs", "seeds", "pairs"])
"""Arguments that are always given: without them a run is a long one."""

TEXTS: Final = [
    *["", " ", "\n", "\0", "\ud800", "x", "HL", "CDU:0", "published-1", "two-cecs", "no.toml"],
    *["CLIENT", "SERVER", "CLIENT-SERVER", "CLIENT,SERVER", "40", "40:50", "6000", "6000-5000"],
    *["1", "HS:1", "5 CANCEL X", "+02:00", "9" * 5000, "sum", "forward", "FICON Express8S", TEXT],
]
NUMBERS: Final = [0, 1, 2, -1, 2**31, 2**64, 10**40]
FLOATS: Final = [0.0, 1e-12, 0.001, 0.01, 1.0, -1.0, 1e300, float("inf"), float("-inf")]

OPTION: Final = re.compile(r"(?<![\w'-])--[a-z]")
"""An option of a command; a command that is named, in quotes, may have some."""

MANY: Final = isfc.at_site("two-cecs", SLOW)
READ: Final = isfc.measured.Measurement("CLIENT", None, None, FilePlace("x", 1))

NAMES_GIVEN: Final = st.sampled_from(["A,B", "x"])
RECORDS: Final[Mapping[Any, st.SearchStrategy[Any]]] = {
    str: st.sampled_from(TEXTS) | st.text(max_size=12),
    bytes: st.sampled_from([TEXT.encode(), b"", b"\xff", b"\0"]),
    bool: st.booleans(),
    int: st.sampled_from(NUMBERS),
    float: st.sampled_from(FLOATS) | st.sampled_from(NUMBERS),
    Path: st.sampled_from([Path(), Path("none"), Path("/dev/null"), Path("x\0")]),
    NoneType: st.none(),
    object: st.none() | st.integers() | st.dictionaries(st.text(max_size=4), st.integers()),
    isfc.NodeName: st.sampled_from([*ONE.nodes, isfc.NodeName("OTHER")]),
    isfc.Collection: st.sampled_from([isfc.Collection((ONE,)), MANY]),
    isfc.Traffic: st.sampled_from(isfc.Traffic),
    SiteProfile: st.sampled_from([SLOW, SiteProfile("old", {}, (), 1, "x")]),
    LinkRules: st.just(LinkRules()),
    Mapping[str, Any]: st.dictionaries(st.text(max_size=4), st.integers()),
    isfc.GuestMemory: st.builds(
        isfc.GuestMemory, size=st.just(2**20), touched=st.integers(1, 2**20)
    ),
    isfc.Decks: st.builds(isfc.Decks, st.lists(st.sampled_from(TEXTS)), st.none() | NAMES_GIVEN),
    isfc.measured.Measurement: st.just(READ),
    isfc.measured.Measurements: st.just(isfc.measured.Measurements((READ,))),
}
"""What is given where one of these is expected."""


NAMES: Final = st.sampled_from(["CLIENT-SERVER", "1", "6000", "7000", "40", "x", "FICON Express4"])
BOTH: Final = st.tuples(NAMES, NAMES)
MAYBE: Final = st.none() | st.sampled_from(FLOATS)
PLANS: Final = st.builds(
    isfc.GuestPlan, st.sampled_from(["A", "B", "LINUX123"]), RECORDS[isfc.GuestMemory]
)
RATE: Final = isfc.ModelledRate(ONE, ONE.nodes[0], (Rate(1.0), Rate(1.0)))
MADE: Final[Mapping[Any, st.SearchStrategy[Any]]] = {
    isfc.GuestPlan: PLANS,
    isfc.measured.AboutFiles: st.builds(
        isfc.measured.AboutFiles,
        system=st.none() | NAMES,
        zone=st.lists(st.sampled_from(["UTC", "CLIENT=+02:00", "+2"])),
        usable=st.booleans(),
    ),
    isfc.Look: st.builds(
        isfc.Look,
        side=st.none() | NAMES,
        report=st.none() | st.sampled_from(["device", "link", "x"]),
        interval=st.none() | st.sampled_from([0.001, 1.0]),
        why=st.booleans(),
        trace=st.booleans(),
    ),
    isfc.Meanwhile: st.builds(
        isfc.Meanwhile,
        cp=st.none() | RECORDS[str],
        faults=st.none() | RECORDS[str],
        fault_seed=st.none() | st.integers(0, 9),
    ),
    isfc.Tenant: st.builds(isfc.Tenant, PLANS, to=RECORDS[isfc.NodeName]),
    Saturated: st.just(RATE),
    isfc.ModelledRate: st.just(RATE),
    isfc.Workload: st.sampled_from(
        [isfc.Workload("w", 1, 9, 50, 1), isfc.Workload.own("own", {5: 100}, 1, per_s=1e3)]
    ),
    isfc.Edit: st.one_of(
        st.builds(isfc.MoveCtc, NAMES, NAMES, NAMES),
        st.builds(isfc.AddCtc, NAMES, st.none() | BOTH),
        st.builds(isfc.RemoveCtc, NAMES, NAMES),
        st.builds(isfc.SwapRdevs, NAMES, NAMES, NAMES, st.none() | NAMES),
        st.builds(isfc.RenumberCtc, NAMES, NAMES, BOTH),
        st.builds(isfc.SetFibre, NAMES, NAMES, MAYBE, MAYBE),
        st.builds(isfc.AddFibre, NAMES, BOTH, NAMES),
        st.builds(isfc.TakeAdvice, NAMES, NAMES, RECORDS[int]),
    ),
}


def values(hint: Any, *, least: bool) -> st.SearchStrategy[Any]:
    """Values of a type; ``least``: only the least layout."""
    hint = getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint
    origin, parts = get_origin(hint), get_args(hint)
    if hint is isfc.Layout:
        return st.just(ONE) if least else st.just(ONE) | layouts()
    if least and hint in (str, isfc.Collection):
        return RECORDS[hint].filter(lambda each: each != "two-cecs" and each != MANY)
    if hint in RECORDS or hint in MADE:
        return RECORDS[hint] if hint in RECORDS else MADE[hint]
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is Callable:
        return st.just(lambda *_: None)
    assert parts, f"{hint}: say in RECORDS what is given"
    of = [values(part, least=least) for part in parts if part is not ...]
    if origin in (Union, UnionType):
        return st.one_of(*of)
    if origin is tuple and parts[1:] != (...,):
        return st.tuples(*of)
    if issubclass(origin, Mapping):
        return st.dictionaries(*of, max_size=3)
    return st.lists(of[0], max_size=3).map({tuple: tuple, frozenset: frozenset}.get(origin, list))


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function, and what makes a workload of one's own."""
    found = {name: getattr(isfc, name) for name in isfc.__all__}
    found |= {f"measured.{name}": getattr(isfc.measured, name) for name in isfc.measured.__all__}
    found["Workload.own"] = isfc.Workload.own
    return {
        name: each
        for name, each in found.items()
        if inspect.isroutine(each) and name not in WITHOUT
    }


FUNCTIONS: Final = functions()


@pytest.mark.at_length
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_any_arguments_give_a_result_or_an_error_of_ours(name: str) -> None:
    function = FUNCTIONS[name]
    plain = inspect.unwrap(getattr(function, "__func__", function))
    arguments = {
        each.name: (each, values(annotation_of(plain, each.name), least=name in LONG))
        for each in inspect.signature(function).parameters.values()
    }

    @settings(
        max_examples=4 if name in LONG else 30,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
    )
    @given(st.data())
    def call(data: st.DataObject) -> None:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for each, (parameter, drawn) in arguments.items():
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                args += data.draw(st.lists(drawn, max_size=2), each)
                continue
            needed = parameter.default is inspect.Parameter.empty or each in ALWAYS
            if needed or data.draw(st.booleans(), f"give {each}"):
                kwargs[each] = data.draw(drawn, each)
        if args:  # what stands before them is given by its place
            args, kwargs = [kwargs.pop("layout"), *args], kwargs
        kwargs |= {"jobs": 1} if "jobs" in arguments else {}
        said = ""
        try:
            found = function(*args, **kwargs)
            if inspect.isgenerator(found):
                list(found)
        except isfc.IsfcError as error:
            said = str(error)
        assert not OPTION.search(said), "an option is named where an argument is meant"

    call()
