"""What is fuzzed: by name, a function that takes any bytes and lets no error out but a bug's.

Each decodes the bytes as its readers do, and expects the documented errors. The corpus of a target,
``tests/data/fuzz/NAME``, has inputs that are valid or nearly so, and whatever was found.
"""

from collections.abc import Callable, Mapping
from typing import Final

from ctc.address import CtcError
from isfc.deck.activation import parse_activations
from isfc.deck.console import parse_log
from isfc.deck.listing import read_deck
from isfc.deck.place import decode as decode_text
from isfc.engine.journal_record import JournalReader
from isfc.engine.wire import decode, encode
from isfc.errors import ConfigurationError, IsfcError
from isfc.io.configuration_file import parse_io_configuration
from isfc.io.rmf import parse_rmf
from isfc.layout.catalogue import load_layout
from isfc.layout.collection import Collection
from isfc.layout.file import parse_collection
from isfc.live.admission import decode_greeting, greeting_length
from isfc.live.control import decode_answer, read_reply
from isfc.programs import protocol
from isfc.system.cp.processor import CommandProcessor
from isfc.testing.pair import Pair, Setup
from scenarios.faults.fault import parse_faults
from scenarios.search.grid import parse_grid
from tools import PROJECT

CORPUS: Final = PROJECT / "tests" / "data" / "fuzz"
"""A folder for each target, a file for each input."""

_LAYOUT: Final = load_layout("published-4")

Target = Callable[[bytes], object]
"""Decodes bytes; documented errors may come out."""


def _wire(data: bytes) -> None:
    """A frame that is one comes back as it was."""
    frame = decode(data)
    assert repr(decode(encode(frame))) == repr(frame)


def _greeting(data: bytes) -> None:
    """A greeting. Names that are none come out fit to be shown, so not as they were."""
    greeting_length(data)
    decode_greeting(data)


def _verbs(data: bytes) -> None:
    """A verb of a conversation and its body, as the switchboard reads them."""
    verb, body = data[:1], data[1:]
    if verb == bytes([protocol.Verb.CONNECT]):
        protocol.parse_connect(body)
    elif verb == bytes([protocol.Verb.SEVER]):
        protocol.parse_sever(body)
    else:
        protocol.parse_room(body)


def _journal(data: bytes) -> None:
    """A journal, read to its end in pieces."""
    rest = memoryview(data)

    def read(length: int) -> bytes:
        nonlocal rest
        piece, rest = bytes(rest[:length]), rest[length:]
        return piece

    for _ in JournalReader(read):
        pass


def _commands(data: bytes) -> None:
    """CP commands, a line each, on a system that has just been made."""
    system = Pair(Setup(ctc_count=2)).first.system
    processor = CommandProcessor()
    for line in data.decode("utf-8", "replace").split("\n")[:20]:
        processor.execute(line, system, 0)


def _text(parse: Callable[[str, str], object]) -> Target:
    """A parser of text that people write, with what precedes it."""
    return lambda data: parse(decode_text(data, "a file"), "a file")


TARGETS: Final[Mapping[str, Target]] = {
    "layout": lambda data: parse_collection(data, "a file"),
    "io": lambda data: parse_io_configuration(data, "a file"),
    "sweep": lambda data: parse_grid(data, CORPUS),
    "faults": lambda data: parse_faults(data, Collection((_LAYOUT,)), _LAYOUT.nodes[0], 10**10),
    "wire": _wire,
    "greeting": _greeting,
    "verbs": _verbs,
    "journal": _journal,
    "control": lambda data: read_reply(decode_answer(data)),
    "cp": _commands,
    "iocp": _text(read_deck),
    "islink": _text(parse_log),
    "activate": _text(parse_activations),
    "rmf": _text(parse_rmf),
}


def feed(name: str, data: bytes) -> None:
    """Give a target its input; raise whatever only a bug can raise."""
    try:
        TARGETS[name](data)
    except (IsfcError, CtcError, ConfigurationError):
        return
