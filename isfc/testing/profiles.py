"""Profiles of hypothesis for tests in virtual time: none has a deadline.

A deadline measures the machine, not the code. Call `register_profiles` in your ``conftest.py``,
then ``settings.load_profile("ci")`` or ``pytest --hypothesis-profile=ci``.
"""

from typing import Final

from isfc.errors.library import missing_library

try:
    from hypothesis import HealthCheck, settings
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(missing_library("hypothesis", __name__), name="hypothesis") from error


NIGHTLY_EXAMPLES: Final = 2_000


def register_profiles() -> None:
    """Make the profiles ``dev``, ``ci`` and ``nightly`` known to hypothesis.

    ``ci`` draws the same examples in every run, ``dev`` new ones, ``nightly`` many.
    """
    # hypothesis takes a machine for CI when it says so, and would draw the same examples there
    usual = settings(deadline=None, print_blob=True, derandomize=False)
    settings.register_profile("dev", usual, max_examples=50)
    settings.register_profile("ci", usual, max_examples=100, derandomize=True, database=None)
    unhurried = settings(usual, suppress_health_check=[HealthCheck.too_slow])
    settings.register_profile("nightly", unhurried, max_examples=NIGHTLY_EXAMPLES)
