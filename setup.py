"""Compile with mypyc; all else stands in setup.cfg.

The source is the same, and so is every result; it runs more than fifteen times as fast, which
``tests/tools/benchmarks/test_instructions.py`` holds it to. A wheel, and so what ``pip install .``
installs, is compiled if there is a C compiler, and holds the source if not, or if that fails.
``ISFC_COMPILE=1`` insists, ``ISFC_COMPILE=0`` declines. An editable installation is never compiled:
a compiled module would hide the edited one.

``ISFC_PROFILE=1`` compiles twice with gcc: what runs of the first build went through the second is
arranged for, and takes fewer instructions (docs/decisions/0004). It takes twice as long, and is
left out where gcc is missing or a run fails.

``ISFC_OPT_LEVEL=1`` is for those who wait for the compiler, as `make test` does: gcc takes less
than a third of its time, and what it makes takes a fifth more instructions than at 3, the level
without it.

A wheel has the help of every command as text, which is printed without loading the parser.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from setuptools import setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

HOME = os.environ.get("ISFC_HOME", "")
"""Where the project is hosted, the one place to set it: a release is built with ``ISFC_HOME=https://...``
(docs/releasing.md). Its metadata names no addresses as long as there is none."""

PAGES = {
    "Documentation": "docs/index.md",
    "Changelog": "CHANGELOG.md",
    "Issues": "issues",
    "Security": "SECURITY.md",
}
"""What users look for, each below `HOME`."""

COMPILED = (
    "ctc/*.py",
    "isfc/link/*.py",
    "isfc/system/*.py",
    "isfc/engine/*.py",
    "isfc/programs/*.py",
    "isfc/live/ctce/*.py",
    "isfc/live/memory.py",
    "isfc/live/pace.py",
    "isfc/live/ctce_box.py",
    "isfc/live/ctce_port.py",
    "isfc/live/engine.py",
    "isfc/live/frames.py",
    "scenarios/runs/guests.py",
)
"""The folders that are pure, and what every package of a run passes besides."""

INTERPRETED = {
    "ctc/channel.py": "a struct of msgspec cannot be a native class",
    "ctc/features.py": "the same",
    "isfc/link/scan.py": "the same",
    "isfc/link/name.py": "a subclass of str cannot be a native class",
}
"""Modules of those folders that stay as they are, each with its reason."""


def extensions() -> list[Any]:
    """What to compile: nothing but to be built, and nothing where it is not wanted or cannot be."""
    wanted = os.environ.get("ISFC_COMPILE")
    if wanted == "0" or not {"build", "bdist_wheel"} & set(sys.argv):
        return []
    if wanted == "1":
        return translated()
    if shutil.which(os.environ.get("CC", "cc")) is None:
        return []
    try:
        found = translated()
    except (ImportError, SystemExit) as error:  # there is no mypy, or it objects
        sys.stderr.write(f"isfc is installed as source, as it cannot be compiled: {error}\n")
        return []
    for extension in found:
        extension.optional = True
    return found


def translated() -> list[Any]:
    """The modules as C, by mypyc."""
    from mypyc.build import mypycify

    paths = [str(path) for pattern in COMPILED for path in sorted(Path().glob(pattern))]
    chosen = [
        path for path in paths if path not in INTERPRETED and not path.endswith("__init__.py")
    ]
    begun_s = time.monotonic()
    found = mypycify(
        ["--config-file=tools/release/compile.ini", *chosen],
        opt_level=os.environ.get("ISFC_OPT_LEVEL", "3"),
        debug_level="0",
        group_name="isfc",  # the shared library is isfc__mypyc, a name that can be imported
    )
    tell(f"Translated {len(chosen)} modules into C", begun_s)
    if sys.platform != "win32":
        flags = [
            # nobody else calls the functions in it: let calls be direct
            "-fvisibility=hidden",
            # for which gcc reads the whole file again and again: two thirds of its time
            "-Wno-misleading-indentation",
            # calls of Python's functions go there without a detour
            *(["-fno-plt"] if sys.platform == "linux" else []),
        ]
        for extension in found:  # which share one list
            extension.extra_compile_args = [*extension.extra_compile_args, *flags]
    return found


def tell(done: str, begun_s: float) -> None:
    """Say what has been done, and how long it took; a terminal's last line makes room for it."""
    wiped = "\r\x1b[K" if sys.stderr.isatty() else ""
    sys.stderr.write(f"{wiped}{done}: {time.monotonic() - begun_s:.1f} s\n")


