"""The architecture lint: rings, sizes and names, which no ordinary linter knows.

``python -m tools.checks.tidy`` prints ``file:line: message`` for each finding and ends with 1 when
there is one. `RINGS` is the import table that ``docs/architecture.md`` explains. In tests it finds
waits that nothing bounds too: what waits for ever stops a whole run.

Of the whole it finds modules that import each other in a circle, or from a ring above, that are
short or long, and names of two classes (`WHOLE`). Those that are left stand in ``left.toml``, a
list that only shrinks: ``--write`` takes out what is none any more.
"""

import ast
import sys
import tomllib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tools import PROJECT
from tools.checks import say

INSTALLED: Final = ("ctc", "isfc", "scenarios")
FOLDERS: Final = (*INSTALLED, "tools", "tests")
MODULE_LINES_MAX: Final = 500
LINES_MIN: Final = 40
LINES_MAX: Final = 400
"""Of a module that is no test: an idea that somebody looks for."""

LEFT: Final = Path(__file__).with_name("left.toml")
FUNCTION_LINES_MAX: Final = 60
PARAMETERS_MAX: Final = 14

RENDERER: Final = "isfc.cli.output.streams"
WORLDLY: Final = frozenset("open input exec eval breakpoint __import__".split())
EMPTY_NAMES: Final = frozenset(
    "common helper helpers manager misc serialisation serialization util utils".split()
)

PURE: Final = (
    "__future__ bisect collections contextlib dataclasses decimal enum functools hashlib heapq "
    "errno itertools math msgspec mypy_extensions operator re string struct typing zlib"
)
LINK: Final = f"{PURE} ctc.address isfc.errors isfc.link"
SYSTEM: Final = f"{LINK} ctc isfc.system isfc.engine"
READING: Final = "csv html importlib isfc.errors isfc.reports.figure json pathlib tomllib"
RENDERING: Final = "jinja2 markupsafe rich sys vl_convert"
PEOPLE: Final = "isfc.cli scenarios prompt_toolkit rich typer uvloop"

BELOW_THE_FACE: Final = (
    "ctc isfc.deck isfc.engine isfc.io isfc.layout isfc.link isfc.live "
    "isfc.programs isfc.site isfc.system scenarios"
)

RINGS: Final = {
    # folder: (may import these and all below them, but not these); the longest name decides
    "ctc": (f"{PURE} ctc", ""),
    "isfc.errors": (
        f"{PURE} ast builtins difflib importlib inspect isfc.errors os pathlib sys threading types",
        "",
    ),
    "isfc.link": (f"{LINK} ctc.queues ctc.subchannel", ""),
    "isfc.system": (f"{LINK} ctc isfc.system", ""),
    "isfc.system.cp": (f"{LINK} ctc isfc.system.cp isfc.system", ""),
    "isfc.engine": (SYSTEM, ""),
    "isfc.programs": (f"{LINK} isfc.link.events isfc.programs", ""),
    "isfc.reports": (f"{PURE} {READING} io isfc.link.name isfc.reports {RENDERING}", ""),
    "isfc.layout": (f"{SYSTEM} {READING} difflib isfc.layout", "isfc.engine"),
    "isfc.deck": (f"{LINK} ctc importlib isfc.deck isfc.layout fnmatch textwrap", "isfc.engine"),
    "isfc.live.ctce": (f"{PURE} ctc ipaddress isfc.live.ctce isfc.errors isfc.engine.framed", ""),
    "isfc.site": (
        f"{PURE} {READING} datetime ctc isfc.errors isfc.layout isfc.link.name isfc.site",
        "",
    ),
    "isfc.io": (f"{PURE} {READING} ctc isfc.errors isfc.io isfc.layout random", ""),
    "scenarios": (
        f"{SYSTEM} {READING} isfc.io isfc.layout isfc.site random scenarios statistics",
        "",
    ),
    "scenarios.search": ("*", "isfc.cli isfc.live prompt_toolkit rich typer uvloop tools tests"),
    "isfc.live": ("*", f"{PEOPLE} tools tests"),
    "isfc.testing": ("*", f"{PEOPLE.replace(' scenarios', '')} tools tests"),
    "isfc.answers": ("*", "isfc.cli isfc.live prompt_toolkit rich typer uvloop tools tests"),
    "isfc.measured": ("*", "tools tests"),  # a public face as well
    "isfc": ("*", "tools tests"),  # the public face
    "isfc.cli": ("*", "tools tests"),
    # a layer over the public face: what it computes comes from there
    "isfc.cli.studio": ("*", f"{BELOW_THE_FACE} tools tests"),
    "isfc.__main__": ("*", "tools tests"),
}
"""From the ground up: a folder imports from those above it in this table only."""


