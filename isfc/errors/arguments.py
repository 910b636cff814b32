"""What people give: arguments of public functions, and what can be read only once.

Arguments are held against their annotations before anything else happens, and against the bounds of
an `Argument` there. A command calls the same functions `as_options`, so that messages name its
options. Standard input, and a pipe as the shell makes of ``<(command)``, can be read once;
``expected`` says in messages what should come, such as "a layout".
"""

import builtins
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import cache, wraps
from pathlib import Path
from threading import local
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from msgspec import Struct

from isfc.errors import ConfigurationError

SEED_MAX: Final = 2**63 - 1
"""The greatest seed (chosen: what 64 bits hold)."""

JOBS_MAX: Final = 1_024
"""The most processes (chosen: a bound of what can be asked for)."""

STANDARD_INPUT: Final = Path("-")
"""The path with which a user means standard input."""

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")

_SHOWN_LENGTH: Final = 60
"""Characters of a wrong value in a message."""

_OPTION: Final = r"(?<![\w-])--([a-z][a-z-]*)"
"""An option of a command, in a message."""

_SIZE_UNITS: Final[Mapping[str, int]] = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}

_WORDS: Final[Mapping[object, str]] = {
    int: "a whole number",
    float: "a number",
    str: "a text",
    bytes: "bytes",
    bool: "True or False",
    NoneType: "None",
}


_UNITS: Final[Mapping[str, str]] = {
    "S": "s",
    "BYTES": "bytes",
    "MB/s": "MB/s",
    "KM": "km",
    "PERCENT": "%",
}
"""What a message says of a unit, by the name that help has for a value in it."""


class _Spelling(local):
    """How arguments are spelt in this thread; contextvars would cost every command more to load."""

    how: Callable[[str], str] = staticmethod(str)


_SPELLING: Final = _Spelling()


class Argument(Struct, frozen=True):
    """An argument of a capability, in ``Annotated``: as an option its help is ``said``.

    Help calls its value ``metavar``; a number lies from ``least`` to ``most``, in that unit.
    ``complete`` says which values begin so, for a shell. In a command one that ``is_named`` is an
    option, though Python takes it by its place too.
    """

    metavar: str
    said: str
    least: float | None = None
    most: float | None = None
    complete: Callable[[str], list[str]] | None = None
    is_named: bool = False

    def check(self, name: str, value: Any) -> None:
        """Raise `ConfigurationError` for a number, or one of several, that is not between both."""
        if self.least is None or self.most is None or value is None:
            return
        for each in value if isinstance(value, list | tuple) else (value,):
            if not self.least <= each <= self.most:  # nor is what is not a number
                raise ConfigurationError(
                    f"{name} {_number(each)}: expected {_number(self.least)} to "
                    f"{_number(self.most)} {_UNITS.get(self.metavar, '')}".rstrip()
                )


Jobs = Annotated[
    int, Argument("N", "Runs at a time; as many as processors if not given.", 1, JOBS_MAX)
]
"""An argument that is an option too. In Python it is 1 if not given: processes are asked for."""


def _number(value: float) -> str:
    """A number as a message has it: an absurd one in short."""
    if isinstance(value, int) and abs(value) <= SEED_MAX:
        return str(value)
    try:
        return f"{value:g}"
    except OverflowError:
        return f"{'-' * (value < 0)}(a number of more than 300 digits)"


@contextmanager
def spelling(how: Callable[[str], str]) -> Iterator[None]:
    """While the body runs, call arguments in messages what ``how`` makes of their names."""
    before, _SPELLING.how = _SPELLING.how, how
    try:
        yield
    finally:
        _SPELLING.how = before


def as_options(placed: Collection[str] = ()) -> AbstractContextManager[None]:
    """While the body runs, call arguments what the options of a command are called.

    Those that are ``placed`` are no options: they are given by their place.
    """
    return spelling(lambda name: name.upper() if name in placed else option_of(name))


def option_of(name: str) -> str:
    """``--from``: the option of an argument. Python's own words end with ``_`` as arguments."""
    return f"--{name.rstrip('_').replace('_', '-')}"


