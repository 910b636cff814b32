"""Two results side by side: what ``isfc run --json`` or ``isfc replay --json`` printed, twice."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields
from math import isfinite
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import fields as fields_of
from msgspec.structs import force_setattr, replace

from ctc.address import CtcError
from isfc.answers.beside import changed_lines, differences
from isfc.errors import ConfigurationError
from isfc.errors.arguments import checked
from isfc.layout.checked_toml import read_bytes, within
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.reports.figure import Reported
from isfc.reports.units import RangeRecord
from scenarios.figures.certainty import Differs, odds_ahead
from scenarios.figures.ranges import link_ratio
from scenarios.runs.experiment import STATED_PAIRS, Load
from scenarios.runs.report import CarriedRates
from scenarios.runs.result import MEASURES, MIB, DeviceResult, Result, noise_of
from scenarios.runs.workload import workload_seen

RESULT_LENGTH_MAX: Final = 64 * 2**20
"""Bytes of a file: a hundred times those of a replay of everything."""

_EXPECTED: Final = "expected what 'isfc run' or 'isfc replay' prints as JSON"
_SETTINGS: Final = (
    "client", "node", "workload", "pairs", "seconds", "warmup", "seed", "seeds"
)  # fmt: skip
_ORIGINS: Final = ("layout", "layout_digest", "version", "constants", "command")
_REPLAY_SETTINGS: Final = ("seconds", "seeds", "version", "constants")
_DEVICE_MEASURES: Final = tuple(field.name for field in fields(DeviceResult))[1:]
_KINDS: Final = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "object": "an object",
    "array": "a list",
    "bool": "true or false",
}


class ResultFigure(msgspec.Struct, frozen=True):
    """One figure of two results; None where a result does not have it."""

    table: str
    """`run`, or that of a replay"""
    key: str
    """`link`, an RDEV, or the published run; of several links the link, system or channel"""
    measure: str
    published: float | None
    a: float | None
    b: float | None
    a_within: bool | None = None
    """whether a tolerance is kept, null if none is declared"""
    b_within: bool | None = None
    noise: bool | None = None
    """whether they differ by no more than the spread of the seeds, of which less than 1 % counts
    as 1 %"""
    difference: float | None = None
    """b - a"""
    percent: float | None = None
    """`difference` in percent of a; null if that is 0"""

    def __post_init__(self) -> None:
        if self.a is None or self.b is None:
            return
        force_setattr(self, "difference", _finite(self.b - self.a))
        if self.a and self.difference is not None:
            force_setattr(self, "percent", _finite(self.difference / self.a * 100))


class Setting(msgspec.Struct, frozen=True):
    """Something in which two runs were set up differently; None where it is not said."""

    name: str
    a: str | float | None
    b: str | float | None


class ComparedResults(Reported, msgspec.Struct, frozen=True):
    """Two results of a kind. The figures are in the order of A, then of B."""

    reported_by = "isfc.answers.results_report.results_report"

    kind: str
    """`run`, `cluster` (several links together) or `replay`"""
    a: str
    """the first file"""
    b: str
    """the second"""
    settings: tuple[Setting, ...]
    """what was set up differently"""
    figures: tuple[ResultFigure, ...]
    """those of either"""
    moved: tuple[str, ...] = ()
    """of runs, what is new, gone or elsewhere in the layout of B, in words"""
    layout_changes: tuple[str, ...] = ()
    """of runs, the lines of the layout that only the one (`-`) or the other (`+`) has"""
    ranges: tuple[Mapping[str, RangeRecord], ...] = ()
    """of runs of one link, those of A and those of B, by figure"""
    odds: float | None = None
    """that B carries more on real hardware too, of 1; null but for runs of one link that differ in
    the layout, the pairs or the workload alone"""


class _Entry(msgspec.Struct, frozen=True):
    """A figure of ``isfc replay --json``, as far as it matters here."""

    table: str
    key: str
    measure: str
    emulated: float
    published: float | None
    within: bool | None
    spread_percent: float | None = None


class _Replay(msgspec.Struct, frozen=True):
    """What ``isfc replay --json`` printed, as far as it matters here."""

    figures: list[_Entry]


class _Known(msgspec.Struct, frozen=True):
    """How sure the figures of a run are; results of older versions do not say it."""

    figures: dict[str, "_Ranged"] = {}
    spread_percent: dict[str, float | None] = {}
    """with ``--seeds``"""


class _Ranged(msgspec.Struct, frozen=True):
    """A figure as JSON has it, as far as it matters here."""

    range: RangeRecord | None = None


class _Together(msgspec.Struct, frozen=True):
    """What ``isfc run --json`` says of several links together, as far as it matters here."""

    links: list[CarriedRates]
    systems: list[CarriedRates]
    channels: list[CarriedRates]
    together: CarriedRates
    paths: list[CarriedRates] = msgspec.field(default_factory=list)


_Cells = Mapping[tuple[str, str, str], _Entry]


@checked
def compare_results(a: str | Path, b: str | Path) -> ComparedResults:
    """Lay two results side by side: what ``isfc run`` or ``isfc replay`` printed with ``--json``.

    Raises `ConfigurationError`, which names the file and the key, for what is no result, and for
    two that are not of a kind.
    """
    paths = Path(a), Path(b)
    first, second = map(_read, paths)
    if _is_replay(first) != _is_replay(second):
        raise ConfigurationError(
            f"{a} and {b}: one holds a run, the other a replay; expected two of a kind"
        )
    if _is_replay(first):
        figures = _figures(*map(_replay, (first, second), paths))
        settings = _settings(first, second, _REPLAY_SETTINGS)
        return ComparedResults("replay", str(a), str(b), settings, figures)
    if ("together" in first) != ("together" in second):
        raise ConfigurationError(
            f"{a} and {b}: one is of one link, the other of several together; expected two of a "
            "kind"
        )
    kind = "cluster" if "together" in first else "run"
    figures = _figures(*map(_run, (first, second), paths))
    settings = _settings(first, second, _SETTINGS, _ORIGINS)
    pair = ComparedResults(kind, str(a), str(b), settings, figures)
    before, after = (_origin(run, "layout_toml") for run in (first, second))
    layouts = None
    if before is not None and after is not None:
        layouts = _layouts(before, after)
        moved = () if layouts is None else tuple(differences(*layouts))
        pair = replace(pair, moved=moved, layout_changes=tuple(changed_lines(before, after)))
    if kind == "run":
        known = [*map(_known, (first, second), paths)]
        told = None if any(map(_is_unranged, (first, second))) else layouts
        pair = _with_odds(pair, known, told, [*map(_load, (first, second))])
    return pair


def _is_unranged(run: Mapping[str, Any]) -> bool:
    """Whether it says its rate, and no range of that: then nothing tells odds."""
    rate = msgspec.convert(run, _Known).figures.get("mb_per_s")
    return rate is not None and rate.range is None


def _known(run: Mapping[str, Any], path: Path) -> Mapping[str, RangeRecord]:
    """The ranges of a run's figures by their names, as far as it says them."""
    with _named(path):
        figures = msgspec.convert(run, _Known).figures
    return {name: each.range for name, each in figures.items() if each.range is not None}


