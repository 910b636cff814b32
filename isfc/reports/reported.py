"""Records of answers: what a notebook shows of them, and how one is made of what it is of."""

from typing import TYPE_CHECKING, ClassVar, TypeVar

from msgspec import Struct, convert

from isfc.errors.loading import named

if TYPE_CHECKING:
    from isfc.reports.report import Report

_Record = TypeVar("_Record", bound=Struct)


class Reported:
    """A record with a report, of which a notebook shows the page."""

    __slots__ = ()

    reported_by: ClassVar[str]
    """The function that makes its report, which is above it, or loads more than it does."""

    def _repr_html_(self) -> str:
        from isfc.reports.html import cell  # much to load for what no notebook shows

        return cell(report_of(self))

    def _repr_markdown_(self) -> str:
        from isfc.reports.text import markdown

        return markdown(report_of(self))


class Drawn:
    """A layout, of which a notebook shows the drawing."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        drawing: str = named("isfc.answers.drawing.drawing")(self)
        return drawing


def report_of(record: Reported) -> "Report":
    """What a record answers, its tables and what is known of them: every output is made of it."""
    made: Report = named(record.reported_by)(record)
    return made


def record_of(kind: type[_Record], source: object, /, **own: object) -> _Record:
    """The record of a source: its attributes by their names, but for what is the record's own."""
    names = [name for name in kind.__struct_fields__ if name not in own and hasattr(source, name)]
    found = {name: getattr(source, name) for name in names} | own
    return convert(found, kind, from_attributes=True)