def addresses() -> dict[str, str]:
    """The metadata's project URLs, none without `HOME`."""
    if not HOME:
        return {}
    home = HOME.rstrip("/")
    return {"Homepage": home} | {name: f"{home}/{page}" for name, page in PAGES.items()}


class BuildWithHelp(build_py):  # type: ignore[misc]  # setuptools has no types
    """Copy the packages, and write the help down beside `isfc.cli.written_help`."""

    def run(self) -> None:
        """As setuptools does, and then the help, unless what isfc requires is not there."""
        super().run()
        if self.editable_mode:  # a checkout, in which make writes it
            return
        folder = Path(self.build_lib, "isfc", "cli", "help")
        command = [sys.executable, "-m", "tools.pages.commands", str(folder)]
        if subprocess.run(command, check=False).returncode:
            sys.stderr.write("isfc --help will take the parser's time, as it is not written down\n")


class BuildProfiled(build_ext):  # type: ignore[misc]  # as above
    """Compile with all processors; with ``ISFC_PROFILE=1`` for what runs of a first build did."""

    def finalize_options(self) -> None:
        """As setuptools does, with all processors unless told otherwise."""
        super().finalize_options()
        self.parallel: bool | int = self.parallel or True

    def build_extension(self, ext: Any) -> None:
        """As setuptools does; a terminal shows how many are done."""
        super().build_extension(ext)
        self.done += 1
        if sys.stderr.isatty():
            sys.stderr.write(f"\rCompiling {self.done} of {len(self.extensions)} ...")
            sys.stderr.flush()

    def build_extensions(self) -> None:
        """As setuptools does, once more after the runs."""
        if os.environ.get("ISFC_PROFILE") == "1" and self._is_gcc():
            if self._is_trained():
                self._add("-fprofile-use", "-fprofile-partial-training", "-Wno-missing-profile")
            else:
                sys.stderr.write("isfc is compiled without a profile, as there is none\n")
            self.force = True
        self._build()

    def _build(self) -> None:
        self.done, begun_s = 0, time.monotonic()
        super().build_extensions()
        tell(f"Compiled {len(self.extensions)} extension modules", begun_s)

    def _is_gcc(self) -> bool:
        command = [*getattr(self.compiler, "compiler_so", [])[:1], "-v"]  # MSVC has none
        if not command[1:]:
            return False
        said = subprocess.run(command, capture_output=True, text=True, check=False)
        return "gcc version" in said.stderr

    def _is_trained(self) -> bool:
        """Build with counters, and let runs write them beside the object files."""
        given = [(each.extra_compile_args, each.extra_link_args) for each in self.extensions]
        self._add("-fprofile-generate")
        try:
            self._build()
        except Exception as error:  # whatever a compiler without profiles says
            sys.stderr.write(f"{error}\n")
            return False
        finally:
            for each, (compiling, linking) in zip(self.extensions, given, strict=True):
                each.extra_compile_args, each.extra_link_args = compiling, linking
        folders = [str(Path(self.build_lib).resolve()), str(Path.cwd())]
        path = os.pathsep.join([*folders, os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
        command = [sys.executable, "-m", "tools.release.compiled", "train"]
        return not subprocess.run(command, env=env, check=False).returncode

    def _add(self, *flags: str) -> None:
        for each in self.extensions:
            each.extra_compile_args = [*each.extra_compile_args, *flags]
            each.extra_link_args = [*each.extra_link_args, *flags[:1]]


setup(
    cmdclass={"build_ext": BuildProfiled, "build_py": BuildWithHelp},
    ext_modules=extensions(),
    project_urls=addresses(),
)
