"""Try what ``dist/`` holds where nothing of the project is: ``make try-dist`` runs it.

The checkers of packages look at the files, and each wheel has every file of its packages; each
compiled wheel is installed into a fresh environment of its Python, with its libraries from the
index and isfc from ``dist/`` alone, and does a little of everything; an extra that is missing is
named, and then installed; pipx and uvx run the command from ``dist/`` as a local index; mypy,
pyright and stubtest check every public name; the sdist is installed, unpacked, and runs its quick
tests.
"""

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.release.build import DIST, TOOLS
from tools.release.public_names import doubts, program
from tools.release.pythons import ROOT, pythons

CONSTRAINTS: Final = ROOT / "constraints.txt"
PROGRAM: Final = ROOT / "tests" / "user_program.py"

CI_WHEELS: Final = tuple(
    f"cp3{minor}-manylinux_{machine}"
    for machine in ("x86_64", "aarch64")
    for minor in range(11, 15)
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
    ("plan atlanta-boston", "Each scan stops short by 1"),
    ("run published-1 --workload HS --pairs 2 --seconds 0.2 --json", '"mb_per_s"'),
    ("check atlanta-boston", "atlanta-boston"),
    ("replay relocation", "rows that leave a bound: 0 "),
    ("up query-islink --seconds 1 --plain", "2NDI"),
)

LACKING: Final = {
    # an extra, and a command line that needs it
    "cluster": "sweep grid.toml --cluster tcp://127.0.0.1:1",
    "measured": "measured fit published-1 none.txt -o site.toml",
    "optimise": "optimise published-16 --runs 2 --seconds 0.01 --seeds 1",
    "parquet": "sweep grid.toml -o rows.parquet",
    "plot": "io chart block --plot block.svg",
    "report": "report published-1 -o page.html",
    "studio": "studio published-1",
}

WITH_EXTRAS: Final = {"optimise", "parquet", "plot", "report"}
"""Those whose command line does its work where the extra is there."""

GRID: Final = """
seconds = 0.01
warmup = 0.01
grid = { layout = ["published-1"], workload = ["HS"], pairs = [1] }
"""


def check_files() -> None:
    """What checkers of packages say of the files and of ``pyproject.toml``."""
    files = sorted(str(path) for path in DIST.iterdir())
    _run(TOOLS / "twine", "check", "--strict", *files)
    wanted = _sdist_files()
    for wheel in sorted(DIST.glob("*.whl")):
        with zipfile.ZipFile(wheel) as archive:
            held = {name for name in archive.namelist() if not name.endswith("/")}
        if lost := wanted - held:
            raise SystemExit(f"{wheel.name} lacks {', '.join(sorted(lost))}")
        print(f"{wheel.name} has all {len(wanted)} files of its packages")
        top = ",".join(PACKAGES + tuple(name for name in held if name.startswith("isfc__mypyc")))
        _run(TOOLS / "check-wheel-contents", f"--toplevel={top}", wheel)
    _run(TOOLS / "validate-pyproject", ROOT / "pyproject.toml")
    said = _run(TOOLS / "cibuildwheel", "--print-build-identifiers", "--platform", "linux", ROOT)
    if set(said.split()) != set(CI_WHEELS):
        raise SystemExit(f"cibuildwheel would build {said.split()}, not {CI_WHEELS}")


def _sdist_files() -> set[str]:
    """What a wheel has to have: every file of the sdist's packages, but for the script."""
    (sdist,) = DIST.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        files = [each.name.partition("/")[2] for each in archive if each.isfile()]
    return {
        file
        for file in files
        if file.partition("/")[0] in PACKAGES and not file.startswith("isfc/cli/script/")
    }


def try_wheels() -> None:
    """Install the compiled wheel of each Python, and the pure one, and use them."""
    (pure,) = DIST.glob("*-py3-none-any.whl")
    found = pythons()
    for version, python in found.items():
        (wheel,) = DIST.glob(f"*-cp{version.replace('.', '')}-*.whl")
        _try_wheel(python, wheel, compiled=True)
    _try_wheel(next(iter(found.values())), pure, compiled=False)


def _try_wheel(python: Path, wheel: Path, *, compiled: bool) -> None:
    with _environment(python) as bin_:
        _run(bin_ / "pip", "install", "--quiet", "--constraint", CONSTRAINTS, wheel)
        for words, wanted in SMOKE:
            said = _run(bin_ / "isfc", *words.split())
            if wanted not in said:
                raise SystemExit(f"isfc {words} of {wheel.name}: no {wanted!r} in\n{said}")
        code = "import ctc.device as m; print(m.__file__.endswith('.so'))"
        if _run(bin_ / "python", "-c", code) != f"{compiled}\n":
            raise SystemExit(f"{wheel.name}: expected compiled modules: {compiled}")


