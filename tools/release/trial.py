"""Try what ``dist/`` holds where nothing of the project is: ``make try-dist`` runs it.

The checkers of packages look at the files, and each wheel has every file of its packages; each
compiled wheel is installed into a fresh environment of its Python, in a root that has little else
(`BareRoot`), and does a little of everything; in such a root README's two commands
run; an extra that is missing is named, and then installed alone; pipx and uvx run the command from
``dist/`` as a local index; mypy, pyright and stubtest check every public name; the sdist is
installed, unpacked, and runs its quick tests.
"""

import ast
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final, NamedTuple

import isfc
from tools import PROJECT
from tools.release.build import DIST, TOOLS, run
from tools.release.pythons import pythons

HOME: Final = Path("/home/user")
GIVEN: Final = Path("/given")

_SYSTEM: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc/alternatives")
"""Where the system is; on Debian `cc` is a link into the last."""

_PREFIX: Final = "import sys; print(sys.base_prefix)"
_EMPTY: Final = """
import importlib.util, os, sys
found = [name for name in ("ctc", "isfc", "scenarios") if importlib.util.find_spec(name)]
sys.exit(f"not bare: {found}" if found or os.path.exists(sys.argv[1]) else 0)
"""


class BareRoot:
    """Commands in a root folder as of a container: an operating system, one Python, what is given.

    bubblewrap makes it of namespaces, so that it needs neither a daemon nor images. There are no
    network, no variables of ours, no checkout and no files of whoever runs it; its user is not
    root. Only its home can be written; it is kept between commands.
    """

    def __init__(self, python: Path, given: Sequence[Path], home: Path) -> None:
        """The files of ``given`` will be in `GIVEN`. Raises `SystemExit` without bubblewrap."""
        if shutil.which("bwrap") is None:
            raise SystemExit("there is no bwrap: install the package bubblewrap")
        self.python = python
        self._words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
        self._words += ["--uid", "1000", "--gid", "1000", "--proc", "/proc", "--dev", "/dev"]
        for folder in _SYSTEM:
            self._words += ["--ro-bind-try", folder, folder]
        self._words += ["--tmpfs", "/usr/local", "--tmpfs", "/tmp"]
        asked = subprocess.run([python, "-c", _PREFIX], capture_output=True, text=True, check=True)
        if (prefix := asked.stdout.strip()) != "/usr":
            self._words += ["--ro-bind", prefix, prefix]
        for path in given:
            self._words += ["--ro-bind", str(path), str(GIVEN / path.name)]
        self._words += ["--bind", str(home), str(HOME), "--chdir", str(HOME)]
        self._words += ["--setenv", "HOME", str(HOME), "--setenv", "PATH", "/usr/bin:/bin"]

    def command(self, *words: str | Path, **variables: str) -> tuple[str, ...]:
        """The command line that runs ``words`` there, with ``variables``."""
        pairs = [word for pair in variables.items() for word in ("--setenv", *pair)]
        return (*self._words, *pairs, *map(str, words))

    def search(self) -> tuple[str, ...]:
        """A command line that fails if anything of the project can be seen there."""
        return self.command(self.python, "-c", _EMPTY, PROJECT)


@contextmanager
def bare_root(python: Path, *given: Path) -> Iterator[BareRoot]:
    """A root with ``python`` and what is ``given``, files or folders, until the block ends."""
    with TemporaryDirectory() as home:
        yield BareRoot(python, given, Path(home))


CONSTRAINTS: Final = PROJECT / "constraints.txt"
PROGRAM: Final = PROJECT / "tests" / "user_program.py"

WORKFLOW: Final = ".github/workflows/tests.yml"
CI_WHEELS: Final = tuple(
    f"cp3{minor}-manylinux_{machine}"
    for machine in ("x86_64", "aarch64")
    for minor in range(11, 15)
)
"""What a CI service builds by the configuration in ``pyproject.toml``."""

PACKAGES: Final = ("ctc", "isfc", "scenarios")

SMOKE: Final = (
    # a command line of the installed isfc, and what its output must have in it
    ("--version", "isfc"),
    ("plan --help", "Usage: isfc plan"),
    ("studio --help", "Usage: isfc studio"),
    ("plan atlanta-boston", "ATLANTA - BOSTON: 8 CTCs"),
    ("run published-1 --workload HS --pairs 2 --seconds 0.2 --json", '"mb_per_s"'),
    ("check atlanta-boston", "atlanta-boston"),
    ("replay relocation", "0 of 10 rows leave theirs"),
    ("up query-islink --workload HS --pairs 1 --seconds 1 --plain", "2NDI"),
)


