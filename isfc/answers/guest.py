"""Guests that are relocated as people describe them: by arguments, options or a CSV file.

The file has a line for each guest, with limits of its own. Its columns are the names of the options
of ``isfc relocate``. ``name`` and ``memory`` are needed (or ``like``), all else may be left out, or
empty in a line.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from typing import Final

from isfc.errors import ConfigurationError
from isfc.errors.arguments import read_size, spelling, spelt
from isfc.errors.in_words import exact, find_node
from isfc.layout.checked_toml import read_bytes, text_of, within
from isfc.layout.csv_table import CsvTable
from isfc.link.name import NodeName, Nodes
from scenarios.moves import guest as model
from scenarios.moves.leaving import Tenant

Size = int | str | None
"""Bytes, or bytes a second, as a number or as a text such as 64G; None is not given."""

DESCRIBED: Final = ("memory", "change_rate", "touched", "hot_set", "write_rate")
"""What is said of a guest's memory, beside ``like``."""


def guest_memory(given: Mapping[str, Size], like: str | None = None) -> model.GuestMemory:
    """The memory of which so much was ``given``, by the names of `DESCRIBED`.

    Raises `ConfigurationError`, which names what is wrong as it is spelt.
    """
    known = _known(like)
    changes = any(given.get(name) for name in ("change_rate", "hot_set", "write_rate"))
    if known is None and (given.get("memory") is None or not changes):
        raise ConfigurationError(
            f"expected {spelt('memory')}, and {spelt('change_rate')} or {spelt('hot_set')}, "
            f"or {spelt('like')} KIND"
        )
    size = _bytes(given, "memory", known.size if known else 0)
    memory = given.get("memory")
    if not model.MEMORY_MIN <= size <= model.MEMORY_MAX:
        raise ConfigurationError(f"{spelt('memory')} {memory}: expected 1M to 16T")
    touched = _bytes(given, "touched", min(known.touched, size) if known else size)
    hot_set = _bytes(given, "hot_set", known.hot_set if known else 0)
    rates = {
        name: _rate(given, name, getattr(known, name) if known else 0)
        for name in ("change_rate", "write_rate")
    }
    if not 1 <= touched <= size:
        raise ConfigurationError(
            f"{spelt('touched')} {given.get('touched')}: expected 1 byte to the memory, "
            f"{size / 2**30:g} GiB"
        )
    if hot_set > touched:
        raise ConfigurationError(_too_hot(given.get("hot_set"), like, hot_set, touched))
    if bool(rates["write_rate"]) != bool(hot_set):
        raise ConfigurationError(_half(given, is_hot=bool(hot_set)))
    return model.GuestMemory(size=size, touched=touched, hot_set=hot_set, **rates)


def _known(like: str | None) -> model.GuestMemory | None:
    if like is None:
        return None
    if like not in model.KNOWN_GUESTS:
        raise ConfigurationError(
            f"{spelt('like')} {like[:40]}: expected one of {', '.join(model.KNOWN_GUESTS)}"
        )
    return model.KNOWN_GUESTS[like].memory


def _bytes(given: Mapping[str, Size], name: str, default: int) -> int:
    found = given.get(name)
    if found is None:
        return default
    if not isinstance(found, str):
        return found
    size = read_size(spelt(name), found)
    if 0 < size < model.MEMORY_MIN and found[-1:].isdigit():
        raise ConfigurationError(_no_unit(name, found, "16G" if name == "memory" else "400M"))
    return size


def _rate(given: Mapping[str, Size], name: str, default: int) -> int:
    """As text a rate needs its unit: so many bytes a second are hardly meant."""
    rate, found = _bytes(given, name, default), given.get(name)
    if rate and isinstance(found, str) and found[-1].isdigit():
        raise ConfigurationError(_no_unit(name, found, "400M"))
    if not 0 <= rate <= model.MEMORY_MAX:
        raise ConfigurationError(f"{spelt(name)} {str(found)[:40]}: expected at most 16T")
    return rate


def _no_unit(name: str, text: str, example: str) -> str:
    return f"{spelt(name)} {text[:40]}: expected a unit, K, M, G or T, as {example}"


def _too_hot(given: Size, like: str | None, hot_set: int, touched: int) -> str:
    """What is wrong with a hot set, given or that of a known guest, beyond what is touched."""
    if given:
        return (
            f"{spelt('hot_set')} {str(given)[:40]}: expected at most what is touched, "
            f"{touched / 2**30:g} GiB"
        )
    return (
        f"{spelt('like')} {like}: has a hot set of {hot_set / 2**30:g} GiB, and "
        f"{touched / 2**30:g} GiB are touched; expected {spelt('hot_set')} and "
        f"{spelt('write_rate')} of that memory as well, or more memory"
    )


