"""The architecture lint: rings, sizes, names and twins, which no ordinary linter knows.

``python -m tools.tidy`` prints ``file:line: message`` for each finding and ends with 1 when
there is one. `RINGS` is the import table that ``docs/architecture.md`` explains.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

INSTALLED: Final = ("ctc", "isfc", "scenarios")
FOLDERS: Final = (*INSTALLED, "tools", "tests", "benchmarks")
MODULE_LINES_MAX: Final = 400
FUNCTION_LINES_MAX: Final = 60
COLUMNS_MAX: Final = 100

RENDERER: Final = "isfc.cli.render"
WORLDLY: Final = frozenset("open input exec eval breakpoint __import__".split())
EMPTY_NAMES: Final = frozenset(
    "common helper helpers manager misc serialisation serialization util utils".split()
)

PURE: Final = (
    "__future__ bisect collections dataclasses enum functools heapq itertools operator struct "
    "typing"
)
CORE: Final = f"{PURE} isfc ctc.address ctc.agenda ctc.subchannel"
OUTER: Final = "isfc.node isfc.engine isfc.api isfc.api_conversation isfc.forward isfc.cli"
EXPERIMENT: Final = (
    f"{CORE} ctc.errors ctc.profiles scenarios "
    "contextlib copyreg csv importlib math msgspec pathlib random re tomllib"
)

RINGS: Final = {
    # modules: (may import these and all below them, but not these); the longest name decides
    "ctc": (f"{PURE} ctc", ""),
    "isfc": (CORE, OUTER),
    "isfc.__init__": (CORE, "isfc.cli"),
    "isfc.__main__": ("isfc.cli", ""),
    "isfc.trace": (f"{CORE} hashlib", OUTER),
    "isfc.wire": (f"{CORE} ctc.frame", OUTER),
    "isfc.filler": (CORE, "isfc.node isfc.engine.live isfc.engine.virtual isfc.cli"),
    "isfc.verify": (f"{CORE} zlib", "isfc.node isfc.engine.live isfc.engine.virtual isfc.cli"),
    "isfc.node": (f"{CORE} ctc", "isfc.engine isfc.cli"),
    "isfc.record": (f"{CORE} ctc.frame msgspec zlib", "isfc.engine isfc.cli"),
    "isfc.journal": (f"{CORE} ctc contextlib hashlib", "isfc.engine isfc.cli"),
    "isfc.control": (f"{CORE} asyncio json os pathlib", OUTER),
    "isfc.control_client": (f"{CORE} pathlib types", OUTER),
    "isfc.control_socket": (f"{CORE} contextlib fcntl os pathlib socket stat", OUTER),
    "isfc.engine": (f"{CORE} ctc.frame ctc.profiles", "isfc.cli"),
    "isfc.engine.clock": (f"{CORE} time", "isfc.cli"),
    "isfc.engine.handshake": (f"{CORE} hashlib", "isfc.cli"),
    "isfc.engine.endpoint": (f"{CORE} ipaddress re", "isfc.cli"),
    "isfc.engine.connection": (f"{CORE} asyncio os socket ssl", "isfc.cli"),
    "isfc.engine.listen": (f"{CORE} asyncio pathlib socket", "isfc.cli"),
    "isfc.engine.tls": (f"{CORE} asyncio socket ssl", "isfc.cli"),
    "isfc.engine.live": (f"{CORE} ctc.frame asyncio", "isfc.cli"),
    "isfc.engine.attachment": (f"{CORE} asyncio pathlib random ssl", "isfc.cli"),
    "isfc.api_conversation": (f"{CORE} asyncio", OUTER),
    "isfc.api": (f"{CORE} asyncio contextlib random scenarios secrets ssl", "isfc.cli"),
    "isfc.forward": (f"{CORE} asyncio contextlib os re socket struct", "isfc.cli"),
    "scenarios": (EXPERIMENT, "isfc.cli"),
    "isfc.cli": ("*", "tools tests benchmarks"),
}


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing to mend; ``path`` is relative to the project."""

    path: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def check(root: Path) -> list[Finding]:
    """All findings in the project at ``root``, by file and line."""
    texts = {
        path.relative_to(root): path.read_text("utf-8")
        for folder in FOLDERS
        for path in (root / folder).rglob("*.py")
    }
    modules = frozenset(_dotted(path).removesuffix(".__init__") for path in texts)
    inside = (
        Finding(path.as_posix(), line, message)
        for path, text in texts.items()
        for line, message in _check_module(path, text, modules)
    )
    twins = (Finding(path.as_posix(), 1, message) for path, message in _check_twins(texts))
    return sorted([*inside, *twins])


