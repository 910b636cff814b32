"""What to say of a name that is not known: the names most like it, else those that there are."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

_LISTED_MAX: Final = 12
"""Names in a message. More would hide the message among them."""

_SHOWN_MAX: Final = 3
"""Names that are said to be alike."""


def expected(given: str, names: Iterable[str], others: str = "") -> str:
    """The remedy of an error message about a name: ``did you mean A or B?``, or ``expected ...``.

    ``others`` is what else may stand there, in words: ``a path``. Case does not count.
    """
    like = {name.casefold(): name for name in names}
    near = get_close_matches(given.casefold()[:80], like, n=_SHOWN_MAX)
    if near:
        return f"did you mean {' or '.join(like[name] for name in near)}?"
    listed = ", ".join([*like.values()][:_LISTED_MAX])
    more = f" or one of {len(like) - _LISTED_MAX} more" if len(like) > _LISTED_MAX else ""
    return f"expected {f'{others} or ' * bool(others)}one of {listed}{more}"
