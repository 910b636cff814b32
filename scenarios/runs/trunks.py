"""Inter-switch links that are lost one by one while links run over them."""

from collections import Counter
from typing import final

from isfc.engine.virtual import VirtualEngine
from isfc.layout.loss import OneOfSeveral


@final
class Trunks:
    """Which inter-switch links are gone, by path; the others carry what they can."""

    def __init__(self, engine: VirtualEngine) -> None:
        self._engine = engine
        self._gone: Counter[str] = Counter()

    def change(self, isl: OneOfSeveral, lost: int) -> bool:
        """One more is lost (1) or there again (-1); whether any is left.

        The last one takes its CTCs along, which is not done here.
        """
        self._gone[isl.path] += lost
        gone = self._gone[isl.path]
        if gone >= isl.count:
            return False
        for trunk, ns_per_byte in isl.without(gone):
            self._engine.set_trunk(trunk, ns_per_byte)
        return True
