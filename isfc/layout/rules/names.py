"""Rules for the names of systems."""

from collections.abc import Iterator
from typing import Final

from isfc.layout.rules.rule import Found, Judged, Rule, Severity, Untried, listed


def _not_for_ssi(judged: Judged) -> Iterator[Found]:
    odd = [node for node in judged.layout.nodes if not node.isalnum()]
    if odd:
        characters = "".join(sorted({c for node in odd for c in node if not c.isalnum()}))
        verb = "is no name" if len(odd) == 1 else "are no names"
        yield Found(
            f"{listed(odd)} {verb} of an SSI member, whose names have no {' '.join(characters)}. "
            "ISFC alone allows it."
        )


RULES: Final = (
    Rule(
        "name-not-for-ssi",
        Severity.WARNING,
        "A system cannot be a member of an SSI cluster under its name.",
        "Members of an SSI cluster have names of letters and digits; nodes of ISFC may have "
        "$ # @ _ in them.",
        "IBM, z/VM 7.2, CP Planning and Administration: SSI statement",
        "Choose a name of letters and digits, if the system may become a member.",
        _not_for_ssi,
        Untried("it is about a name, which carries nothing"),
    ),
)
