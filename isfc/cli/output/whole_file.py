"""A file is written whole or not at all: a full disk leaves what was there before."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A new file beside ``path`` to write to, which takes its place when the block has ended.

    If the block fails, the new file is removed. What is no regular file, such as ``/dev/stdout``,
    and a file in a folder that takes no new one, is written where it is. Raises `OSError` that
    names ``path``.
    """
    there = path.resolve()  # the file that a link leads to, not the link
    if (there.exists() and not there.is_file()) or not os.access(there.parent, os.W_OK):
        with _naming(path):
            yield path
        return
    beside = there.with_name(f".isfc-{secrets.token_hex(8)}{there.suffix}")
    with _naming(path):
        try:
            yield beside
            if there.exists():
                beside.chmod(there.stat().st_mode)
            beside.replace(there)
        finally:
            beside.unlink(missing_ok=True)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Let an error of writing name the file that was wanted, in the words of the system."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise OSError(f"{path}: {error}") from None
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from None
