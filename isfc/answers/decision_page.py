"""What a site's files come to: the decision, its parts, and how people see both."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import Struct

from isfc.answers.change_page import Change, change_lines
from isfc.errors.arguments import option_of, spelling
from isfc.errors.in_words import counted
from isfc.errors.loading import named
from isfc.reports.figure import Reported
from isfc.reports.report import Report, Table, headed

NO_DECISION: Final = "No decision"
"""The title of a page that no file says a link of."""

_OWN: Final = frozenset("cec decide feature leave link partitions ports profile ran window".split())
"""What options of `isfc report` say."""

_COMMANDS: Final = {
    "The site's figures": "measured compare",
    "The model fitted to the site": "measured fit",
    "Moving the guests": "evacuate",
    "The load by time": "loads",
    "What to order": "size",
    "Channels": "io size",
}
"""The commands that answer with options of their own."""


def named_options(title: str) -> AbstractContextManager[None]:
    """While the body runs, arguments are called what options of `isfc report` are.

    Those that it does not have are called by the command whose answer the part of a title is.
    """

    def called(name: str) -> str:
        option = option_of(name)
        command = _COMMANDS.get(title.partition(" for ")[0], "plan")
        return option if name in _OWN else f"'isfc {command} {option}'"

    return spelling(called)


def brief(text: str) -> str:
    """A message in one line: whole, or without the list that ends it."""
    first, *more = text.splitlines() or [""]
    return first.rpartition("; ")[0] or first if more[1:] else " ".join(text.split())


@dataclass(frozen=True, kw_only=True)
class DecisionPart:
    """A part of the decision: the answer of a capability, or why there is none.

    Those of its ``lines`` are among those that the decision begins with, by these names or by their
    own; "" is the first. ``reported_by`` makes the report of an answer that does not say what does.
    """

    title: str
    answer: Any = None
    """as its own command prints it with `--json`; null where there is none"""
    said: str = ""
    """what is said of it, where no capability has an answer"""
    problem: str = ""
    """what is wrong, or has to be known and is not"""
    options: tuple[str, ...] = ()
    """that say what has to be known, each as one may be added"""
    needs: str = ""
    """what it would need, which was not given"""
    lines: Mapping[str, str] = field(default_factory=dict, repr=False)
    reported_by: str = field(default="", repr=False)

    @property
    def brief(self) -> str:
        """What is wrong, in one line."""
        return brief(self.problem)

    @property
    def text(self) -> str:
        """An answer that is a text as it stands, for a change record."""
        return "\n".join(change_lines(self.answer)) if isinstance(self.answer, Change) else ""

    @property
    def report(self) -> Report:
        """What it says."""
        told = [("Not decided", self.problem)] if self.problem else []
        told += [("Would need", self.needs)] if self.needs else []
        told += [("", self.said)] if self.said else []
        told += [("One of" if self.options[1:] else "Add", option) for option in self.options]
        if self.answer is None or self.text:
            return Report(self.title, told)
        return Report(self.title, told, sections=[self.of_answer]) if told else self.of_answer

    @property
    def of_answer(self) -> Report:
        """What its capability says."""
        with named_options(self.title):
            made: Report = named(self.reported_by or self.answer.reported_by)(self.answer)
        return made

    @property
    def decided(self) -> Iterator[tuple[str, str]]:
        """The lines with which the decision begins."""
        if self.problem:
            yield self.title, self.brief
        elif isinstance(self.answer, Change):
            steps, down = counted(len(self.answer.steps), "step"), self.answer.down
            yield "Change", f"{steps}; {'a link is DOWN meanwhile' if down else 'no link is DOWN'}"
        elif self.answer is not None:
            answer = self.of_answer.answer
            told = {**dict(answer), "": answer[0][1]}
            for label, name in self.lines.items():
                if label in told:
                    yield name or label or answer[0][0], told[label]
        elif self.said:
            yield self.title, self.said


class GivenFile(Struct, frozen=True):
    """A file, and what it was taken for."""

    name: str
    kind: str
    """in words"""
    said: str
    """what was made of it, or why nothing was"""


class Decision(Reported, Struct, frozen=True, kw_only=True):
    """What a site's files come to."""

    reported_by = "isfc.answers.decision_page.decision_report"

    files: tuple[GivenFile, ...]
    """in their order"""
    parts: tuple[DecisionPart, ...]
    """what is wrong first"""
    remarks: tuple[str, ...]
    """what was assumed of the files"""
    layout: str | None
    """what is there, as the text of a layout; null where no file says it"""
    ordered: str | None
    """what there is to be; null where nothing changes"""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is wrong, and all that has to be known is."""
        return not any(part.problem for part in self.parts)

    def part(self, title: str) -> DecisionPart:
        """The part of a title; `KeyError` without."""
        return {part.title: part for part in self.parts}[title]

    def rows(self) -> list[dict[str, Any]]:
        """A flat record for each line of the decision, as a data frame takes them."""
        return [{"what": what, "said": said} for what, said in self.decided]

    @property
    def decided(self) -> list[tuple[str, str]]:
        """What the decision begins with."""
        return [line for part in self.parts for line in part.decided]


def decision_report(found: Decision) -> Report:
    """The decision first, then what was given, then each part."""
    return Report(
        "From files to a decision",
        found.decided,
        [files_table(found.files)],
        remarks=found.remarks,
        sections=[part.report for part in found.parts],
    )


def files_table(files: Sequence[GivenFile]) -> Table:
    """Each file, and what became of it."""
    columns = headed(name="file", kind="is", said="remark")
    return Table("What was given", columns, files, "files")