FLOORS: Final = {
    "isfc.cli": ("output written_help", "main options", "capability"),
    "scenarios": ("runs", "figures faults", "moves", "search"),
}
"""The rooms of a folder that others of it stand upon, from the ground up; above are all others. A
room imports only from floors below its own. In `isfc.cli` each command has a room above what
several share, and `isfc.cli.main` loads it by name."""


def check(root: Path) -> Iterator[str]:
    """All findings in the project at ``root``, by file and line."""
    texts = {
        path.relative_to(root): path.read_text("utf-8")
        for folder in FOLDERS
        for path in (root / folder).rglob("*.py")
    }
    modules = frozenset(_dotted(path).removesuffix(".__init__") for path in texts)
    for path, text in sorted(texts.items()):
        for line, message in sorted(_check_module(path, text, modules)):
            yield f"{path.as_posix()}:{line}: {message}"


def _check_module(path: Path, text: str, modules: frozenset[str]) -> Iterator[tuple[int, str]]:
    """What is wrong inside one module, as (line, message)."""
    tree = ast.parse(text)
    if tree.body and not ast.get_docstring(tree):
        yield 1, "has no docstring: say what the module is for"
    for part in EMPTY_NAMES.intersection((*path.parent.parts, path.stem)):
        yield 1, f"the name {part!r} says nothing: name what it holds"
    nodes = tuple(ast.walk(tree))
    yield from _check_sizes(text, nodes)
    if path.parts[0] == "tests" and path.as_posix() != WAITING:
        yield from unbounded(nodes)
    if path.parts[0] in INSTALLED:
        yield from _check_imports(_dotted(path), nodes, modules)
        yield from _check_names(_dotted(path), nodes)


