"""An answer as JSON has it: its fields by their names, figures all alike."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from math import isinf
from typing import Any

from msgspec import UNSET, Struct

from isfc.reports.figure import Figure


def encoded(value: object) -> Any:
    """What `json` takes of an answer; the name of a system, an RDEV or a path is a text.

    Of a figure, ``range`` has both ranges and what they are made from, or ``no_range`` says why
    there is none; ``load`` is in words. What has no limit is null. A field of a dataclass that is
    not in its ``repr`` is not of the answer.
    """
    if isinstance(value, Figure):
        within = None if value.range is None else value.range.to_dict()
        load = None if value.load is None else value.load.words
        return _fields(value) | {"range": within, "load": load}
    if isinstance(value, Struct) or (is_dataclass(value) and not isinstance(value, type)):
        return _fields(value)
    if isinstance(value, Mapping):
        return {str(key): encoded(each) for key, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [encoded(each) for each in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and isinf(value):
        return None
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def _fields(record: Any) -> dict[str, Any]:
    if isinstance(record, Struct):
        names = dict(zip(record.__struct_encode_fields__, record.__struct_fields__, strict=True))
    else:
        names = {each.name: each.name for each in fields(record) if each.repr}
    found = ((key, getattr(record, name)) for key, name in names.items())
    return {key: encoded(value) for key, value in found if value is not UNSET}
