"""CP's commands, as far as they concern a logical link: a command in, a response out.

`CommandProcessor` does no I/O and reads no clock: it looks at a system and acts on it, at a time
that it is told. So the same commands work in virtual time (``isfc run --cp``) and on a live
node (``isfc cp``). `completions` are what a console offers for the word that is being typed.

How far Query, ACTivate, DEActive, ISLink, ISFC and COLlect may be abbreviated is what z/VM's HELP
lists (as others have typed it), NODE and BUFFERS what the manual says of ACTIVATE ISLINK; the rest
is unverified.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from isfc.link.counters import LinkEndSnapshot
from isfc.link.name import ISLINK, NODE, matches
from isfc.system.cp import commands, messages
from isfc.system.cp.messages import CommandRefused, CpResponse, Operated, Target
from isfc.system.cp.words import CommandWords, split
from isfc.system.link_end import LinkEnd

Act = Callable[[CommandWords, Target, CpResponse], None]

_SELECTED: Final = "rdev ... | NODe name | ALL"


class CpCommand(Struct, frozen=True):
    """One command: its two words, with the least abbreviation of each in capitals."""

    verb: str
    noun: str
    operands: str
    act: Act

    @property
    def syntax(self) -> str:
        """The whole command as a manual writes it."""
        return f"{self.verb} {self.noun} {self.operands}".rstrip()


def _help(operands: CommandWords, _target: Target, answer: CpResponse) -> None:
    """HELP, ours: all commands, with their abbreviations in capitals."""
    operands.end()
    for command in CP_COMMANDS:
        answer.say(command.syntax)


CP_COMMANDS: Final = (
    CpCommand("Query", ISLINK, f"[{_SELECTED}]", commands.query_islink),
    CpCommand("Query", "COUNTers", f"[{_SELECTED}]", commands.query_counters),
    CpCommand("Query", "CHPid", "nn", commands.query_chpid),
    CpCommand("Query", "ISFC", "", commands.query_isfc),
    CpCommand("Query", "COLlect", "", commands.query_collect),
    CpCommand("INDicate", ISLINK, "", commands.indicate_islink),
    CpCommand("ACTivate", ISLINK, "rdev ... [NODe name] [BUffers n]", commands.activate_islink),
    CpCommand("DEActive", ISLINK, f"{{{_SELECTED}}}", commands.deactive_islink),
    CpCommand("DEACTIVATe", ISLINK, f"{{{_SELECTED}}}", commands.deactive_islink),
    CpCommand("VARY", "ONline", "{rdev ... | CHPid nn}", partial(commands.vary, online=True)),
    CpCommand("VARY", "OFFline", "{rdev ... | CHPid nn}", partial(commands.vary, online=False)),
    CpCommand("HELP", "", "", _help),
)


class CommandProcessor:
    """Carries out commands on a system, whose links may restart at any time."""

    def __init__(self) -> None:
        self._indicated: dict[LinkEnd, LinkEndSnapshot] = {}

    def execute(self, command: str, system: Operated, now_ns: int) -> CpResponse:
        """Carry out one command. Whatever is wrong with it is in the response."""
        for end in self._indicated.keys() - {*system.ends}:  # a link that has restarted
            del self._indicated[end]
        target = Target(system, now_ns, self._indicated)
        answer = CpResponse(command.strip())
        words = split(command)
        try:
            if words:
                found = _find(words)
                operands = CommandWords(words[2 if found.noun else 1 :])
                found.act(operands, target, answer)
        except CommandRefused as refused:
            answer.lines.append(str(refused))
            answer.return_code = answer.return_code or refused.return_code
        return answer


def _find(words: list[str]) -> CpCommand:
    """The command that begins so."""
    commands = [command for command in CP_COMMANDS if matches(command.verb, words[0])]
    if not commands:
        raise CommandRefused(messages.UNKNOWN_COMMAND, words[0])
    for command in commands:
        if not command.noun or (len(words) > 1 and matches(command.noun, words[1])):
            return command
    if len(words) == 1:
        raise CommandRefused(messages.OPERAND_MISSING)
    raise CommandRefused(messages.INVALID_OPERAND, words[1])


_KEYWORD: Final = re.compile(r"\b[A-Z]{2,}[a-z]*\b")
"""A keyword in a command's syntax; device numbers and names stand there in small letters."""


def completions(text: str, rdevs: Sequence[str], partners: Sequence[str]) -> list[str]:
    """The words that can stand where ``text`` ends and begin like its last word, in capitals.

    ``rdevs`` and ``partners`` are those of the node.
    """
    words = split(text)
    begun = words.pop() if words and not text[-1].isspace() else ""
    return [word for word in _next_words(words, rdevs, partners) if word.startswith(begun)]


def _next_words(words: list[str], rdevs: Sequence[str], partners: Sequence[str]) -> list[str]:
    """What can follow the words, in a stable order."""
    if not words:
        return _full(command.verb for command in CP_COMMANDS)
    commands = [command for command in CP_COMMANDS if matches(command.verb, words[0])]
    if len(words) == 1:
        return _full(command.noun for command in commands if command.noun)
    for command in commands:
        if command.noun and matches(command.noun, words[1]):
            return _operands(command, words[2:], rdevs, partners)
    return []


def _operands(
    command: CpCommand, given: list[str], rdevs: Sequence[str], partners: Sequence[str]
) -> list[str]:
    if given and matches(NODE, given[-1]):
        return [*partners]
    keywords = _full(_KEYWORD.findall(command.operands))
    devices = rdevs if "rdev" in command.operands else ()
    return [word for word in (*keywords, *devices) if word not in given]


def _full(keywords: Iterable[str]) -> list[str]:
    """Each keyword once, without its abbreviation."""
    return list(dict.fromkeys(keyword.upper() for keyword in keywords))
