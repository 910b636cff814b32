"""Records of ``--json`` whose fields are attributes of what they are of."""

from typing import TypeVar

from msgspec import Struct, convert

_Record = TypeVar("_Record", bound=Struct)


def record_of(kind: type[_Record], source: object, /, **own: object) -> _Record:
    """The record of a source: its attributes by their names, but for what is the record's own."""
    names = [name for name in kind.__struct_fields__ if name not in own and hasattr(source, name)]
    found = {name: getattr(source, name) for name in names} | own
    return convert(found, kind, from_attributes=True)