_DIFFERS: Final = {
    "layout_digest": Differs.LAYOUT,
    "pairs": Differs.PAIRS,
    "workload": Differs.WORKLOAD,
}
_ALIKE: Final = ("client", "node")
"""The settings that say whose odds are known: one of the first differs, and none of the others."""


def _with_odds(
    pair: ComparedResults,
    ranges: Sequence[Mapping[str, RangeRecord]],
    layouts: tuple[Collection, Collection] | None,
    loads: Sequence[Load],
) -> ComparedResults:
    """With their ranges, and odds where they differ in one thing, of these layouts and loads."""
    changed = [each.name for each in pair.settings if each.name in (*_DIFFERS, *_ALIKE)]
    (rates,) = ((e.a, e.b) for e in pair.figures if (e.key, e.measure) == ("link", "mb_per_s"))
    odds = None
    if len(changed) == 1 and changed[0] in _DIFFERS and rates[0] and rates[1] and layouts:
        before, after = (each.links[0] for each in layouts)
        ratio = link_ratio(rates[1] / rates[0], before, after, _DIFFERS[changed[0]], loads)
        odds = None if ratio.range is None else odds_ahead(ratio).share
    return replace(pair, ranges=tuple(ranges), odds=odds)


def _load(run: Mapping[str, Any]) -> Load:
    """What ran; of a workload of one's own only how long its messages and replies were."""
    seen, name, pairs = msgspec.convert(run, Result), str(run.get("workload")), run.get("pairs")
    both = (seen.mb_per_s_out, seen.messages_per_s_out), (seen.mb_per_s_in, seen.messages_per_s_in)
    lengths = (round(rate * MIB / max(1e-9, per_s)) for rate, per_s in both)
    return Load(workload_seen(name, *lengths), pairs if isinstance(pairs, int) else STATED_PAIRS)


def _read(path: Path) -> Any:
    """The document in a file, a pipe included."""
    with within(str(path)):
        data = read_bytes(path, _EXPECTED.removeprefix("expected "), RESULT_LENGTH_MAX)
    try:
        document = msgspec.json.decode(data)
    except (ValueError, RecursionError) as error:
        what = f"is not JSON ({error})"
        if path.suffix == ".toml":
            what = f"is a TOML file; 'isfc run {path} --json' prints a result of a layout"
        raise ConfigurationError(f"{path}: {what}; {_EXPECTED}") from None
    if not isinstance(document, dict) or not document:
        raise ConfigurationError(f"{path}: holds no result; {_EXPECTED}")
    return document


