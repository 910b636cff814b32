"""Property tests use the kit that users have: what they need of pairs is in `isfc.testing`."""

import ast
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parents[2]
DATA: Final = frozenset(
    {
        "tests.ctc.cable",
        "tests.ctc.test_state",
        "tests.decks",
        "tests.isfc.cli.conftest",
        "tests.isfc.cp.desk",
        "tests.isfc.layout.rules.test_book",
        "tests.isfc.link.link_harness",
        "tests.isfc.measured",
        "tests.isfc.measured.test_fcx110",
        "tests.isfc.programs.dialogue",
        "tests.isfc.search.candidates",
        "tests.layouts",
        "tests.lengthy",
        "tests.live.pair",
        "tests.properties.conversations",
        "tests.properties.hostile",
        "tests.properties.mutations",
        "tests.resealed",
        "tests.scenarios.ideal_link",
        "tests.scenarios.runs.test_at_site",
        "tests.shipped",
    }
)
"""Modules that property tests take data from (tables, decks, harnesses), and what is long."""


def property_tests() -> dict[Path, ast.Module]:
    """Every test module that draws examples."""
    texts = {path: path.read_text() for path in TESTS.rglob("test_*.py")}
    trees = {path: ast.parse(text) for path, text in texts.items() if "hypothesis" in text}
    return {
        path: tree
        for path, tree in trees.items()
        if path.parent.name == "properties"
        or _imports(tree) & {"hypothesis.stateful"}
        or any("given" in ast.unparse(each) for each in _decorators(tree))
    }


def _imports(tree: ast.Module) -> set[str]:
    return {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


def _decorators(tree: ast.Module) -> list[ast.expr]:
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
    return [decorator for function in functions for decorator in function.decorator_list]


def test_property_tests_take_pairs_and_strategies_from_the_kit() -> None:
    found = property_tests()
    assert len(found) > 20
    others = {
        f"{path.relative_to(TESTS)}: {module}"
        for path, tree in found.items()
        for module in _imports(tree)
        if module.startswith("tests") and module not in DATA
    }
    assert others == set()
