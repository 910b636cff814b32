"""The notebook of the documentation runs, cell by cell, and says what it decides.

Its cells are run here as they are, without a kernel: what nbmake and nbclient add is a process and
a protocol between the two, and some thirty packages.
"""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[2]
NOTEBOOK = PROJECT / "docs" / "tutorial" / "decide.ipynb"


def cells() -> list[str]:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert all(not each.get("outputs") for each in notebook["cells"]), "it is kept without outputs"
    return ["".join(each["source"]) for each in notebook["cells"] if each["cell_type"] == "code"]


def run(cell: str, names: dict[str, Any]) -> Any:
    """Run a cell as a notebook does; the value of its last expression is shown."""
    *body, last = ast.parse(cell).body
    if not isinstance(last, ast.Expr):
        body.append(last)
    exec(compile(ast.Module(body, []), str(NOTEBOOK), "exec"), names)
    if isinstance(last, ast.Expr):
        return eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
    return None


@pytest.mark.at_length
@pytest.mark.slow
def test_notebook_runs_from_a_deck_to_a_decision(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(NOTEBOOK.parent)
    names: dict[str, Any] = {}
    shown = [run(cell, names) for cell in cells()]
    pages = [each._repr_html_() for each in shown if hasattr(each, "_repr_html_")]
    assert len(pages) == 6
    assert [each[:4] for each in shown if hasattr(each, "_repr_svg_")] == ["<svg"]
    table = names["table"]
    assert table.shape == (2 * len(names["PAIRS"]), 3)
    assert 0 < table["mb_per_s"].min() < table["mb_per_s"].max()
    said = capsys.readouterr().out
    assert "odds that " in said
    assert "add {'DALLAS': ('5002'" in said
    assert 'feature = "FICON Express4"' in said
