"""Names as CP has them: of nodes, and which of two comes first; and of operands, abbreviated."""

from typing import Final

from isfc.errors import ConfigurationError

NAME_LENGTH_MAX: Final = 8
_ALLOWED: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789$#@_")


class NodeName(str):
    """The name of a system in an ISFC collection: 1 to 8 of A-Z 0-9 $ # @ _.

    CP compares names in EBCDIC (code page 037): ``$ _ # @`` sort before letters and letters
    before digits, so that BOSTON precedes 2NDI. `precedes` and `collation` do the same; ``<``
    does not. Raises `ConfigurationError` for a text that is no such name.
    """

    __slots__ = ()

    def __new__(cls, text: object) -> "NodeName":
        """Check ``text`` and make it a name."""
        if (
            not isinstance(text, str)
            or not 1 <= len(text) <= NAME_LENGTH_MAX
            or not _ALLOWED.issuperset(text)
        ):
            raise ConfigurationError(
                f"{str(text)[:40]!r} is not a node name: expected 1 to 8 of A-Z 0-9 $ # @ _"
            )
        return super().__new__(cls, text)

    @property
    def collation(self) -> bytes:
        """The sort key: the name in EBCDIC, padded with blanks as CP keeps it."""
        return self.ljust(NAME_LENGTH_MAX).encode("cp037")

    def precedes(self, other: "NodeName") -> bool:
        """Whether this is the lesser of the two names."""
        return self.collation < other.collation


Nodes = tuple[NodeName, NodeName]
"""The two systems of a link; of a layout, the lesser name first."""


ISLINK: Final = "ISLink"
NODE: Final = "NODe"
ALL: Final = "ALL"
BUFFERS: Final = "BUffers"
CHPID: Final = "CHPid"
"""Operands, with capitals for what cannot be left out."""


def matches(keyword: str, word: str) -> bool:
    """Whether ``word``, in capitals, is ``keyword`` or a valid abbreviation of it.

    Keywords are written as CP's manuals do: the capitals in front cannot be left out.
    """
    least = len(keyword.rstrip("abcdefghijklmnopqrstuvwxyz"))
    return len(word) >= least and keyword.upper().startswith(word)
