"""Compile with mypyc; all else stands in setup.cfg.

The source is the same, and so is every result; it runs about seven times as fast. A wheel, and so
what ``pip install .`` installs, is compiled if there is a C compiler, and holds the source if not,
or if that fails. ``ISFC_COMPILE=1`` insists, ``ISFC_COMPILE=0`` declines. An editable installation
is never compiled: a compiled module would hide the edited one.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

from setuptools import setup

COMPILED = ("ctc/*.py", "isfc/*.py", "isfc/engine/*.py", "scenarios/guests.py")

INTERPRETED = {
    "ctc/__init__.py": "holds nothing to run",
    "isfc/__init__.py": "holds nothing to run",
    "isfc/__main__.py": "starts the command, once",
    "isfc/control.py": "a subclass of an asyncio class cannot be a native class",
    "isfc/control_client.py": "waits for a socket",
    "isfc/control_socket.py": "makes a socket, once",
    "isfc/api.py": "spends its time in asyncio",
    "isfc/api_conversation.py": "spends its time in asyncio",
    "isfc/forward.py": "spends its time in asyncio",
    "isfc/engine/__init__.py": "holds nothing to run",
    "isfc/engine/attachment.py": "spends its time in asyncio",
    "isfc/engine/connection.py": "a subclass of an asyncio class cannot be a native class",
    "isfc/engine/listen.py": "makes sockets, once",
    "isfc/engine/tls.py": "spends its time in asyncio",
    "isfc/name.py": "a subclass of str cannot be a native class",
}
"""Modules that stay as they are, each with its reason."""


def extensions() -> list[Any]:
    """What to compile: nothing but for a wheel, and nothing where it is not wanted or cannot be."""
    wanted = os.environ.get("ISFC_COMPILE")
    if wanted == "0" or "bdist_wheel" not in sys.argv:
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
    return mypycify([path for path in paths if path not in INTERPRETED])


setup(ext_modules=extensions())
