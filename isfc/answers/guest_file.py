"""Guests that are to be relocated, as a CSV file: a line for each, with limits of its own.

The columns are the names of the options of ``isfc relocate``. ``name`` and ``memory`` are needed
(or ``like``), all else may be left out, or empty in a line.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

from isfc.answers.guest import DESCRIBED, guest_memory
from isfc.arguments import spelling, spelt
from isfc.errors import ConfigurationError
from isfc.layout.checked_toml import read_bytes, within
from isfc.layout.collection import Collection
from isfc.layout.in_words import exact, find_node
from scenarios.moves.guest import SECONDS_MAX, GuestPlan, Limits, make_limits
from scenarios.moves.targets import Tenant

_COLUMNS: Final = tuple(
    "name memory change_rate touched hot_set write_rate like max_total max_quiesce immediate "
    "to from".split()
)
_FILE_LENGTH_MAX: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class GuestLine:
    """A guest of the file, where it is to go and where it is, as the file says, if it does."""

    number: int
    plan: GuestPlan
    to: str
    source: str


def read_tenants(path: Path, collection: Collection) -> tuple[Tenant, ...]:
    """The guests of a file, where each is to go and where it is, as far as the file says.

    Raises `ConfigurationError`, which names file, line and column.
    """
    tenants = []
    for line in read_guests(path, has_destination=True, defaults=Limits()):
        with within(f"{spelt('guests')} {path}: line {line.number}"):
            to, source = (
                find_node(column, text, collection.systems) if text else None
                for column, text in (("to", line.to), ("from", line.source))
            )
            tenants.append(Tenant(line.plan, to=to, source=source))
    return tuple(tenants)


def read_guests(path: Path, *, has_destination: bool, defaults: Limits) -> list[GuestLine]:
    """The guests of a file, in its order; ``defaults`` are the limits that it does not give.

    Raises `ConfigurationError`, which names file, line and column.
    """
    with within(f"{spelt('guests')} {path}"), spelling(str):
        data = read_bytes(path, "a CSV file")
        if len(data) > _FILE_LENGTH_MAX:
            raise ConfigurationError(f"is too long; expected at most {_FILE_LENGTH_MAX} bytes")
        try:
            lines = data.decode("utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise ConfigurationError("is not UTF-8 text; expected CSV") from None
        reader = csv.DictReader(lines, strict=True)
        expected = _COLUMNS if has_destination else _COLUMNS[:-2]
        try:
            _check_heads(tuple(reader.fieldnames or ()), expected)
            found = list(_guests(reader, defaults))
        except csv.Error as error:
            number = reader.reader.line_num  # the reader has begun that line, and not ended it
            raise ConfigurationError(f"line {number}: {error}; expected CSV") from None
        names = [line.plan.name for line in found]
        for line in found:
            if names.count(line.plan.name) > 1:
                raise ConfigurationError(
                    f"line {line.number} name: {line.plan.name} is there twice; expected each once"
                )
        return found


def _check_heads(heads: tuple[str, ...], expected: tuple[str, ...]) -> None:
    for head in heads:
        if head not in expected or heads.count(head) > 1:
            raise ConfigurationError(
                f"line 1: column {(head or '')[:40]!r} is unknown or there twice; "
                f"expected {','.join(expected)}"
            )
    if not ("name" in heads and {"memory", "like"} & set(heads)):
        raise ConfigurationError(
            f"line 1: expected the columns name and memory, and of {','.join(expected[2:])} what "
            "is known"
        )


def _guests(reader: "csv.DictReader[str]", defaults: Limits) -> Iterator[GuestLine]:
    for row in reader:
        number = reader.line_num
        with within(f"line {number}"):
            if None in row or None in row.values():
                raise ConfigurationError("expected a value for each column, which may be empty")
            yield _guest(number, {name: text.strip() for name, text in row.items()}, defaults)


def _guest(number: int, row: dict[str, str], defaults: Limits) -> GuestLine:
    name = row["name"].upper()
    given = {column: row.get(column) or None for column in DESCRIBED}
    memory = guest_memory(given, row.get("like") or None)
    plan = GuestPlan(name, memory, _limits(row, defaults))
    return GuestLine(number, plan, row.get("to", ""), row.get("from", ""))


def _limits(row: dict[str, str], defaults: Limits) -> Limits:
    """The line's limits: the command's where it gives none, VMRELOCATE's beside its IMMEDIATE."""
    word = row.get("immediate", "").lower()
    if word not in ("", "yes", "no"):
        raise ConfigurationError(f"immediate {word[:40]}: expected yes or no")
    immediate = defaults.immediate if not word else word == "yes"
    total, quiesce = _seconds("max_total", row), _seconds("max_quiesce", row)
    if quiesce is None and immediate == defaults.immediate:
        quiesce = defaults.max_quiesce
    return make_limits(
        max_total=defaults.max_total if total is None else total,
        max_quiesce=quiesce,
        immediate=immediate,
        quiesce=defaults.quiesce_goal,
    )


def _seconds(column: str, row: dict[str, str]) -> float | None:
    text = row.get(column, "")
    if not text:
        return None
    if text.upper() == "NOLIMIT":
        return inf
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value <= SECONDS_MAX:
        raise ConfigurationError(
            f"{column} {text[:40]}: expected more than 0 to {exact(SECONDS_MAX)} s, or NOLIMIT"
        )
    return value
