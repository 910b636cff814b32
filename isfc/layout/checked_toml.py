"""Texts from people: which kind each is, and TOML, of which what is wrong is said with its place.

A file is bytes, then a document (`decode`), then tables checked against a record's types
(`convert`), key by key. Whatever is wrong is a `ConfigurationError` that names the file, table and
key, and what to do with a text of another kind.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin

import msgspec

from ctc.address import CtcError
from isfc.errors import ConfigurationError
from isfc.errors.arguments import STANDARD_INPUT, checked, read_pipe, read_standard_input


class SourceKind(StrEnum):
    """What a site may have: a layout in TOML, or one of three that ``isfc import`` reads."""

    LAYOUT = "toml"
    DECK = "iocp"
    CONSOLE_LOG = "islink"
    CONFIGURATION = "config"


_SIGN_OF: Final = {
    SourceKind.LAYOUT: r"(?m)^\[(?:\[(?:ctc|link)\]|deck\.|fibre\.)",  # with cards of a deck
    # also of a deck whose column 1 was lost, and IOCP's reports of it
    SourceKind.DECK: (
        r"(?mi)^(?!#[ \t])(?:\S{0,8}[ \t]{1,40})?"
        r"(?:RESOURCE|CHPID|CNTLUNIT|IODEVICE)[ \t]{1,40}[A-Z]{1,20}[=,]"
        r"|^.{0,130}\b(?:PARTITION|CHPID SUMMARY|I/O DEVICE|CHANNEL PATH) REPORT {1,40}PAGE\b"
    ),
    SourceKind.CONSOLE_LOG: r"(?mi)^(?![ \t]*#).*\bLink device:",
    # abbreviated as CP allows, behind what a console shows
    SourceKind.CONFIGURATION: (
        r"(?mi)^(?:#CP)?[^#\n]*\b"
        r"(?:(?:ACT|DEA)[A-Z]{0,7}[ \t]{1,40}ISL(?:I|IN|INK)?|System_Identifier|CP_Owned)\b"
    ),
}
"""What shows each kind, in the order of looking. A comment of TOML shows none. Here and below each
is compiled where it is looked for, as most texts are layouts."""


@checked
def source_kind(text: str) -> SourceKind:
    """What ``text`` is, by the first sign in it, or once it is plain; a layout if there is none."""
    if kind := _kind_of(text):
        return kind
    from isfc.layout.layers import plain  # what is pasted is seldom a layout

    return _kind_of(plain(text).text) or SourceKind.LAYOUT


def _kind_of(text: str) -> SourceKind | None:
    return next((kind for kind, sign in _SIGN_OF.items() if re.search(sign, text)), None)


_REMEDIES: Final = {
    SourceKind.DECK: "an IOCP deck, or a report of one; 'isfc import iocp FILE --partitions "
    "NAME,NAME' makes a layout of it",
    SourceKind.CONSOLE_LOG: "a console log; 'isfc import islink NODE=FILE' makes a layout of it",
    SourceKind.CONFIGURATION: "SYSTEM CONFIG or commands; 'isfc import config FILE --layout "
    "LAYOUT' keeps of a layout what they activate",
}
"""Texts that are often given where a layout is expected, each with its remedy."""

_MEASURED: Final = "'isfc measured read FILE' reads it, and a layout is a file of its own"

_SIGNS: Final = {
    r'(?s)\A\s*[\[{].*"partition-(?:links|uri)"': "a file of DPM: 'isfc import dpm FILE' reads it",
    r'(?s)\A\s*\{.{0,4000}"(?:workload|node|client|devices)"\s*:': (
        f"what 'isfc run --json' prints: give the layout that ran; {_MEASURED}"
    ),
    r"\A\s*[\[{]\s*[\"{\[\]}]": "JSON: give a layout in TOML, such as 'isfc new' writes",
    r"(?i)\A\s*<(?:!doctype html|html|svg|\?xml)": (
        "a page or a picture, such as 'isfc report' writes: give the layout that it is of"
    ),
    r"(?m)^\W*Logical link \S+ - \S+, seen from ": (
        f"a page that 'isfc run' printed: give the layout that ran; {_MEASURED}"
    ),
    r"(?mi)\bFCX1\d\d\b|^\W*Addr +Type\b.*\bPend\b|TXPENDCT": (
        f"a report of Performance Toolkit or of link activity: {_MEASURED}"
    ),
    r"C H A N N E L +P A T H|D I R E C T +A C C E S S|I +/ +O +Q U E U": (
        "an RMF report: 'isfc io size --rmf FILE' reads it"
    ),
    r"(?mi)^[0-9A-F]{3,5} {1,40}CTCE\b": (
        "the configuration of a Hercules: 'isfc ctce FILE FILE' takes those of both"
    ),
}
"""What shows each kind, in the order of looking, and what to do with it."""


_IOCP_NAME: Final = (
    r"(?P<name>IOCDS TOTALS|PARTITION|(?:FID|PCHID|CHPID|CHANNEL PATH IDENTIFIER) SUMMARY"
    r"|CHANNEL PATH|I/O DEVICE)"
)
_IOCP_REPORT: Final = (
    rf"(?mi)^(?!\*)(?:.* )?{_IOCP_NAME} {{1,40}}REPORT\b"
    rf"|^[ 1]? *(?:TIME *)?\d\d[.:]\d\d\b.*\b{_IOCP_NAME.replace('name', 'named')}\b"
    r"|^[ 1]? *(?:TIME *)?\d\d[.:]\d\d\b.*\b(?:REPORT|IOCP|CONFIGURATION PROGRAM)\b"
    r"|^[ 01-]? *(?:PCHID {1,40})?CHPID {1,40}(?:\S{1,20} {1,40})?TYPE {1,40}SWITCH\b"
    r"|^[ 01-]? *DEVICE NUMBERS? {1,40}UNIT ADDRESS"
)
"""Headings of IOCP's reports, with the time in front and the name of the report, or of columns:
Input/Output Configuration Program User's Guide for ICP IOCP, configuration reports."""