class Needs(NamedTuple):
    """A command line that needs an extra, and how it ends where the extra is there."""

    words: str
    says: str = ""
    ends_with: int = 0
    before: str = ""


EXTRAS: Final = {
    "cluster": Needs("sweep grid.toml --cluster tcp://127.0.0.1:1", "no scheduler answers", 2),
    "measured": Needs(
        "measured fit published-1 none.txt -o site.toml", "none.txt: cannot be read", 2
    ),
    "optimise": Needs("optimise published-16 --runs 2 --seconds 0.01 --seeds 1"),
    "parquet": Needs("sweep grid.toml -o rows.parquet"),
    "plot": Needs("io chart block --plot block.svg"),
    "studio": Needs("studio published-1 --no-browser", "http://127.0.0.1", 124, "timeout 5"),
}
"""All but ``testing``, which no command needs, and ``report``, another name of ``plot``."""

GRID: Final = """
seconds = 0.01
warmup = 0.01
grid = { layout = ["published-1"], workload = ["HS"], pairs = [1] }
"""


def check_files() -> None:
    """What checkers of packages say of the files and of ``pyproject.toml``."""
    files = sorted(str(path) for path in DIST.iterdir())
    run(TOOLS / "twine", "check", "--strict", *files)
    wanted = _sdist_files()
    for wheel in sorted(DIST.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            held = {name for name in archive.namelist() if not name.endswith("/")}
        if lost := (wanted | {"isfc/cli/help/isfc-plan.txt"}) - held:
            raise SystemExit(f"{wheel.name} lacks {', '.join(sorted(lost))}")
        print(f"{wheel.name} has all {len(wanted)} files of its packages")
        top = ",".join(PACKAGES + tuple(name for name in held if name.startswith("isfc__mypyc")))
        run(TOOLS / "check-wheel-contents", f"--toplevel={top}", wheel)
    run(TOOLS / "validate-pyproject", PROJECT / "pyproject.toml")
    run(TOOLS / "pre-commit", "validate-config", PROJECT / ".pre-commit-config.yaml")
    run(TOOLS / "hadolint", PROJECT / "Containerfile")
    schemas = {"citation-file-format": "CITATION.cff", "github-workflows": WORKFLOW}
    for schema, file in schemas.items():
        checker = (TOOLS / "check-jsonschema", "--builtin-schema", f"vendor.{schema}")
        run(*checker, PROJECT / file)
    said = run(TOOLS / "cibuildwheel", "--print-build-identifiers", "--platform", "linux", PROJECT)
    if set(said.split()) != set(CI_WHEELS):
        raise SystemExit(f"cibuildwheel would build {said.split()}, not {CI_WHEELS}")


def _sdist_files() -> set[str]:
    """What a wheel has to have: every file of the sdist's packages."""
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        files = [each.name.partition("/")[2] for each in archive if each.isfile()]
    return {file for file in files if file.partition("/")[0] in PACKAGES}


def try_wheels() -> None:
    """Install the compiled wheel of each Python, and the pure one, and use them."""
    (pure,) = DIST.glob("*-py3-none-any.whl")
    found = pythons()
    for version, python in found.items():
        (wheel,) = DIST.glob(f"*-cp{version.replace('.', '')}-*.whl")
        _try_wheel(python, wheel, compiled=True)
    _try_wheel(next(iter(found.values())), pure, compiled=False)


def _try_wheel(python: Path, wheel: Path, *, compiled: bool) -> None:
    """In a root that has an operating system and ``python``, and no network, only wheels."""
    with _wheels_for(python, wheel) as wheels, bare_root(python, wheels) as root:
        bin_ = HOME / "venv" / "bin"
        run(*root.search(), shown="search for isfc in a bare root")
        run(*root.command(python, "-m", "venv", "venv"), shown=f"{python} -m venv venv")
        pip = (bin_ / "pip", "install", "--quiet", "--no-index", "--find-links")
        run(*root.command(*pip, GIVEN / wheels.name, "isfc"), shown=f"pip install {wheel.name}")
        for words, wanted in SMOKE:
            run(*root.command(bin_ / "isfc", *words.split()), says=wanted, shown=f"isfc {words}")
        code = "import ctc.device as m; print(m.__file__.endswith('.so'))"
        run(*root.command(bin_ / "python", "-c", code), says=f"^{compiled}$", shown=code)


@contextmanager
def _wheels_for(python: Path, *wanted: str | Path) -> Iterator[Path]:
    """A folder of the wheels that ``wanted`` takes, so that it installs without an index."""
    with TemporaryDirectory() as folder:
        pip = (python, "-m", "pip", "wheel", "--quiet", "--constraint", CONSTRAINTS)
        run(*pip, "--wheel-dir", folder, *wanted)
        yield Path(folder)


def try_readme() -> None:
    """Run README's two commands where there are an operating system with make, and Python."""
    python = next(iter(pythons().values()))
    (sdist,), (pure,) = DIST.glob("*.tar.gz"), DIST.glob("*-py3-none-any.whl")
    source = HOME / sdist.name.removesuffix(".tar.gz")
    needed = (pure, "setuptools", "mypy")  # what it requires, and what compiles it
    with _wheels_for(python, *needed) as wheels, bare_root(python, wheels, sdist) as root:
        given = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(GIVEN / wheels.name)}
        run(*root.search(), shown="search for isfc in a bare root")
        run(*root.command("tar", "--extract", "--file", GIVEN / sdist.name), shown="tar")
        make = ("make", "--directory", source, "replay", f"PYTHON={python}")
        kept = "; 0 of 140 rows leave theirs"
        if "runs interpreted" in run(*root.command(*make, **given), says=kept, shown="make replay"):
            raise SystemExit("make replay did not compile isfc")
        plan = (source / ".venv" / "bin" / "isfc", "plan", "atlanta-boston")
        run(*root.command(*plan), shown="isfc plan atlanta-boston")