def spelt(name: str) -> str:
    """What messages call an argument: ``offer_out``, or ``--offer-out`` of a command.

    One that a command has by its place is in capitals, as in its help.
    """
    return _SPELLING.how(name)


@contextmanager
def first_spelt() -> Iterator[None]:
    """Let errors that begin with the name of an argument call it what messages do."""
    try:
        yield
    except ConfigurationError as error:
        name, blank, rest = str(error).partition(" ")
        raise ConfigurationError(f"{spelt(name)}{blank}{rest}") from None


_signature: Final = cache(inspect.signature)
"""That of a function; most that are loaded are never called."""


def checked(function: Callable[_Parameters, _Result]) -> Callable[_Parameters, _Result]:
    """Let ``function`` raise `ConfigurationError` for an argument of a wrong type.

    The message names the function, the argument, its value and what was expected. A bool is no
    number here, NaN neither, and a text is not a sequence of texts.
    """

    @wraps(function)
    def call(*args: _Parameters.args, **kwargs: _Parameters.kwargs) -> _Result:
        signature = _signature(function)
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise ConfigurationError(_misfit(function, signature, error, args, kwargs)) from None
        for name, value in given.items():
            parameter = signature.parameters[name]
            if (
                value is parameter.default
            ):  # which is right, and may be of a type that is not loaded
                continue
            each = value if parameter.kind is inspect.Parameter.VAR_POSITIONAL else (value,)
            for one in each:
                _check(_owner(function), name, one, annotation_of(function, name))
        return function(*args, **kwargs)

    return call


def _owner(function: Callable[..., Any]) -> str:
    """What people call: the class of a constructor."""
    return function.__qualname__.split(".")[0 if function.__name__ == "__init__" else -1]


def _misfit(
    function: Callable[..., Any],
    signature: inspect.Signature,
    error: TypeError,
    args: tuple[object, ...],
    kwargs: Mapping[str, object],
) -> str:
    """What Python says of arguments that are missing, or that there are not, and what to give."""
    owner = _owner(function)
    try:
        given = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:
        names = [
            f"{each.name}=..." if each.kind is each.KEYWORD_ONLY else each.name
            for each in signature.parameters.values()
            if each.name != "self"
        ]
        return f"{owner}(): {error}; expected {', '.join(names)}"
    name = next(
        name
        for name, parameter in signature.parameters.items()
        if parameter.default is parameter.empty and name not in given
    )
    return f"{owner}({name}): missing; expected {_words(annotation_of(function, name))}"


def check_fields(record: object) -> None:
    """Hold the fields of a record against their annotations, as `checked` does arguments."""
    kind: Any = type(record)
    names = getattr(kind, "__dataclass_fields__", None) or kind.__struct_fields__
    for name in names:
        _check(kind.__name__, name, getattr(record, name), annotation_of(kind, name))


@contextmanager
def in_python() -> Iterator[None]:
    """Let errors name arguments where they name options: ``ports`` for ``--ports``."""
    if _SPELLING.how is not str:
        yield
        return
    try:
        yield
    except ConfigurationError as error:
        text = re.sub(_OPTION, lambda found: found[1].replace("-", "_"), str(error))
        error.args = (text,)
        raise


def _check(owner: str, name: str, value: object, hint: Any) -> None:
    if not _fits(value, hint):
        shown = repr(value)
        if len(shown) > _SHOWN_LENGTH:
            shown = f"{shown[:_SHOWN_LENGTH]}..."
        raise ConfigurationError(f"{owner}({name}={shown}): expected {_words(hint)}")
    for said in getattr(hint, "__metadata__", ()):
        if isinstance(said, Argument):
            said.check(spelt(name), value)


@cache
def annotation_of(owner: Callable[..., Any], name: str) -> Any:
    """The annotation of an argument or a field. What only type checkers import is public here."""
    hint = inspect.get_annotations(owner).get(name, Any)
    if not isinstance(hint, str):
        return hint

    def one() -> None: ...

    one.__annotations__ = {name: hint}
    try:
        return get_type_hints(one, {}, _Names(vars(sys.modules[owner.__module__])), True)[name]
    except NameError:  # a library that is loaded when it is used, such as ssl
        return Any


