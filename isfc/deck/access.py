"""Which partitions have access: PARTITION and NOTPART of CHPID and IODEVICE statements.

Both take an access list and a candidate list, ``(=)`` for the same again, by CSS or for all. A
partition counts as having access when it is in either list. A channel path that is shared and has
an access list alone admits every partition of the CSS (published: IOCP User's Guide, CHPID, example
5; ICP138I names ``(=)`` as what admits nobody else). That a device, which has one list, shuts out
all others is general knowledge.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from isfc.deck.operand import OperandList, OperandWord, StatementOperands, Value, by_css, words_of
from isfc.deck.place import Place

_SAME = "="
_CSS_IDS = frozenset("012345")
_NOT_A_NAME = frozenset({_SAME, "", "0", "*", "REC"})


@dataclass(frozen=True, slots=True)
class Access:
    """Who may use something: ``allowed`` alone, if that is said, and nobody in ``barred``.

    Either is by CSS; None stands for every CSS that is not named. ``place`` is where it is said,
    ``without_candidates`` those for which there is an access list alone.
    """

    allowed: dict[int | None, frozenset[str]]
    barred: dict[int | None, frozenset[str]]
    place: Place | None = None
    without_candidates: frozenset[int | None] = frozenset()

    def of_shared_channel(self) -> "Access":
        """As it is on a channel path that is shared: a missing candidate list means everyone."""
        kept = self.allowed.items()
        return replace(
            self,
            allowed={css: names for css, names in kept if css not in self.without_candidates},
        )

    @property
    def shares(self) -> bool:
        """Whether this makes a channel path shared: by NOTPART, or by several partitions."""
        return bool(self.barred) or any(len(names) > 1 for names in self.allowed.values())

    def admits(self, name: str, css: int) -> bool:
        """Whether partition ``name`` of ``css`` has access."""
        allowed = self.allowed.get(css, self.allowed.get(None))
        barred = self.barred.get(css, self.barred.get(None, frozenset()))
        return (allowed is None or name in allowed) and name not in barred


def read_access(operands: StatementOperands) -> Access:
    """What a statement's PARTITION and NOTPART say."""
    allowed, barred = operands.get("PARTITION", "PART"), operands.get("NOTPART")
    said = barred or allowed
    return Access(
        allowed={} if allowed is None else _lists(allowed, both=True),
        barred={} if barred is None else _lists(barred, both=False),
        place=None if said is None else said.place,
        without_candidates=frozenset() if allowed is None else frozenset(_single_lists(allowed)),
    )


def _single_lists(value: Value) -> Iterator[int | None]:
    """For which CSS there is one list alone."""
    for csss, items in by_css(value):
        if sum(1 for item in items if isinstance(item, OperandList)) < 2:
            yield from _named(csss)


def _named(csss: Sequence[OperandWord]) -> list[int | None]:
    named: list[int | None] = [int(word.text) for word in csss if word.text in _CSS_IDS]
    return named or [None]


def _lists(value: Value, *, both: bool) -> dict[int | None, frozenset[str]]:
    """The names by CSS: of the access and the candidate list, or of the last of the two.

    One that is not in the access list may still be a candidate, so it is barred by the second
    list of NOTPART; ``(=)`` there means the first.
    """
    found: dict[int | None, frozenset[str]] = {}
    for csss, items in by_css(value):
        lists = [_names(item) for item in items if isinstance(item, OperandList)]
        same = any(
            isinstance(item, OperandList) and [word.text for word in words_of(item)] == [_SAME]
            for item in items
        )
        if not lists:
            names = frozenset[str]().union(*map(_names, items))
        elif both or same or len(lists) == 1:
            names = frozenset[str]().union(*lists, *map(_names, items))
        else:
            names = lists[1]
        for css in _named(csss):
            found[css] = names
    return found


def _names(value: Value) -> frozenset[str]:
    return frozenset(word.text.upper() for word in words_of(value)) - _NOT_A_NAME
