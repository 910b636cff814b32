"""A text that a program means: itself, or the path of a file that has it."""

from pathlib import Path

from isfc.layout.checked_toml import read_bytes, within

AnyText = str | Path
"""A text of several lines is itself; what has one line is the path of a file."""


def given_bytes(text: AnyText, what: str, length_max: int) -> tuple[bytes, str]:
    """The content that ``text`` means, and its name in messages; ``what`` is what it should be."""
    if isinstance(text, str) and "\n" in text:
        return text.encode("utf-8", "surrogatepass"), "text"
    with within(str(text)):
        return read_bytes(Path(text), what, length_max), str(text)