def _half(given: Mapping[str, Size], *, is_hot: bool) -> str:
    """What is wrong with a set of memory without its rate, or a rate without its set."""
    hot, rate = spelt("hot_set"), spelt("write_rate")
    if is_hot and given.get("hot_set"):
        missing = f"{rate}, how much of it is written in a second"
        return f"{hot} {str(given['hot_set'])[:40]}: expected also {missing}"
    if given.get("write_rate") and not is_hot:
        missing = f"{hot}, how much memory is written to"
        return f"{rate} {str(given['write_rate'])[:40]}: expected also {missing}"
    return f"{hot} and {rate}: expected both, or none"


_COLUMNS: Final = tuple(
    "name memory change_rate touched hot_set write_rate like max_total max_quiesce immediate "
    "to from".split()
)
_FILE_LENGTH_MAX: Final = 64 * 1024


def read_guests(
    path: Path, defaults: model.Limits, systems: Sequence[NodeName] = ()
) -> list[Tenant]:
    """The guests of a file, in its order; ``defaults`` are the limits that it does not give.

    It may say to which system each is to go, and at which it is: of ``systems``, if these are
    known. Raises `ConfigurationError`, which names file, line and column.
    """
    with within(f"{spelt('guests')} {path}"), spelling(str):
        data = read_bytes(path, "a CSV file", _FILE_LENGTH_MAX)
        table = CsvTable(text_of(data, "CSV"))
        _check_heads(table.names)
        found = dict(_guests(table, defaults, systems))
        names = [tenant.plan.name for tenant in found.values()]
        for number, name in zip(found, names, strict=True):
            if names.count(name) > 1:
                raise ConfigurationError(
                    f"line {number} name: {name} is there twice; expected each once"
                )
        return [*found.values()]


def leaving(
    tenants: Sequence[Tenant], nodes: Nodes, source: NodeName | None
) -> tuple[NodeName, list[model.GuestPlan]]:
    """Which end of a link is left, and by whom: the ``source``, or where guests are, or the first.

    Raises `ConfigurationError` where they are at both ends, or none leaves it over the link.
    """
    homes = [node for node in nodes if any(each.source == node for each in tenants)]
    if source is None and homes[1:]:
        raise ConfigurationError(
            f"{spelt('guests')}: some are at {homes[0]}, some at {homes[1]}; expected "
            f"{spelt('from_')} with one of them"
        )
    left = source or (homes or nodes)[0]
    goes = (each for each in tenants if each.source in (None, left) and each.to in (None, *nodes))
    plans = [each.plan for each in goes]
    if tenants and not plans:
        raise ConfigurationError(
            f"{spelt('guests')}: none leaves {left} over this link; expected one that does"
        )
    return left, plans


def _check_heads(heads: Sequence[str]) -> None:
    for head in heads:
        if head not in _COLUMNS:
            raise ConfigurationError(
                f"line 1: column {head[:40]!r} is unknown; expected {','.join(_COLUMNS)}"
            )
    if not ("name" in heads and {"memory", "like"} & set(heads)):
        raise ConfigurationError(
            f"line 1: expected the columns name and memory, and of {','.join(_COLUMNS[2:])} what "
            "is known"
        )


def _guests(
    table: CsvTable, defaults: model.Limits, systems: Sequence[NodeName]
) -> Iterator[tuple[int, Tenant]]:
    """By the number of its line."""
    for number, line, problem in table:
        with within(f"line {number}"):
            if problem:
                raise ConfigurationError(problem)
            given = {column: line.get(column) or None for column in DESCRIBED}
            memory = guest_memory(given, line.get("like") or None)
            plan = model.GuestPlan(line["name"].upper(), memory, _limits(line, defaults))
            to, source = (_system(column, line, systems) for column in ("to", "from"))
            yield number, Tenant(plan, to=to, source=source)


def _system(column: str, line: dict[str, str], systems: Sequence[NodeName]) -> NodeName | None:
    """Which one a line says; None if it says none."""
    if not (said := line.get(column)):
        return None
    return find_node(column, said, systems) if systems else NodeName(said.upper())


def _limits(row: dict[str, str], defaults: model.Limits) -> model.Limits:
    """The line's limits: the command's where it gives none, VMRELOCATE's beside its IMMEDIATE."""
    word = row.get("immediate", "").lower()
    if word not in ("", "yes", "no"):
        raise ConfigurationError(f"immediate {word[:40]}: expected yes or no")
    immediate = defaults.immediate if not word else word == "yes"
    total, quiesce = _seconds("max_total", row), _seconds("max_quiesce", row)
    if quiesce is None and immediate == defaults.immediate:
        quiesce = defaults.max_quiesce
    return model.make_limits(
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
    if not 0 < value <= model.SECONDS_MAX:
        raise ConfigurationError(
            f"{column} {text[:40]}: expected more than 0 to {exact(model.SECONDS_MAX)} s, or "
            "NOLIMIT"
        )
    return value
