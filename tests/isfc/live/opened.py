"""What an open node with one link has of its own."""

from isfc.live.engine import LiveEngine
from isfc.live.session import OpenNode
from isfc.programs.verification import Verifying


def engine_of(node: OpenNode) -> LiveEngine:
    """What drives its link."""
    engine = node.exchange().engine
    assert engine is not None
    return engine


def verifying_of(node: OpenNode) -> Verifying:
    """What counts the messages of its link that do not verify."""
    verifying = node.exchange().verifying
    assert verifying is not None
    return verifying
