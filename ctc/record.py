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
        return kind, tuple([getattr(self, part.name) for part in fields(kind)])
