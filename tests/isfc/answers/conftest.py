"""What tests of answers share with those of commands."""

from tests.isfc.cli.conftest import refusal

__all__ = ["refusal"]
