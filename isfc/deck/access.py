"""Which partitions have access: PARTITION and NOTPART of CHPID and IODEVICE statements.

Both take an access list and a candidate list, ``(=)`` for the same again, by CSS or for all. A
partition counts as having access when it is in either list. A channel path that is shared and has
an access list alone admits every partition of the CSS (published: IOCP User's Guide, CHPID, example
5; ICP138I names ``(=)`` as what admits nobody else). That a device, which has one list, shuts out
all others is general knowledge.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from isfc.deck.operand import OperandList, StatementOperands, Value, by_css, words_of
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
            self, allowed={css: names for css, names in kept if css not in self.without_candidates}
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
        allowed={css: _names(items) for css, items in _by_css(allowed)},
        barred={css: _barred(items) for css, items in _by_css(barred)},
        place=None if said is None else said.place,
        without_candidates=frozenset(
            css for css, items in _by_css(allowed) if len(_lists(items)) < 2
        ),
    )


def _by_css(value: Value | None) -> Iterator[tuple[int | None, Sequence[Value]]]:
    """What is said of each CSS; of None where none is named."""
    for csss, items in by_css(value) if value else ():
        named: list[int | None] = [int(word.text) for word in csss if word.text in _CSS_IDS]
        for css in named or [None]:
            yield css, items


def _lists(items: Sequence[Value]) -> list[OperandList]:
    return [item for item in items if isinstance(item, OperandList)]


def _barred(items: Sequence[Value]) -> frozenset[str]:
    """Names of the last of two lists; ``(=)`` there means the first.

    One that is not in the access list may still be a candidate, so the second list of NOTPART bars
    it.
    """
    lists = _lists(items)
    same = any([word.text for word in words_of(each)] == [_SAME] for each in lists)
    return _names(items if same or len(lists) < 2 else lists[1:2])


def _names(items: Sequence[Value]) -> frozenset[str]:
    return frozenset(word.text.upper() for item in items for word in words_of(item)) - _NOT_A_NAME
