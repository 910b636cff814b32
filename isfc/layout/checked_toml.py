"""TOML from people, of which what is wrong is said with its place.

A file is bytes, then a document (`decode`), then tables checked against a record's types
(`convert`), key by key. Whatever is wrong is a `ConfigurationError` that names the file, table and
key, and what to do with a text of another kind (`isfc.layout.source_kind`).
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import msgspec

from ctc.address import CtcError
from isfc.errors import ConfigurationError
from isfc.errors.arguments import STANDARD_INPUT, read_pipe, read_standard_input
from isfc.layout.source_kind import foreign_text


def in_utf8(data: bytes) -> bytes:
    """The bytes of a text, in UTF-8 if they were UTF-16, with a byte order mark or without one."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode()
    head = data[:2000]
    for order, zeros, others in (("le", head[1::2], head[::2]), ("be", head[::2], head[1::2])):
        if zeros and zeros.count(0) * 2 > len(zeros) and not others.count(0):
            return data.decode(f"utf-16-{order}", "replace").encode()
    return data


def text_of(data: bytes, expected: str, errors: str = "strict", other: str = "") -> str:
    """The text in a file, maybe in an ``other`` code; raises `ConfigurationError` for none."""
    try:
        if is_ebcdic(data):
            raise ConfigurationError("is text in EBCDIC; expected it transferred as text")
        return in_utf8(data).decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
        if other:
            return data.decode(other)
        found = f"not UTF-8 text (at byte {error.start})"
        raise ConfigurationError(f"is {found}; expected {expected}") from None


def is_ebcdic(data: bytes) -> bool:
    """Whether bytes are text in EBCDIC: it has X'40' where ASCII has X'20', and no other blank."""
    blanks = data.count(0x40)
    if blanks * 20 < len(data) or data.count(0x20) * 20 > blanks:
        return False
    text = data.decode("cp037")
    readable = sum(
        char.isascii() and (char.isalnum() or char in " .,:;-_/()<>=*'%+") for char in text
    )
    return readable * 10 > len(text) * 9


def read_json(text: str, file: str) -> object:
    """What a text says as JSON; raises `ConfigurationError` if it is none."""
    import json  # little that is read is JSON

    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        what = None if text.lstrip()[:1] in ("[", "{") else foreign_text(text, "JSON")
        raise ConfigurationError(
            f"{file}: is not JSON{f' but {what}' if what else f': {error}'}"
        ) from None
    return found


FILE_LENGTH_MAX: Final = 1024 * 1024
"""Bytes in a file. Sixteen CTCs, each with its own table, take about 2 KB, and decks the rest."""

TEXT_LENGTH_MAX: Final = 16 * FILE_LENGTH_MAX
"""Bytes in a deck, a log or a report: HCD writes 100 for a control unit, a day of RMF is half."""

LINE_LENGTH_MAX: Final = 1000
"""Characters in a line: a dotted key costs `tomllib` the square of its parts."""

LONG_FILE: Final = 64 * 1024
"""Bytes beyond which a file has many lines, so that they have to be shorter."""

LONG_FILE_LINE_MAX: Final = 160
"""Characters in a line of a long file: twice a card."""

TABLE_NAME_LENGTH_MAX: Final = 32
"""Characters in the name of a table."""

_KINDS: Final = {
    "str": "text",
    "int": "a number",
    "float": "a number",
    "object": "a table",
    "dict": "a table",
    "array": "a list",
    "list": "a list",
    "bool": "true or false",
}
"""What TOML holds, in the words of an error message, by the names of Python and of `msgspec`."""

_T = TypeVar("_T", bound=msgspec.Struct)