def try_extras() -> None:
    """Each extra: where all are missing it is named; where it alone is there, its command works."""
    with _extras() as (bin_, folder):
        for extra, needs in EXTRAS.items():
            named = f"{bin_ / 'python'}[0-9.]* -m pip install 'isfc\\[{extra}\\]'"
            run(bin_ / "isfc", *needs.words.split(), cwd=folder, ends_with=2, says=named)
        testing = "import isfc.testing.strategies"
        named = r"pip install 'isfc\[testing\]'"
        run(bin_ / "python", "-c", testing, ends_with=1, says=named)
    for extra, needs in EXTRAS.items():
        with _extras(extra) as (bin_, folder):
            run(*needs.before.split(), bin_ / "isfc", *needs.words.split(),
                cwd=folder, ends_with=needs.ends_with, says=needs.says)  # fmt: skip
    with _extras("testing") as (bin_, _):
        run(bin_ / "python", "-c", testing)


@contextmanager
def _extras(*names: str) -> Iterator[tuple[Path, Path]]:
    """The commands of an environment with isfc and the extras of these names; a folder."""
    (pure,) = DIST.glob("*-py3-none-any.whl")
    asked = f"isfc[{','.join(names)}] @ {pure.as_uri()}"
    with _environment(asked) as bin_, TemporaryDirectory() as folder:
        (Path(folder) / "grid.toml").write_text(GRID, "utf-8")
        yield bin_, Path(folder)


def try_one_line() -> None:
    """Run the command by pipx and uvx, with ``dist/`` as the place where isfc is found."""
    plan = ("isfc", "plan", "atlanta-boston")
    run(TOOLS / "pipx", "run", f"--pip-args=--find-links={DIST}", *plan)
    run(TOOLS / "uvx", "--find-links", DIST, *plan)


def try_sdist() -> None:
    """Install the sdist; unpack it, and run its checks and quick tests as a checkout would."""
    (sdist,) = DIST.glob("*.tar.gz")
    with _environment(sdist) as bin_:
        run(bin_ / "isfc", "plan", "atlanta-boston")
    with TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
        source = Path(folder) / sdist.name.removesuffix(".tar.gz")
        run("make", "check", cwd=source, HYPOTHESIS_PROFILE="few")