class _Names(dict[str, Any]):
    """The names of a module; of those that it has not, Python's own, and the public face's."""

    def __missing__(self, name: str) -> Any:
        for place in (builtins, sys.modules["isfc"]):
            if hasattr(place, name):
                return getattr(place, name)
        raise KeyError(name)


def _fits(value: object, hint: Any) -> bool:
    """Whether ``value`` is what the annotation ``hint`` says."""
    hint = getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint
    if type(value) is hint:
        return value == value if hint is float else True  # NaN is none
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, part) for part in parts)
    if origin is Literal:
        return value in parts
    if hint is Any:
        return True
    if origin is tuple and parts[1:] != (...,):
        return (
            isinstance(value, tuple) and len(value) == len(parts) and all(map(_fits, value, parts))
        )
    if inspect.isclass(origin) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(key, parts[0]) and _fits(each, parts[1]) for key, each in value.items()
        )
    if inspect.isclass(origin) and issubclass(origin, Collection):
        return (
            isinstance(value, origin)
            and not isinstance(value, str | bytes)
            and all(_fits(each, parts[0]) for each in value)
        )
    if origin is not None:
        return not inspect.isclass(origin) or isinstance(value, origin)
    if hint in (int, float):
        numbers = int if hint is int else (int, float)
        return isinstance(value, numbers) and not isinstance(value, bool) and value == value
    return not inspect.isclass(hint) or isinstance(value, hint)


def _words(hint: Any) -> str:
    """What an annotation demands, for people."""
    hint = getattr(hint, "__origin__", hint) if hasattr(hint, "__metadata__") else hint
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        words = list(dict.fromkeys(_words(part) for part in parts if part is not NoneType))
        words += ["None"] * (NoneType in parts)
        return " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)
    if origin is Literal:
        return f"one of {', '.join(map(repr, parts))}"
    if origin is tuple and parts[1:] != (...,):
        return f"a tuple of {', '.join(map(_words, parts))}"
    if inspect.isclass(origin) and issubclass(origin, Collection) and parts:
        items = (_words(each) for each in parts if each not in (..., Any))
        return f"a {origin.__name__} of {', '.join(items)}"
    if hint in _WORDS:
        return _WORDS[hint]
    name = getattr(origin or hint, "__name__", "something else")
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def read_size(what: str, text: str) -> int:
    """A size such as ``64G``, ``1.5 GB`` or ``400M``, in bytes; the units are powers of 1,024."""
    form = r"(\d{1,9}(?:\.\d{1,9})?) ?((?:[KMGT]i?)?)B?"
    found = re.fullmatch(form, text, re.ASCII | re.IGNORECASE)
    if found is None:
        raise ConfigurationError(
            f"{what} {text[:40]}: expected a number of bytes with K, M, G or T, such as 64G"
        )
    return int(float(found[1]) * _SIZE_UNITS.get(found[2][:1].upper(), 1))


def given_size(owner: str, name: str, value: int | str) -> int:
    """Bytes, given as a number of them or as a text such as ``16G``."""
    if isinstance(value, str):
        return read_size(f"{owner} {name}", value)
    _check(owner, name, value, int)
    return value


def read_standard_input(expected: str, length: int) -> bytes:
    """At most ``length`` bytes; `ConfigurationError` where there are none."""
    data = sys.stdin.buffer.read(length)
    if not data:
        raise ConfigurationError(f"is empty, or was read for another argument; expected {expected}")
    return data


def read_pipe(path: Path, expected: str, length: int) -> bytes:
    """At most ``length`` bytes of a pipe; `ConfigurationError` where nobody writes."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as pipe:
        first = pipe.read(1)  # None if it is still to come
        if first == b"":
            raise ConfigurationError(f"is a pipe that nobody writes to; expected {expected}")
        os.set_blocking(pipe.fileno(), True)
        with os.fdopen(os.dup(pipe.fileno()), "rb") as rest:
            return (first or b"") + rest.read(length - len(first or b""))