def _check_sizes(text: str, nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    count = len(text.splitlines())
    if count > MODULE_LINES_MAX:
        yield MODULE_LINES_MAX + 1, f"{count} lines: at most {MODULE_LINES_MAX} in a module"
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                yield node.lineno, f"{node.name} has {length} lines: at most {FUNCTION_LINES_MAX}"
            count = len((*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))
            if count > PARAMETERS_MAX:
                message = f"{node.name} has {count} parameters: at most {PARAMETERS_MAX}"
                yield node.lineno, f"{message}; a record holds those that belong together"


def _check_imports(
    module: str, nodes: Sequence[ast.AST], modules: frozenset[str]
) -> Iterator[tuple[int, str]]:
    may, never = RINGS[max((ring for ring in RINGS if _under(module, ring)), key=len)]
    for line, name in _imported(nodes, modules):
        if not _under(name, may) or _under(name, never):
            yield line, f"{module} must not import {name}"
        elif _stands_beside(module, name):
            yield line, f"{module} must not import {name}: it is not below"
        elif name == module.partition(".")[0] and not _under(module, "isfc.cli"):
            # through the package's face, any module could reach any other
            yield line, f"imports from {name}/__init__.py: name the module that defines it"


def _stands_beside(module: str, name: str) -> bool:
    """Whether both are in one folder of `FLOORS`, in two rooms, ``name`` on no lower floor."""
    for folder, floors in FLOORS.items():
        if _under(module, folder) and _under(name, folder):
            room, other = (f"{each[len(folder) :]}..".split(".")[1] for each in (module, name))
            return room != other and _floor(other, floors) >= _floor(room, floors)
    return False


def _floor(room: str, floors: Sequence[str]) -> int:
    found = (index for index, rooms in enumerate(floors) if room in rooms.split())
    return next(found, len(floors))


def _imported(nodes: Sequence[ast.AST], modules: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Each module that is imported, wherever that is; a relative name keeps its dots."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                yield node.lineno, whole if whole in modules else origin


WAITING: Final = "tests/waiting.py"
"""Where waiting is written, once."""

RUN: Final = frozenset("run call check_call check_output".split())
BLOCKING: Final = frozenset("wait join communicate".split())
"""Of processes, threads and events; ``str.join`` has an argument."""
BEGUN: Final = frozenset("submit run_coroutine_threadsafe".split())
OPENING: Final = {"create_connection": 2, "urlopen": 3, "HTTPConnection": 3}
"""What connects, and with how many arguments the last of them is a timeout."""


def unbounded(nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Each wait without a bound in a module, which has these nodes, as (line, message).

    Told by the syntax alone: what is awaited belongs to a loop, which `tests/limits.py` bounds with
    the test, and a method is known by its name.
    """
    awaited = {id(node) for each in nodes for node in _given_to_a_loop(each)}
    imported = {name.partition(".")[0] for _, name in _imported(nodes, frozenset())}
    queues = not imported.isdisjoint({"queue", "multiprocessing"})
    for node in nodes:
        if isinstance(node, ast.While) and "time.sleep(" in ast.unparse(node):
            yield node.lineno, f"a loop that sleeps: wait with {WAITING}, which has a bound"
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


WHOLE: Final = {
    "circles": "is in a circle of modules that import each other",
    "upward": "is an import from a ring above",
    "twice": "is the name of two classes",
    "short": f"has fewer lines than {LINES_MIN}: it is part of another idea",
    "long": f"has more lines than {LINES_MAX}: it has two ideas",
}
"""What is found of all modules but tests together, and what is said of each."""


def whole(root: Path) -> dict[str, list[str]]:
    """What `WHOLE` names: modules, imports or classes of each kind."""
    sources = FOLDERS[: FOLDERS.index("tests")]
    texts = {
        _dotted(path.relative_to(root)): path.read_text("utf-8")
        for folder in sources
        for path in (root / folder).rglob("*.py")
    }
    trees = {module.removesuffix(".__init__"): ast.parse(text) for module, text in texts.items()}
    modules = frozenset(trees)
    imports = {
        module: {name for _, name in _imported([*ast.walk(tree)], modules) if name in modules}
        - {module}
        for module, tree in trees.items()
    }
    reached = {module: _reached(module, imports) for module in modules}
    classes = Counter(
        node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef)
    )
    lines = {
        module: len(text.splitlines())
        for module, text in texts.items()
        if not module.endswith(("__init__", "__main__"))
    }
    found = {
        "circles": [module for module in modules if module in reached[module]],
        "upward": [
            f"{module} -> {name}"
            for module, names in imports.items()
            for name in names
            if _ring(name) > _ring(module)
        ],
        "twice": [name for name, count in classes.items() if count > 1],
        "short": [module for module, count in lines.items() if count < LINES_MIN],
        "long": [module for module, count in lines.items() if count > LINES_MAX],
    }
    return {kind: sorted(each) for kind, each in found.items()}


def _reached(module: str, imports: Mapping[str, Collection[str]]) -> set[str]:
    """All that a module imports, and what that imports, and so on."""
    found, rest = set[str](), [*imports[module]]
    while rest:
        if (name := rest.pop()) not in found:
            found.add(name)
            rest += imports[name]
    return found


def _ring(module: str) -> int:
    """The place of its ring in `RINGS`; what is in none is above all."""
    face = f"{module}.__init__"
    rings = [ring for ring in RINGS if ring == face or _under(module, ring)]
    return [*RINGS].index(max(rings, key=len)) if rings else len(RINGS)


def changed(now: Mapping[str, Sequence[str]], left: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What is not in the list of what is left, and what there is none any more."""
    for kind, said in WHOLE.items():
        yield from (f"{each}: {said}" for each in now[kind] if each not in left[kind])
        gone = (each for each in left[kind] if each not in now[kind])
        yield from (f"{LEFT.name}: {kind}: {each} is none any more: take it out" for each in gone)


def _check_names(module: str, nodes: Sequence[ast.AST]) -> Iterator[tuple[int, str]]:
    """Builtins that reach outside, and randomness that no seed governs."""
    pure = not _under(module, "scenarios isfc.cli isfc.live")
    for node in nodes:
        match node:
            case ast.Name(id="print") if module != RENDERER:
                yield node.lineno, f"print: only {RENDERER} speaks to people"
            case ast.Name(id=name) if pure and name in WORLDLY:
                yield node.lineno, f"{name}: a node does no I/O and runs no text"
            case ast.Import(names=names) if any(alias.name == "random" for alias in names):
                yield node.lineno, "import random: write `from random import Random`"
            case ast.ImportFrom(module="random", names=[*names]):
                for alias in names:
                    if alias.name != "Random":
                        yield node.lineno, f"random.{alias.name}: use a seeded random.Random"
            case ast.Call(func=ast.Name(id="Random"), args=[]):
                yield node.lineno, "Random() without a seed"


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


def _under(name: str, roots: str) -> bool:
    return any(root in ("*", name) or name.startswith(f"{root}.") for root in roots.split())


def main(arguments: list[str]) -> int:
    """Check this project, or let the list of what is left follow; return the exit status."""
    now, left = whole(PROJECT), tomllib.loads(LEFT.read_text("utf-8"))
    if arguments == ["--write"]:
        text = "# What is left of `WHOLE` in tools/checks/tidy.py: it only shrinks.\n"
        for kind in WHOLE:
            kept = [each for each in left[kind] if each in now[kind]]
            text += "".join([f"{kind} = [\n", *(f'    "{each}",\n' for each in kept), "]\n"])
        LEFT.write_text(text, "utf-8")
        return 0
    return say([*check(PROJECT), *changed(now, left)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
