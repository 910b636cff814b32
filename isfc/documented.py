"""Docstrings of compiled classes: the compiler leaves them out, the source beside has them."""

import ast
import sys
from pathlib import Path


def document(kind: type) -> None:
    """Give a class the docstring of its source, if that is there."""
    compiled = Path(sys.modules[kind.__module__].__file__ or "")
    source = compiled.with_name(f"{compiled.name.partition('.')[0]}.py")
    if not source.is_file():
        return
    for node in ast.walk(ast.parse(source.read_text("utf-8"))):
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            kind.__doc__ = ast.get_docstring(node)
            return
