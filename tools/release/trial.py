"""Try what ``dist/`` holds where nothing of the project is: ``make try-dist`` runs it.

The checkers of packages look at the files; each compiled wheel is installed into a fresh
environment of its Python, with its libraries from the index and isfc from ``dist/`` alone, and does
a little of everything; pipx and uvx run the command from ``dist/`` as a local index; the sdist is
unpacked and runs its quick tests; mypy and pyright check a program that uses every public name.
"""

import os
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools.release.build import DIST, TOOLS
from tools.release.pythons import ROOT, pythons

CONSTRAINTS: Final = ROOT / "constraints.txt"
PROGRAM: Final = ROOT / "tests" / "user_program.py"

SMOKE: Final = (
    # a command line of the installed isfc, and what its output must have in it
    (("--version",), "isfc"),
    (("plan", "atlanta-boston"), "Each scan stops short by 1"),
    (("run", "published-1", "--workload", "HS", "--seconds", "0.2", "--json"), '"mb_per_s"'),
    (("check", "atlanta-boston"), "atlanta-boston"),
    (("up", "query-islink", "--seconds", "1", "--plain"), "2NDI"),
)


def check_files() -> None:
    """What checkers of packages say of the files and of ``pyproject.toml``."""
    files = sorted(str(path) for path in DIST.iterdir())
    _run(TOOLS / "twine", "check", "--strict", *files)
    for wheel in DIST.glob("*.whl"):
        compiled = "" if wheel.name.endswith("-none-any.whl") else ",isfc__mypyc"
        _run(TOOLS / "check-wheel-contents", f"--toplevel=ctc,isfc,scenarios{compiled}", wheel)
    _run(TOOLS / "validate-pyproject", ROOT / "pyproject.toml")
    _run(TOOLS / "cibuildwheel", "--print-build-identifiers", "--platform", "linux", ROOT)


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
            said = _run(bin_ / "isfc", *words)
            if wanted not in said:
                raise SystemExit(
                    f"isfc {' '.join(words)} of {wheel.name}: no {wanted!r} in\n{said}"
                )
        code = "import ctc.device as m; print(m.__file__.endswith('.so'))"
        if _run(bin_ / "python", "-c", code) != f"{compiled}\n":
            raise SystemExit(f"{wheel.name}: expected compiled modules: {compiled}")


def try_one_line() -> None:
    """Run the command by pipx and uvx, with ``dist/`` as the place where isfc is found."""
    for words in (
        (TOOLS / "pipx", "run", "--pip-args", f"--find-links={DIST}", "isfc"),
        (TOOLS / "uvx", "--find-links", DIST, "isfc"),
    ):
        _run(*words, "plan", "atlanta-boston")


def try_sdist() -> None:
    """Unpack the sdist, and run its checks and quick tests as a fresh checkout would."""
    (sdist,) = DIST.glob("*.tar.gz")
    with TemporaryDirectory() as folder, tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
        _run("make", "check", cwd=Path(folder) / sdist.name.removesuffix(".tar.gz"))


def check_types() -> None:
    """Both type checkers on a program that uses every public name of an installed wheel."""
    version, python = next(iter(pythons().items()))
    (wheel,) = DIST.glob(f"*-cp{version.replace('.', '')}-*.whl")
    with _environment(python) as bin_, TemporaryDirectory() as folder:
        _run(bin_ / "pip", "install", "--quiet", "--constraint", CONSTRAINTS,
             f"isfc[testing] @ {wheel.as_uri()}", "mypy")  # fmt: skip
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM.read_text("utf-8"), "utf-8")
        _run(bin_ / "mypy", "--strict", program, cwd=Path(folder))
        (Path(folder) / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict"}', "utf-8")
        _run(TOOLS / "pyright", "--pythonpath", bin_ / "python", program, cwd=Path(folder))


@contextmanager
def _environment(python: Path) -> Iterator[Path]:
    """A fresh virtual environment of ``python``; its folder of commands."""
    with TemporaryDirectory() as folder:
        _run(python, "-m", "venv", folder)
        yield Path(folder) / "bin"


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command far from the project and return what it prints; its failure ends the trial."""
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
    if done.returncode:
        raise SystemExit(f"{words}\nended with {done.returncode}:\n{done.stdout}")
    print(words, "...", done.stdout.rstrip().rpartition("\n")[2][:60], flush=True)
    return done.stdout


TRIALS: Final[dict[str, Callable[[], None]]] = {
    "files": check_files,
    "wheels": try_wheels,
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
