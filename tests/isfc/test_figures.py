"""No figure of the model is a bare number in what a public function returns."""

import inspect
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any, Final, get_args

import pytest

import isfc
from isfc.errors.arguments import annotation_of
from isfc.reports.figure import Figure, Interval, Range, Unit

MODEL: Final = (
    *("isfc.answers.", "isfc.reports.figure"),
    *("scenarios.figures.", "scenarios.moves.", "scenarios.search."),
)
"""Where the model's figures are made of what runs count, which `scenarios.runs` has."""

CHANNELS: Final = ("isfc.answers.io_", "isfc.answers.shared")
"""Of channels and disks no figure has a range, as a note says beside each answer."""

_COUNTED: Final = "counted in one run: ``figures`` has it with its range"
_UNPUBLISHED: Final = "counted in one run: what several fibres share is not published"
_GIVEN: Final = "given by who asks"
_BESIDE: Final = "of runs beside what IBM measured: ranges are made from these errors"
_SHARE: Final = "a share of cases, read off a range"
_SHORT: Final = "of short runs beside each other: evidence for what is named, which has no unit"

BARE: Final = MappingProxyType(
    {
        "Figure": "what it is made of: all others are of this type",
        "Interval": "what it is made of: the ends of a range",
        "PairOdds": _SHARE,
        "ComparedResults": _SHARE,
        "ResultFigure": "of two results, which say how each was counted, and its range",
        "Setting": _GIVEN,
        "Collisions": _GIVEN,
        "LinkSizing": _GIVEN,
        "SearchResult": _GIVEN,
        **dict.fromkeys(("Left", "PlannedLink", "PlannedChpid"), "by IBM's rule of thumb"),
        **dict.fromkeys(("SharedByLinks", "ChannelOfLinks", "PathOfLinks"), _UNPUBLISHED),
        **dict.fromkeys(("MovedShare", "Busiest", "SharedPart"), _UNPUBLISHED),
        **dict.fromkeys(("Slowest", "SystemOverview"), "counted in the run of all together"),
        "LinkTogether": "the share that the slower direction keeps: its figures have ranges",
        "Compared": _SHARE,
        "BusyResource": _SHORT,
        "Limiting": _SHORT,
        "Simulation": _COUNTED,
        "SimulatedLinks": _COUNTED,
        "LinkRun": _COUNTED,
        "LinksRun": _GIVEN,
        "CarriedPart": _COUNTED,
        "FaultsRun": "counted in one run with faults: a note says that no range of it is known",
        "Sweep": _GIVEN,
        "SweptPlace": "counted in runs, with their spread; and a share of cases, read off a range",
        "RestsOn": _SHORT,
        "Replayed": _GIVEN,
        "ReplayedFigure": _BESIDE,
        "GroupError": _BESIDE,
        "Check": _BESIDE,
        "BestLink": _BESIDE,
        "ChoiceCheck": _BESIDE,
        "Limits": _GIVEN,
        "Pass": "counted in one run: the times of its guest have ranges",
        "MovedGuest": "when it began: counted in one run, as its other times with ranges",
        "DeviceSeen": "counted in one run: a note says that nothing is known of its range",
        "OthersMeanwhile": "exchanges within the ranges of MB/s, and the share that is left",
        "TriedTogether": "the share of other traffic that is left",
        "CollisionOutcome": "counted in several runs, with their spread: nothing is published",
        "WouldMove": "by the rules of relocation alone, at the rate of the passes",
        "Response": _GIVEN,
        "StatusLine": "when an operator asked",
        "Limit": _SHORT,
        "Share": _SHORT,
        "SeenResource": _SHORT,
        "Waited": _SHORT,
    }
)
"""Classes that have numbers of their own, and why each is no figure of the model."""


def returned() -> Iterator[type]:
    """Every class of the model that is reached from what public functions return, each once."""
    known: set[type] = set()
    public = [getattr(isfc, name) for name in isfc.__all__]
    waiting = [annotation_of(inspect.unwrap(each), "return") for each in public if is_routine(each)]
    while waiting:
        hint = waiting.pop()
        waiting += get_args(hint)
        if inspect.isclass(hint) and hint not in known and is_modelled(hint):
            known.add(hint)
            yield hint
            waiting += [kind for _, kind in fields(hint)]


def is_modelled(kind: type) -> bool:
    return kind.__module__.startswith(MODEL) and not kind.__module__.startswith(CHANNELS)


def is_routine(public: object) -> bool:
    return inspect.isroutine(public) and "return" in getattr(
        inspect.unwrap(public), "__annotations__", {}
    )


def fields(kind: type) -> list[tuple[str, Any]]:
    """The public fields and properties of a class, with what they are annotated with."""
    found = {
        name: annotation_of(base, name)
        for base in kind.__mro__
        for name in inspect.get_annotations(base)
    }
    for name, each in vars(kind).items():
        if isinstance(each, property):
            found[name] = annotation_of(each.fget, "return")
    return [(name, hint) for name, hint in found.items() if not name.startswith("_")]


def bare(kind: type) -> list[str]:
    """The names of its numbers."""
    return [name for name, hint in fields(kind) if hint is float or float in get_args(hint)]


def test_no_number_of_the_model_is_bare_in_an_answer() -> None:
    """A class of answers with a number is a failure here until it is a figure or has a reason."""
    every = [(kind.__name__, bare(kind)) for kind in returned()]
    assert {name for name, _ in every} >= {"Figure", "Losses", "Moves", "SizedLink", "Relief"}
    numbered = {name for name, numbers in every if numbers and not name.endswith("Json")}
    assert numbered == BARE.keys()


@pytest.mark.parametrize(
    ("within", "why"), [(None, ""), (Range(Interval(1, 2), Interval(0, 3), ""), "so")]
)
def test_a_figure_has_a_range_or_says_why_not(within: Range | None, why: str) -> None:
    with pytest.raises(ValueError, match="expected a range, or why there is none"):
        Figure(1.0, Unit.MB_PER_S, within, why)


@pytest.mark.at_length
@pytest.mark.slow
def test_a_figure_says_what_it_is_of() -> None:
    (first, _) = isfc.carried("published-1", pairs=5)
    assert repr(first.stated).startswith(f"<Figure {first.stated} MB/s with 5 pairs of HL")
    assert first.stated.sender == "CLIENT"
    saturated, stated = first.saturated.load, first.stated.load
    assert saturated is not None
    assert stated is not None
    assert stated.pairs == 5
    assert first.stated.ends.low < first.stated.value < first.stated.ends.high
