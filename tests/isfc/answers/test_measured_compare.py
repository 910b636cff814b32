"""The model beside what was measured: what is judged, and what the answer says of it."""

from pathlib import Path

import pytest

from isfc.answers.measured_compare import compare, measured_compare_report
from isfc.layout.catalogue import load_layout
from isfc.site.figures import Reading
from isfc.site.file import completed, read_measurements
from isfc.site.measurement import Ran

PUBLISHED = Path(__file__).parents[3] / "docs" / "measured" / "H001709C-fcx108.txt"


@pytest.mark.at_length
def test_a_published_report_is_compared_with_its_layout() -> None:
    pages = read_measurements([PUBLISHED], Reading())
    seen = completed(pages, "CLIENT", {}, Ran("HL", 50), "CLIENT")
    found = compare(load_layout("published-12"), seen, tolerance=20)
    (one,) = found.intervals
    serv = [f for f in one.judged() if f.measure == "serv_ms" and f.of < "6042"]
    assert len(serv) == 10
    assert max(abs(figure.error_percent or 0) for figure in serv) < 20
    further = [each for each in one.judged() if abs(each.error_percent or 0) > 20]
    assert found.beyond_tolerance == one.beyond_tolerance == len(further) > 0
    report = measured_compare_report(found)
    labels = [label for label, _ in report.answer]
    assert labels[:3] == ["Model is off", "Tolerance", "Emulated"]
    assert report.answer[1][1].startswith(
        f"{found.beyond_tolerance} of {len(one.judged())} judged figures are further off than 20 %"
    )
    (table,) = report.tables
    assert len(table.rows) == 12
