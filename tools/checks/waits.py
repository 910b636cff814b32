"""Waits in tests that nothing bounds: what waits for ever stops a whole run.

Told by the syntax alone: what is awaited belongs to a loop, which `tests/limits.py` bounds with the
test, and a method is known by its name.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import Final

HOME: Final = "tests/waiting.py"
"""Where waiting is written, once."""

RUN: Final = frozenset("run call check_call check_output".split())
BLOCKING: Final = frozenset("wait join communicate".split())
"""Of processes, threads and events; ``str.join`` has an argument."""
BEGUN: Final = frozenset("submit run_coroutine_threadsafe".split())
OPENING: Final = {"create_connection": 2, "urlopen": 3, "HTTPConnection": 3}
"""What connects, and with how many arguments the last of them is a timeout."""


def unbounded(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Each wait without a bound in a module, which has these nodes, as (line, message)."""
    awaited = {id(node) for each in nodes for node in _given_to_a_loop(each)}
    queues = any(
        isinstance(node, ast.Import | ast.ImportFrom)
        and {"queue", "multiprocessing"} & {*_roots(node)}
        for node in nodes
    )
    for node in nodes:
        if isinstance(node, ast.While) and any(map(_sleeps, ast.walk(node))):
            yield node.lineno, f"a loop that sleeps: wait with {HOME}, which has a bound"
        if isinstance(node, ast.Call) and id(node) not in awaited:
            name = _waits_for_ever(node, queues=queues)
            if name:
                yield node.lineno, f"{name} without a timeout: it may wait for ever"


def _waits_for_ever(call: ast.Call, *, queues: bool) -> str:
    """The name of what is called, if that may wait for ever; else nothing."""
    named = {keyword.arg for keyword in call.keywords}
    if "timeout" in named or None in named:  # of ``**options`` nothing is known
        return ""
    bare = not call.args and not named
    match call.func:
        case ast.Attribute(ast.Name("subprocess"), name) if name in RUN:
            return f"subprocess.{name}"
        case ast.Attribute(ast.Name("asyncio"), _):
            return ""
        case ast.Attribute(_, "communicate"):
            return "communicate"
        case ast.Attribute(_, name) if bare and (name in BLOCKING or (name == "get" and queues)):
            return name
        case ast.Attribute(ast.Call(ast.Attribute(_, begin)), "result") if bare and begin in BEGUN:
            return "result"  # of what a thread does: that of a task of a loop is there
        case ast.Attribute(_, name) | ast.Name(name) if len(call.args) < OPENING.get(name, 0):
            return name
    return ""


def _given_to_a_loop(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Await(value):
            yield value
        case ast.Call(ast.Attribute(ast.Name("asyncio"), _), arguments):
            yield from arguments


def _sleeps(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep"


def _roots(node: ast.Import | ast.ImportFrom) -> Iterator[str]:
    if isinstance(node, ast.ImportFrom):
        yield (node.module or "").partition(".")[0]
    else:
        yield from (alias.name.partition(".")[0] for alias in node.names)