def check_types() -> None:
    """Mypy and pyright, strict, on programs with every public name; stubtest on those names."""
    version = next(iter(pythons()))
    (wheel,) = DIST.glob(f"*-cp{version.replace('.', '')}-*.whl")
    asked = f"isfc[testing] @ {wheel.as_uri()}"
    with _environment(asked, "mypy") as bin_, TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "program.py").write_text(PROGRAM.read_text("utf-8"), "utf-8")
        (home / "names.py").write_text(program(), "utf-8")
        (home / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
        (home / "mypy.ini").write_text("[mypy]\nignore_missing_imports = true\n", "utf-8")
        run(bin_ / "python", "names.py", cwd=home)
        run(bin_ / "mypy", "--strict", "program.py", "names.py", cwd=home)
        pyright = (TOOLS / "basedpyright", "--pythonpath", bin_ / "python")
        run(*pyright, "program.py", "names.py", cwd=home)
        # mypyc adds to classes what no source has, so what runs is compared where it is the source
        (pure,) = DIST.glob("*-py3-none-any.whl")
        run(bin_ / "pip", "install", "--quiet", "--no-deps", "--force-reinstall", pure)
        stubtest = (bin_ / "python", "-m", "mypy.stubtest", "--mypy-config-file", "mypy.ini")
        found = doubts(run(*stubtest, "isfc", "ctc", cwd=home, ends_with=None))
        if found:
            raise SystemExit("stubtest of public names:\n" + "\n".join(found))


TESTING: Final = PROJECT / "isfc" / "testing"

_ERROR: Final = "error: "
_STRUCT: Final = "You may need to write stubs for __new__ instead of __init__"
"""msgspec makes its records by ``__new__``; checkers are told of ``__init__``."""


def program() -> str:
    """Imports of every public name, each used once by name and once as an attribute."""
    lines = ["import isfc", "from isfc import (", *(f"    {name}," for name in isfc.__all__), ")"]
    testing = dict(_testing_names())
    lines += [f"import {module}" for module in testing]
    used = [*isfc.__all__, *(f"isfc.{name}" for name in isfc.__all__), *_inner_names()]
    used += [f"{module}.{name}" for module, names in testing.items() for name in names]
    lines += ["", "names: tuple[object, ...] = (", *(f"    {each}," for each in used), ")"]
    return "\n".join([*lines, "print(len(names))", ""])


def _inner_names() -> list[str]:
    """The public names of modules that are public names themselves, such as `isfc.measured`."""
    found = {name: getattr(isfc, name) for name in isfc.__all__}
    modules = {name: each for name, each in found.items() if isinstance(each, ModuleType)}
    return [f"isfc.{name}.{inner}" for name, each in modules.items() for inner in each.__all__]


def _testing_names() -> Iterator[tuple[str, list[str]]]:
    """The modules of `isfc.testing`, and the functions and classes that each defines."""
    for path in sorted(TESTING.glob("[!_]*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        names = [each.name for each in tree.body if isinstance(each, kinds)]
        yield f"isfc.testing.{path.stem}", [name for name in names if not name.startswith("_")]


def doubts(said: str) -> list[str]:
    """What ``stubtest`` says against a public name, where it stands or where it is defined.

    Raises `ValueError` if stubtest did not get as far as to compare.
    """
    if not re.search(r"\(checked \d+ modules\)|no issues found in \d+ modules", said):
        raise ValueError(f"stubtest compared nothing:\n{said}")
    names = [*(f"isfc.{name}" for name in isfc.__all__), *_inner_names()]
    homes = {"isfc.__all__", *names}
    for name in names:
        found = attrgetter(name.partition(".")[2])(isfc)
        if not isinstance(found, ModuleType):
            own = getattr(found, "__qualname__", name.rpartition(".")[2])
            homes.add(f"{found.__module__}.{own}")
    errors = [line[len(_ERROR) :] for line in said.splitlines() if line.startswith(_ERROR)]
    is_public = re.compile(rf"(?:{'|'.join(map(re.escape, homes))})[ .]").match
    return [error for error in errors if _STRUCT not in error and is_public(error)]


@contextmanager
def _environment(*packages: str | Path) -> Iterator[Path]:
    """A fresh virtual environment of the oldest Python with some packages; its commands' folder."""
    with TemporaryDirectory() as folder:
        run(next(iter(pythons().values())), "-m", "venv", folder)
        bin_ = Path(folder) / "bin"
        pip = (bin_ / "pip", "install", "--quiet", "--constraint", CONSTRAINTS)
        run(*pip, *packages, ISFC_COMPILE="0")  # the compiled wheels are built from the sdist, too
        yield bin_


TRIALS: Final[dict[str, Callable[[], None]]] = {
    "files": check_files,
    "wheels": try_wheels,
    "readme": try_readme,
    "extras": try_extras,
    "one-line": try_one_line,
    "types": check_types,
    "sdist": try_sdist,
}


def main(names: list[str]) -> None:
    """Run the trials that are named, or all."""
    for name in names or TRIALS:
        print(f"== {name}", flush=True)
        TRIALS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])
