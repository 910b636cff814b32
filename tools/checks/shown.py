"""What people see is made in one place: figures, tables and HTML in `isfc/reports`, a record once.

``python -m tools.checks.shown`` prints ``file:line: message`` for each number format, row of a
table, HTML text or record that stands elsewhere, or twice, and ends with 1 when there is one.
"""

import ast
import re
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Final

from tools import PROJECT
from tools.checks import say

HOME: Final = "isfc/reports/"
PACKAGES: Final = ("ctc", "isfc", "scenarios")

NO_FIGURES: Final = {
    "isfc/answers/journal.py": "lines of a log",
    "isfc/answers/views.py": "IBM's report, column by column",
    "isfc/cli/live/ctce_observe.py": "lines of a trace",
    "isfc/cli/output/progress.py": "rich's format of a bar",
    "isfc/cli/run/command.py": "lines of a log",
    "isfc/system/cp/": "CP's responses",
    "isfc/live/ctce/": "lines of a log",
    "isfc/io/proposal.py": "a file",
    "isfc/layout/change.py": "a file",
    "isfc/errors/in_words.py": "bounds in messages",
    "isfc/layout/site.py": "a file",
    "isfc/layout/write.py": "a file",
    "isfc/link/": "bounds in messages",
    "isfc/live/": "lines of a log",
    "isfc/testing/": "messages of invariants",
    "isfc/reports/figure.py": "a figure by itself",
    "scenarios/published/table.py": "distances of eight columns",
}
"""Files and folders whose number formats are of no figures, each with what they are of."""

COLUMNS: Final = {"scenarios/runs/report.py": "rows of IBM's tables, column by column"}
"""Files whose records may have the same fields, each with what they are."""

SAME_FIELDS_MIN: Final = 5
SAME_SHARE_MIN: Final = 0.75
"""So many fields alike, and so much of the smaller class, make two one record (chosen)."""

_SPEC: Final = re.compile(r",|\.\d+[efg%]$")
_BRACED: Final = re.compile(r"\{[^{}]*:[^{}]*(,|\.\d+[efg%])\}")
_HTML: Final = re.compile(r"</?(?:[bp]|div|dl|figure|span|strong|svg|table|t[dhr])\b[^<]*>")


def found(root: Path) -> Iterator[str]:
    """Each finding: the file, the line, and what to do."""
    records: list[tuple[str, ast.ClassDef, frozenset[str]]] = []
    for path in (path for top in PACKAGES for path in sorted((root / top).rglob("*.py"))):
        name = path.relative_to(root).as_posix()
        has_figures = not name.startswith((HOME, *NO_FIGURES))
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            place = f"{name}:{getattr(node, 'lineno', 1)}"
            if isinstance(node, ast.ClassDef):
                if name not in COLUMNS:
                    records.append((name, node, _fields(node)))
                if node.name.endswith("Json"):
                    yield f"{place}: {node.name}: an answer is its own record"
            elif isinstance(node, ast.expr):
                if has_figures and _is_format(node):
                    yield f"{place}: number format: isfc.reports.units writes a figure"
                if not name.startswith(HOME) and (said := _belongs(node)):
                    yield f"{place}: {said}"
    for (name, one, fields), (_, other, others) in combinations(records, 2):
        same = len(fields & others)
        if same >= max(SAME_FIELDS_MIN, SAME_SHARE_MIN * min(len(fields), len(others))):
            yield f"{name}:{one.lineno}: {one.name} has {same} fields of {other.name}: one record"


def _fields(node: ast.ClassDef) -> frozenset[str]:
    """The fields of a class with their types, but for those that it inherits."""
    said = (ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign))
    return frozenset(each.partition(" = ")[0] for each in said if ": ClassVar" not in each)


def _is_format(node: ast.expr) -> bool:
    """Whether it writes a number with so many places or digits, or with commas."""
    match node:
        case ast.FormattedValue(format_spec=ast.JoinedStr() as spec):
            return _SPEC.search(ast.unparse(spec)[2:-1]) is not None
        case ast.Constant(value=str(text)):
            return _BRACED.search(text) is not None
    return False


def _belongs(node: ast.expr) -> str:
    """Where it belongs, if not here."""
    match node:
        case ast.Attribute(attr="add_row"):
            return "add_row: a Table of a Report has rows"
        case ast.Constant(value=str(text)) if _HTML.search(text):
            return "HTML: a template has it"
    return ""


if __name__ == "__main__":
    sys.exit(say(found(PROJECT)))