def read_bytes(path: Path, expected: str, length_max: int = FILE_LENGTH_MAX) -> bytes:
    """The content of a file, which is refused beyond ``length_max`` bytes.

    Of a regular file, of standard input, or of a pipe, such as the shell makes of ``<(command)``: a
    directory has no content, and a device need not end. ``expected`` says what it should be.
    """
    try:
        if path == STANDARD_INPUT:
            data = read_standard_input(expected, length_max + 1)
        elif path.is_fifo():
            data = read_pipe(path, expected, length_max + 1)
        elif path.exists() and not path.is_file():
            kind = "a directory" if path.is_dir() else "a device"
            raise ConfigurationError(f"is {kind}; expected {expected}")
        else:
            with path.open("rb") as file:
                data = file.read(length_max + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or error
        raise ConfigurationError(f"cannot be read ({reason}); expected {expected}") from None
    if len(data) > length_max:
        raise ConfigurationError(f"is too long; expected at most {length_max} bytes")
    return data


def decode(data: bytes, name: str) -> dict[str, Any]:
    """The TOML document in ``data``, which must not strain the parser; ``name`` is its kind."""
    if len(data) > FILE_LENGTH_MAX:
        _refuse_other(data[:FILE_LENGTH_MAX].decode("utf-8", "replace"))
        raise ConfigurationError(f"is too long; expected at most {FILE_LENGTH_MAX} bytes")
    text = text_of(data, "TOML")
    most = LINE_LENGTH_MAX if len(data) <= LONG_FILE else LONG_FILE_LINE_MAX
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > most:
            _refuse_other(text)
            raise ConfigurationError(
                f"line {number} is too long; expected at most {most} characters"
            )
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ConfigurationError(f"is not {name}: its tables are nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, or an integer with too many digits
        _refuse_other(text)
        raise ConfigurationError(f"is not TOML: {error}") from None


def _refuse_other(text: str) -> None:
    """Raise `ConfigurationError` for a text that is something else that is known, and name it."""
    if remedy := foreign_text(text):
        raise ConfigurationError(f"is not TOML but {remedy}") from None


def holds(what: str, form: dict[str, Any] | None = None, **bounds: Any) -> msgspec.Meta:
    """What a key of a table holds, in the words of an error message, and the bounds of a number.

    ``form`` is what a JSON schema says of it beyond its type.
    """
    found: msgspec.Meta = msgspec.Meta(description=what, extra_json_schema=form, **bounds)
    return found


def words_of(kind: type[msgspec.Struct]) -> dict[str, str]:
    """What each key of a table holds, in words, as `holds` has it beside the key's type."""
    return {each.encode_name: _words(each.type) for each in msgspec.structs.fields(kind)}


def _words(wanted: object) -> str:
    said = [each.description or "" for each in get_args(wanted) if isinstance(each, msgspec.Meta)]
    return "".join(said or map(_words, get_args(wanted)))


def convert(value: object, kind: type[_T], place: str) -> _T:
    """``value`` as a ``kind``, or an error that names the key in the table at ``place``.

    Tables within it have places of their own.
    """
    expected = words_of(kind)
    if not isinstance(value, dict):
        problem = f"{_found(type(value).__name__)}; expected a table with {', '.join(expected)}"
        raise ConfigurationError(f"{place}: {problem}".removeprefix(": "))
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    for key, each in value.items():
        at = f"{place} {show_key(str(key))}".strip()
        if key not in fields:
            raise ConfigurationError(f"{at}: no such key; expected one of {', '.join(expected)}")
        for inner, table, within_key in _tables(fields[key].type, key, each, place):
            convert(table, inner, within_key)
        try:
            msgspec.convert(each, fields[key].type)
        except msgspec.ValidationError as error:
            got = re.search(r"got `(\w+)`", str(error))
            problem = _found(got[1]) if got else "out of range"
            raise ConfigurationError(f"{at}: {problem}; expected {expected[key]}") from None
    for key, field in fields.items():
        if field.required and key not in value:
            at = f"{place} {key}".strip()
            raise ConfigurationError(f"{at}: missing; expected {expected[key]}")
    return msgspec.convert(value, kind)


def _tables(
    wanted: object, key: str, value: object, place: str
) -> Iterator[tuple[type[msgspec.Struct], object, str]]:
    """The tables below a key of the table at ``place``: what kind each is to be, and its place."""
    for option in _options(wanted):
        *others, inner = _options((get_args(option) or (option,))[-1])
        if not (isinstance(inner, type) and issubclass(inner, msgspec.Struct)):
            continue
        if inner is option and isinstance(value, dict):
            yield inner, value, f"{place} {key}" if place else f"[{key}]"
        elif get_origin(option) is dict and isinstance(value, dict):
            named = (item for item in value.items() if not others or isinstance(item[1], dict))
            yield from ((inner, each, f"[{key}.{show_key(str(name))}]") for name, each in named)
        elif get_origin(option) is list and isinstance(value, list):
            yield from ((inner, each, f"[[{key}]] #{n}") for n, each in enumerate(value, start=1))


def _found(kind: str) -> str:
    return f"got {_KINDS.get(kind, kind)}"


def _options(wanted: object) -> list[object]:
    """The types that a type allows: those of a union, without their bounds."""
    if get_origin(wanted) is Annotated:
        return _options(get_args(wanted)[0])
    if get_origin(wanted) in (Union, type(int | None)):
        return [option for each in get_args(wanted) for option in _options(each)]
    return [wanted]


def show_key(name: str) -> str:
    """A key from the file as it can safely be shown: bare where TOML would allow it."""
    # no pattern: each plan would compile it
    is_bare = name.isascii() and name.replace("-", "_").replace("_", "a").isalnum()
    return name if is_bare and len(name) <= 40 else repr(name[:40])


def no_table(level: str, name: str, known: Iterable[str]) -> str:
    """That there is no table ``[level.NAME]`` of that name, and which are ``known``."""
    listed = ", ".join(map(show_key, known)) or f"the tables [{level}.NAME], of which there is none"
    return f"there is no [{level}.{show_key(name)}]; expected one of {listed}"


def check_table_name(place: str, name: str, what: str) -> None:
    """Refuse a name, that of ``what`` in the table at ``place``, which cannot safely be shown."""
    if not name.isprintable() or not 1 <= len(name) <= TABLE_NAME_LENGTH_MAX:
        raise ConfigurationError(
            f"{place}: not the name of {what}; "
            f"expected 1 to {TABLE_NAME_LENGTH_MAX} printable characters"
        )


@contextmanager
def within(place: str) -> Iterator[None]:
    """Put ``place`` in front of whatever is found to be wrong there."""
    try:
        yield
    except (ConfigurationError, CtcError) as error:
        raise ConfigurationError(f"{place}: {error}") from None


AnyText = str | Path
"""A text of several lines is itself; what has one line is the path of a file."""


def given_bytes(text: AnyText, what: str, *, name: str = "text") -> tuple[bytes, str]:
    """The content that ``text`` means, and its name in messages; ``what`` is what it should be.

    Several lines are the content itself, which is called ``name``.
    """
    if isinstance(text, str) and "\n" in text:
        return text.encode("utf-8", "surrogatepass"), name
    with within("standard input" if Path(text) == STANDARD_INPUT else str(text)):
        return read_bytes(Path(text), what, TEXT_LENGTH_MAX), str(text)
