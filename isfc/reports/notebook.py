"""A report as what a cell of a notebook shows: its section of a page, with the styles it needs."""

from isfc.reports.html import section
from isfc.reports.report import Report
from isfc.reports.template import render


def cell(report: Report) -> str:
    """The whole report; notebooks have no styles of ours."""
    return render("reports/notebook.html", title=report.title, section=section(report))