def try_extras() -> None:
    """Each extra: where it is missing it is named; where it is there, the command works."""
    python = next(iter(pythons().values()))
    (pure,) = DIST.glob("*-py3-none-any.whl")
    for extras in ("", "[" + ",".join(LACKING) + "]"):
        with _environment(python) as bin_, TemporaryDirectory() as folder:
            (Path(folder) / "grid.toml").write_text(GRID, "utf-8")
            asked = f"isfc{extras} @ {pure.as_uri()}"
            _run(bin_ / "pip", "install", "--quiet", "--constraint", CONSTRAINTS, asked)
            for extra, words in LACKING.items():
                if not extras:
                    named = f"{bin_ / 'python'}[0-9.]* -m pip install 'isfc\\[{extra}\\]'"
                    said = _run(bin_ / "isfc", *words.split(), cwd=Path(folder), ends_with=2)
                    if not re.search(named, said):
                        raise SystemExit(f"isfc {words} does not name isfc[{extra}]:\n{said}")
                elif extra in WITH_EXTRAS:
                    _run(bin_ / "isfc", *words.split(), cwd=Path(folder))
            if not extras:
                needs = "import isfc.testing.strategies"
                said = _run(bin_ / "python", "-c", needs, ends_with=1)
                if "pip install 'isfc[testing]'" not in said:
                    raise SystemExit(f"{needs} does not name isfc[testing]:\n{said}")


def try_one_line() -> None:
    """Run the command by pipx and uvx, with ``dist/`` as the place where isfc is found."""
    for words in (
        (TOOLS / "pipx", "run", f"--pip-args=--find-links={DIST}", "isfc"),
        (TOOLS / "uvx", "--find-links", DIST, "isfc"),
    ):
        _run(*words, "plan", "atlanta-boston")


def try_sdist() -> None:
    """Install the sdist; unpack it, and run its checks and quick tests as a checkout would."""
    (sdist,) = DIST.glob("*.tar.gz")
    with _environment(next(iter(pythons().values()))) as bin_:
        _run(bin_ / "pip", "install", "--quiet", "--constraint", CONSTRAINTS, sdist)
        _run(bin_ / "isfc", "plan", "atlanta-boston")
    with TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
        _run("make", "check", cwd=Path(folder) / sdist.name.removesuffix(".tar.gz"))


def check_types() -> None:
    """Mypy and pyright, strict, on programs with every public name; stubtest on those names."""
    version, python = next(iter(pythons().items()))
    (wheel,) = DIST.glob(f"*-cp{version.replace('.', '')}-*.whl")
    with _environment(python) as bin_, TemporaryDirectory() as folder:
        _run(bin_ / "pip", "install", "--quiet", "--constraint", CONSTRAINTS,
             f"isfc[testing] @ {wheel.as_uri()}", "mypy")  # fmt: skip
        home = Path(folder)
        (home / "program.py").write_text(PROGRAM.read_text("utf-8"), "utf-8")
        (home / "names.py").write_text(program(), "utf-8")
        (home / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
        (home / "mypy.ini").write_text("[mypy]\nignore_missing_imports = true\n", "utf-8")
        _run(bin_ / "python", "names.py", cwd=home)
        _run(bin_ / "mypy", "--strict", "program.py", "names.py", cwd=home)
        pyright = (TOOLS / "pyright", "--pythonpath", bin_ / "python")
        _run(*pyright, "program.py", "names.py", cwd=home)
        stubtest = (bin_ / "python", "-m", "mypy.stubtest", "--mypy-config-file", "mypy.ini")
        found = doubts(_run(*stubtest, "isfc", "ctc", cwd=home, ends_with=None))
        if found:
            raise SystemExit("stubtest of public names:\n" + "\n".join(found))


@contextmanager
def _environment(python: Path) -> Iterator[Path]:
    """A fresh virtual environment of ``python``; its folder of commands."""
    with TemporaryDirectory() as folder:
        _run(python, "-m", "venv", folder)
        yield Path(folder) / "bin"


def _run(*command: str | Path, cwd: Path | None = None, ends_with: int | None = 0) -> str:
    """Run a command far from the project and return what it prints.

    Another exit code than ``ends_with`` ends the trial; None takes any.
    """
    outside = {"PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV", "ISFC_COMPILE"}
    done = subprocess.run(
        command,
        cwd=cwd or Path("/"),
        env={name: value for name, value in os.environ.items() if name not in outside},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    words = " ".join(map(str, command))
    if ends_with is not None and done.returncode != ends_with:
        raise SystemExit(f"{words}\nended with {done.returncode}:\n{done.stdout}")
    print(words, "...", done.stdout.rstrip().rpartition("\n")[2][:60], flush=True)
    return done.stdout


TRIALS: Final[dict[str, Callable[[], None]]] = {
    "files": check_files,
    "wheels": try_wheels,
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
