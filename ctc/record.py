"""`Record`: what a frozen record inherits so that it can be copied and sent to another process.

Python makes an object for that and then sets its fields, which compiled a frozen record lets nobody
do. So a `Record` is made by its constructor, of the fields of the other one.
"""

from dataclasses import fields
from typing import Any


class Record:
    """A frozen dataclass of a compiled module, all of whose fields its constructor takes."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Any, ...]:
        """What copy and pickle make another one of."""
        kind: Any = type(self)
        values = {part.name: getattr(self, part.name) for part in fields(kind)}
        by_name = [part.name for part in fields(kind) if part.kw_only]
        if not by_name:
            return kind, tuple(values.values())
        named = {name: values.pop(name) for name in by_name}
        return remade, (kind, tuple(values.values()), named)


def remade(kind: Any, values: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """A record of its fields, those by keyword alone by their names."""
    return kind(*values, **named)
