"""What a notebook shows of records: the report that their commands print, or a drawing."""

from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from isfc.reports.report import Report


class Reported:
    """A record with a report, of which a notebook shows the page."""

    __slots__ = ()

    reported_by: ClassVar[str]
    """The function that makes its report, which is above it, or loads more than it does."""

    def _repr_html_(self) -> str:
        from isfc.reports.html import cell  # much to load for what no notebook shows

        return cell(report_of(self))

    def _repr_markdown_(self) -> str:
        from isfc.reports.markdown import page

        return page(report_of(self))


class Charted(Reported):
    """One whose report has charts: its command has ``--plot``."""

    __slots__ = ()


class Drawn:
    """A layout, of which a notebook shows the drawing."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        drawing: str = import_module("isfc").drawing(self)
        return drawing


def report_of(record: Reported) -> "Report":
    """What a record answers, its tables and what is known of them: every output is made of it."""
    module, _, name = record.reported_by.rpartition(".")
    made: Report = getattr(import_module(module), name)(record)
    return made
