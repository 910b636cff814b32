"""The words of a CP command: operands and what is wrong with them."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from msgspec import Struct

from ctc.address import CtcError, Rdev, format_rdev, parse_rdev
from isfc.errors import ConfigurationError
from isfc.link.name import ALL, NODE, NodeName, matches
from isfc.link.scan import CTCS_MAX
from isfc.system.cp import messages
from isfc.system.cp.messages import CommandRefused

_T = TypeVar("_T")


def split(command: str) -> list[str]:
    """The words of a command, in capitals; what cannot be shown safely becomes ``?``."""
    shown = (c if c.isascii() and (c.isprintable() or c.isspace()) else "?" for c in command)
    return "".join(shown).upper().split()


class Selection(Struct, frozen=True):
    """Which devices an operator means: those named, or all, maybe those of one node."""

    rdevs: tuple[Rdev, ...] = ()
    node: NodeName | None = None


class CommandWords:
    """The words behind a command's own, taken one by one.

    What is wrong with them raises `CommandRefused`.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(words)

    def __bool__(self) -> bool:
        return bool(self._words)

    def take(self) -> str:
        """The next word, which must be there."""
        if not self._words:
            raise CommandRefused(messages.OPERAND_MISSING)
        return self._words.pop(0)

    def take_keyword(self, keyword: str) -> bool:
        """Whether the next word is ``keyword``; if so, it is taken."""
        found = bool(self._words) and matches(keyword, self._words[0])
        if found:
            del self._words[0]
        return found

    def take_as(self, read: Callable[[str], _T]) -> _T:
        """The next word as ``read`` reads it."""
        word = self.take()
        try:
            return read(word)
        except (CtcError, ConfigurationError):
            raise CommandRefused(messages.INVALID_OPERAND, word) from None

    def take_rdevs(self, *stops: str) -> tuple[Rdev, ...]:
        """One to sixteen device numbers, up to the end or to a keyword of ``stops``."""
        rdevs: list[Rdev] = []
        while self._words and not any(matches(stop, self._words[0]) for stop in stops):
            if len(rdevs) == CTCS_MAX:
                self.end()
            rdev = self.take_as(parse_rdev)
            if rdev in rdevs:
                raise CommandRefused(messages.DUPLICATE, format_rdev(rdev))
            rdevs.append(rdev)
        if not rdevs:
            raise CommandRefused(messages.OPERAND_MISSING)
        return tuple(rdevs)

    def take_selection(self, *, required: bool) -> Selection:
        """``rdev ... | NODe name | ALL`` and nothing else; all if they may be left out."""
        if self.take_keyword(NODE):
            selection = Selection(node=self.take_as(NodeName))
        elif self.take_keyword(ALL) or not (self or required):
            selection = Selection()
        else:
            selection = Selection(self.take_rdevs())
        self.end()
        return selection

    def end(self) -> None:
        """Refuse words that are left over."""
        if self._words:
            raise CommandRefused(messages.EXTRA_OPTION, self._words[0])