def _settings(
    a: Mapping[str, Any], b: Mapping[str, Any], names: Sequence[str], origins: Sequence[str] = ()
) -> tuple[Setting, ...]:
    """In what two results differ, of their own keys and of what their provenance says."""
    pairs = [Setting(name, _setting(a, name), _setting(b, name)) for name in names]
    pairs += [Setting(name, _origin(a, name), _origin(b, name)) for name in origins]
    return tuple(pair for pair in pairs if pair.a != pair.b)


def _is_replay(document: Mapping[str, Any]) -> bool:
    return isinstance(document.get("figures"), list)


def _origin(run: Mapping[str, Any], name: str) -> str | None:
    """What a run's provenance says, if it has any: older ones have none."""
    found = run.get("provenance")
    value = found.get(name) if isinstance(found, dict) else None
    return value if isinstance(value, str) else None


def _layouts(before: str, after: str) -> tuple[Collection, Collection] | None:
    """The layouts of two texts; None if one is of another version of isfc."""
    try:
        return parse_collection(before), parse_collection(after)
    except (ConfigurationError, CtcError, ValueError):
        return None


def _setting(run: Mapping[str, Any], name: str) -> str | float | None:
    value = run.get(name)
    return value if isinstance(value, str | int | float) else None


def _run(document: Any, path: Path) -> _Cells:
    """The figures of a run: of the link, then of each device; or of each link of several."""
    if "together" in document:
        with _named(path):
            found = msgspec.convert(document, _Together)
        rows = (*found.links, *found.systems, *found.channels, *found.paths, found.together)
        return _cells((entry for row in rows for entry in _row_entries(row)), path)
    with _named(path):
        result = msgspec.convert(document, Result)
        spreads = msgspec.convert(document, _Known).spread_percent
    entries = [
        _Entry("run", "link", name, getattr(result, name), None, None, spreads.get(name))
        for name in MEASURES
    ]
    entries += [
        _Entry("run", device.rdev, measure, getattr(device, measure), None, None)
        for device in result.devices
        for measure in _DEVICE_MEASURES
    ]
    return _cells(entries, path)


def _row_entries(row: CarriedRates) -> Iterator[_Entry]:
    """The figures of one row; the spread of several seeds is of MB/s."""
    for field in fields_of(CarriedRates)[1:-1]:
        value = getattr(row, field.name)
        if value is not None:
            spread = row.spread_percent if field.name == "mb_per_s" else None
            yield _Entry("run", row.name, field.name, value, None, None, spread)


def _replay(document: Any, path: Path) -> _Cells:
    """The entries of a replay."""
    with _named(path):
        return _cells(msgspec.convert(document, _Replay).figures, path)


def _cells(entries: Iterable[_Entry], path: Path) -> _Cells:
    """The entries by table, key and measure, which name each of them."""
    cells: dict[tuple[str, str, str], _Entry] = {}
    for entry in entries:
        cell = entry.table, entry.key, entry.measure
        if cell in cells:
            raise ConfigurationError(f"{path}: {' '.join(cell)}: comes twice; {_EXPECTED}")
        cells[cell] = entry
    return cells


def _figures(first: _Cells, second: _Cells) -> tuple[ResultFigure, ...]:
    every = dict.fromkeys((*first, *second))
    return tuple(_figure(cell, first.get(cell), second.get(cell)) for cell in every)


def _figure(cell: tuple[str, str, str], a: _Entry | None, b: _Entry | None) -> ResultFigure:
    """A figure that at least one result has."""
    return ResultFigure(
        *cell,
        published=next(entry.published for entry in (a, b) if entry),
        a=a.emulated if a else None,
        b=b.emulated if b else None,
        a_within=a.within if a else None,
        b_within=b.within if b else None,
        noise=_is_noise(a, b),
    )


def _finite(value: float) -> float | None:
    """``value``, or None where it is infinite or no number, for which JSON has no word."""
    return value if isfinite(value) else None


def _is_noise(a: _Entry | None, b: _Entry | None) -> bool | None:
    """Whether two figures differ by no more than one of them does from seed to seed."""
    if a is None or b is None:
        return None
    noise = [
        noise_of(entry.emulated, entry.spread_percent)
        for entry in (a, b)
        if entry.spread_percent is not None
    ]
    return abs(b.emulated - a.emulated) <= max(noise) if noise else None


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn what msgspec finds wrong into a message that names the file and the key."""
    try:
        yield
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{path}: {_explain(str(error))}; {_EXPECTED}") from None


def _explain(message: str) -> str:
    problem, _, place = message.partition(" - at `")
    place = place.removesuffix("`").removeprefix("$").removeprefix(".")
    missing = re.fullmatch(r"Object missing required field `(.+)`", problem)
    if missing:
        return f"{place}{'.' * bool(place)}{missing[1]}: is missing"
    wanted, _, found = problem.removeprefix("Expected ").partition(", got ")
    words = (
        " or ".join(_KINDS.get(kind, kind) for kind in kinds.replace("`", "").split(" | "))
        for kinds in (found, wanted)
    )
    return f"{place}: is {next(words)} instead of {next(words)}" if found else f"{place}: {problem}"
