"""What tests of answers share with those of commands."""

from tests.isfc.cli.conftest import own_process, refusal
from tests.isfc.printed import printed, recorded

__all__ = ["own_process", "printed", "recorded", "refusal"]
