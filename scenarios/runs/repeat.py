"""The same run with several seeds: the mean of what they give, and how far they differ."""

from collections.abc import Iterable, Sequence
from dataclasses import fields, replace
from typing import Any, Final

from isfc.errors.in_words import check_between
from scenarios.runs.experiment import Experiment
from scenarios.runs.result import DeviceResult, Result

SEEDS_MAX: Final = 1_000

SPREAD_PERCENT_MIN: Final = 1.0
"""Seeds that happen to agree do not show that others would: figures are not known better. Chosen:
the share by which `scenarios.runs.steady` takes a rate to be known at best."""

MEASURES: Final = tuple(
    field.name for field in fields(Result) if field.name not in ("node", "devices")
)
"""The figures of a result that are of the link as a whole."""


def repetitions(experiment: Experiment, count: int) -> list[Experiment]:
    """The experiment with ``count`` seeds, from its own on.

    Raises `ConfigurationError` for a count out of bounds.
    """
    check_between("seeds", count, 1, SEEDS_MAX)
    return [replace(experiment, seed=experiment.seed + index) for index in range(count)]


def mean(results: Sequence[Result]) -> Result:
    """The mean of every figure. Of a device's times too, each I/O counted once."""
    if len(results) == 1:
        return results[0]
    devices = zip(*(result.devices for result in results), strict=True)
    figures = means(results, MEASURES)
    return Result(results[0].node, **figures, devices=tuple(map(_mean_device, devices)))


def means(records: Sequence[object], names: Iterable[str]) -> dict[str, Any]:
    """The mean of each of some figures of records."""
    return {name: _mean([getattr(each, name) for each in records]) for name in names}


def spread_percent(figures: Sequence[float]) -> float | None:
    """How far figures differ: the greatest less the least, in percent of the mean.

    None where the mean is 0.
    """
    middle = _mean(figures)
    return (max(figures) - min(figures)) / middle * 100 if middle else None


def noise_of(figure: float, spread: float) -> float:
    """How far a figure may be off whose seeds differ by ``spread`` percent of it, in its unit."""
    return abs(figure) * max(spread, SPREAD_PERCENT_MIN) / 100


def spreads(results: Sequence[Result]) -> dict[str, float | None]:
    """`spread_percent` of each of `MEASURES`."""
    return {
        name: spread_percent([getattr(result, name) for result in results]) for name in MEASURES
    }


def _mean(figures: Sequence[float]) -> float:
    return sum(figures) / len(figures)


def _mean_device(devices: Sequence[DeviceResult]) -> DeviceResult:
    """One CTC over all runs; busy percent stays rate times service time."""
    io_per_s = _mean([device.io_per_s for device in devices])

    def per_io(name: str) -> float:
        total = _mean([device.io_per_s * getattr(device, name) for device in devices])
        return total / io_per_s if io_per_s else 0.0

    return DeviceResult(
        rdev=devices[0].rdev,
        io_per_s=io_per_s,
        pend_ms=per_io("pend_ms"),
        disc_ms=per_io("disc_ms"),
        conn_ms=per_io("conn_ms"),
        serv_ms=per_io("serv_ms"),
        busy_percent=_mean([device.busy_percent for device in devices]),
    )