def iocp_report(text: str) -> tuple[str, int] | None:
    """What to call a report that IOCP printed, and where it begins in a text that holds one."""
    found = re.search(_IOCP_REPORT, text)
    if found is None:
        return None
    name = found["name"] or found["named"]
    called = f" ({name.upper()})" if name else ""
    return f"a report that IOCP printed{called}", found.start()


THE_DECK: Final = (
    "the deck that it was made of, or its CHANNEL PATH or I/O DEVICE report with titles, for "
    "'isfc import iocp'"
)
"""What to give instead of IOCP's reports."""


def refuse_iocp_report(text: str, source: str) -> None:
    """Raise `ConfigurationError` if a text without anything of use is a report of IOCP's."""
    if found := iocp_report(text):
        raise ConfigurationError(f"{source}: is {found[0]}; expected {THE_DECK}")


def foreign_text(text: str) -> str | None:
    """What a text is, and what to give instead; None if it may be meant as a layout."""
    if known := _REMEDIES.get(source_kind(text)):
        return known
    for sign, remedy in _SIGNS.items():
        if re.search(sign, text):
            return remedy
    report = iocp_report(text)
    return report and f"{report[0]}: give {THE_DECK}"


def in_utf8(data: bytes) -> bytes:
    """The bytes of a text, in UTF-8 if they were UTF-16, with a byte order mark or without one."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace").encode()
    head = data[:2000]
    for order, zeros, others in (("le", head[1::2], head[::2]), ("be", head[::2], head[1::2])):
        if zeros and zeros.count(0) * 2 > len(zeros) and not others.count(0):
            return data.decode(f"utf-16-{order}", "replace").encode()
    return data


def text_of(data: bytes, expected: str, errors: str = "strict") -> str:
    """The text in a file's content; raises `ConfigurationError` for what is none."""
    try:
        if is_ebcdic(data):
            raise ConfigurationError("is text in EBCDIC; expected it transferred as text")
        return in_utf8(data).decode("utf-8-sig", errors)
    except UnicodeDecodeError as error:
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
        raise ConfigurationError(f"{file}: is not JSON: {error}") from None
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
        at = f"{place} {show_key(key)}".strip()
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
            yield from ((inner, each, f"[{key}.{show_key(name)}]") for name, each in named)
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
    return name if re.fullmatch(r"[\w-]{1,40}", name, re.ASCII) else repr(name[:40])


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
