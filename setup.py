"""Compile with mypyc where ISFC_COMPILE=1 asks for it; all else stands in setup.cfg.

The source is the same, and so is every result; it runs about four times as fast. That needs a C
compiler, so it is not the default.
"""

import os
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
    """What to compile: nothing, unless asked."""
    if os.environ.get("ISFC_COMPILE") != "1":
        return []
    from mypyc.build import mypycify

    paths = [str(path) for pattern in COMPILED for path in sorted(Path().glob(pattern))]
    return mypycify([path for path in paths if path not in INTERPRETED])


setup(ext_modules=extensions())