def _check_module(path: Path, text: str, modules: frozenset[str]) -> Iterator[tuple[int, str]]:
    """What is wrong inside one module, as (line, message)."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        yield error.lineno or 1, f"does not parse: {error.msg}"
        return
    if tree.body and not ast.get_docstring(tree):
        yield 1, "has no docstring: say what the module is for"
    for part in EMPTY_NAMES.intersection((*path.parent.parts, path.stem)):
        yield 1, f"the name {part!r} says nothing: name what it holds"
    yield from _check_sizes(text, tree)
    if path.parts[0] in INSTALLED:
        yield from _check_imports(_dotted(path), tree, modules)
        yield from _check_names(_dotted(path), tree)


def _check_sizes(text: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    lines = text.splitlines()
    if len(lines) > MODULE_LINES_MAX:
        yield MODULE_LINES_MAX + 1, f"{len(lines)} lines: at most {MODULE_LINES_MAX} in a module"
    for number, line in enumerate(lines, start=1):
        if len(line) > COLUMNS_MAX:
            yield number, f"{len(line)} columns: at most {COLUMNS_MAX}"
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES_MAX:
                yield node.lineno, f"{node.name} has {length} lines: at most {FUNCTION_LINES_MAX}"


def _check_imports(
    module: str, tree: ast.Module, modules: frozenset[str]
) -> Iterator[tuple[int, str]]:
    may, never = RINGS[max((ring for ring in RINGS if _under(module, ring)), key=len)]
    for line, name in _imported(tree, modules):
        if not _under(name, may) or _under(name, never):
            yield line, f"{module} must not import {name}"
        elif name == module.partition(".")[0] and not _under(module, "isfc.cli"):
            # through the package's face, any module could reach any other
            yield line, f"imports from {name}/__init__.py: name the module that defines it"


def _imported(tree: ast.Module, modules: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Each module that ``tree`` imports, wherever it does so; a relative name keeps its dots."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = "." * node.level + (node.module or "")
            for alias in node.names:
                whole = f"{origin}.{alias.name}"
                yield node.lineno, whole if whole in modules else origin


def _check_names(module: str, tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Builtins that reach outside, and randomness that no seed governs."""
    pure = not _under(module, "scenarios isfc.cli")
    for node in ast.walk(tree):
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


def _check_twins(paths: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """An installed module and its test module stand and fall together."""
    twins = {_twin(path): path for path in paths if path.parts[0] in INSTALLED}
    tests = {path for path in paths if path.parts[0] == "tests"}
    for twin, path in twins.items():
        if not path.stem.startswith("__") and twin not in tests:
            yield path, f"has no twin {twin.as_posix()}"
    for test in tests:
        beside = [twin.stem for twin in twins if twin.parent == test.parent]
        named = any(test.stem == stem or test.stem.startswith(f"{stem}_") for stem in beside)
        if beside and test.stem.startswith("test_") and not named:
            yield test, "tests no module of that name: test_<module>.py or test_<module>_<part>.py"


def _twin(path: Path) -> Path:
    """``isfc/node.py`` has ``tests/isfc/test_node.py``; ``isfc/cli`` has ``tests/cli``."""
    folder = Path("cli", *path.parts[2:-1]) if path.parts[:2] == ("isfc", "cli") else path.parent
    return Path("tests", folder, f"test_{path.name}")


def _dotted(path: Path) -> str:
    return ".".join(path.with_suffix("").parts)


def _under(name: str, roots: str) -> bool:
    return any(root in ("*", name) or name.startswith(f"{root}.") for root in roots.split())


def main() -> int:
    """Check the project this file belongs to; return the exit status."""
    findings = check(Path(__file__).resolve().parents[1])
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
