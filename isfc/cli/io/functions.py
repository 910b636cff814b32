"""The ``isfc io`` commands as functions: the same options, and the record that --json prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from msgspec import Struct, to_builtins

from isfc.answers.shared import SharedJson, shared_json
from isfc.arguments import checked, in_python
from isfc.cli.io.plan import IoPlanJson, io_plan_json
from isfc.cli.io.run import PAIRS_DEFAULT, IoExtent, IoRunJson, io_run_json, run, run_beside
from isfc.cli.io.size import (
    GuidelineOptions,
    IoSizeJson,
    MixOptions,
    SizedIntervals,
    io_size_json,
    size,
    size_of,
)
from isfc.cli.options.number import check_given
from isfc.errors import ConfigurationError
from isfc.io.advice import advise
from isfc.io.charts import CHARTS, Chart
from isfc.io.plan import make_io_plan
from isfc.io.proposal import proposal
from isfc.io.run import SECONDS, WARMUP, run_configuration
from isfc.io.shared import links_with_disks, read_disks
from isfc.io.sizing import Sizing
from isfc.layout.catalogue import given_document
from isfc.layout.checked_toml import within
from isfc.layout.in_words import expected
from isfc.layout.shown import rows_table
from scenarios.runs.notes import CHANNELS_UNRANGED

_Record = TypeVar("_Record", bound=Struct)


@dataclass(frozen=True, slots=True, repr=False)
class IoAnswer(Generic[_Record]):
    """What one of the ``isfc io`` commands finds: ``record`` is what its ``--json`` prints."""

    name: str
    record: _Record

    def to_dict(self) -> dict[str, Any]:
        """What the command prints with ``--json``; names and meanings of the keys stay."""
        found: dict[str, Any] = to_builtins(self.record, enc_hook=str)
        return found

    def rows(self) -> list[dict[str, Any]]:
        """Flat records, as a data frame takes them."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """A row for each of them, for a notebook."""
        return rows_table(self.name, self.rows())


@dataclass(frozen=True, slots=True, repr=False)
class IoResult(IoAnswer[_Record]):
    """What ``isfc io plan`` and ``isfc io run`` find."""

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each channel, as a data frame takes them."""
        return [{"channel": name, **_flat(of)} for name, of in self.to_dict()["channels"].items()]

    def __repr__(self) -> str:
        return f"<IoResult {self.name}: channels {', '.join(self.to_dict()['channels'])}>"


@dataclass(frozen=True, slots=True, repr=False)
class IoSizing(IoAnswer[IoSizeJson]):
    """What mixes need: ``record`` is what ``isfc io size --json`` prints."""

    sizings: tuple[Sizing, ...]

    @property
    def proposal(self) -> str:
        """The best of the first mix as a configuration, which `io_plan` and `io_run` take."""
        return proposal(self.sizings[0])

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each feature that a mix could have, as a data frame takes them."""
        return [
            {"mix": mix["name"], **_flat(choice)}
            for mix in self.to_dict()["mixes"]
            for choice in mix["choices"]
        ]

    def __repr__(self) -> str:
        best = self.sizings[0].best
        return f"<IoSizing {self.name}: {best.channels_grown} channels of {best.feature}>"


@checked
def io_plan(config: str | Path) -> IoResult[IoPlanJson]:
    """Estimate an I/O configuration (TOML), as ``isfc io plan`` does: channels, SAPs, advice.

    ``config`` is a path, or the text of the file. Raises `ConfigurationError`.
    """
    configuration, alone = read_disks(config)
    with in_python(), within(_name(config)):
        plan = make_io_plan(configuration)
        record = io_plan_json(plan, advise(plan), (*alone, CHANNELS_UNRANGED))
    return IoResult(_name(config), record)


@checked
def io_run(
    config: str | Path, *, seconds: float = SECONDS, warmup: float = WARMUP, seed: int = 1
) -> IoResult[IoRunJson]:
    """Run an I/O configuration in virtual time, as ``isfc io run`` does; the same seed, the same.

    ``config`` is a path, or the text of the file. Raises `ConfigurationError`.
    """
    check_given(run, seconds=seconds, warmup=warmup, seed=seed)
    configuration, alone = read_disks(config)
    with in_python(), within(_name(config)):
        done = run_configuration(configuration, seconds, warmup, seed)
        record = io_run_json(done, (*alone, CHANNELS_UNRANGED))
    return IoResult(_name(config), record)


@checked
def io_beside(
    config: str | Path,
    ctcs: str,
    *,
    pairs: int = PAIRS_DEFAULT,
    link: str | None = None,
    seconds: float = SECONDS,
    warmup: float = WARMUP,
    seed: int = 1,
) -> IoResult[SharedJson]:
    """What CTCs and the disks on their chpids cost each other, as ``isfc io run --ctcs`` has it.

    ``config`` is a layout with ``[[io]]``, whose CTCs carry the workload ``ctcs``. Raises
    `ConfigurationError` where they share no chpid.
    """
    check_given(run, seconds=seconds, warmup=warmup, seed=seed, pairs=pairs)
    with in_python(), within(_name(config)):
        collection, disks = links_with_disks(given_document(config))
        opened = collection.link(link, "link"), disks
        extent = IoExtent(seconds, warmup, seed)
        shared, notes = run_beside(opened, ctcs, pairs, extent)
    return IoResult(_name(config), shared_json(shared, notes=notes))


@checked
def io_size(
    mix: str | Path | None = None,
    *,
    rmf: str | Path | None = None,
    interval: Literal["busiest", "all"] | None = None,
    block: int | None = None,
    read_percent: float | None = None,
    growth: float = 30.0,
    km: float | None = None,
    processor_percent: float = 50.0,
    bus_percent: float = 70.0,
    sap_percent: float = 70.0,
) -> IoSizing:
    """How many channels of which feature a mix needs, as ``isfc io size`` says it.

    ``mix`` is the path of an I/O configuration, or ``rmf`` that of the text of an RMF report.
    Raises `ConfigurationError`.
    """
    if (mix is None) == (rmf is None):
        raise ConfigurationError("mix and rmf: expected one of them, a configuration or a report")
    limits = {"processor_percent": processor_percent, "bus_percent": bus_percent}
    check_given(size, **limits, sap_percent=sap_percent, growth=growth)
    check_given(size, block=block, read_percent=read_percent, km=km)
    which = None if interval is None else SizedIntervals(interval)
    with in_python():
        chosen = MixOptions(
            None if mix is None else Path(mix),
            None if rmf is None else Path(rmf),
            which,
            block,
            read_percent,
        )
        most = GuidelineOptions(processor_percent, bus_percent, sap_percent)
        sizings = tuple(size_of(chosen, growth, km, most))
    return IoSizing(_name(mix or rmf or ""), io_size_json(growth, sizings), sizings)


@checked
def io_chart(name: str) -> Chart:
    """The curves that ``isfc io chart`` draws; raises `ConfigurationError` for another name."""
    if name not in CHARTS:
        raise ConfigurationError(f"name {name[:40]!r}: no such chart; {expected(name, [*CHARTS])}")
    return CHARTS[name]()


def _name(config: str | Path) -> str:
    return "config" if "\n" in str(config) else str(config)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    """What of a record fits one row."""
    return {key: value for key, value in record.items() if not isinstance(value, dict | list)}
