"""What tests of answers share with those of commands."""

from tests.isfc.cli.conftest import own_process, refusal

__all__ = ["own_process", "refusal"]
