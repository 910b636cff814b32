"""A logical link through everything that can happen to it, in any order."""

import pytest
from hypothesis import settings

from isfc.testing.machine import LinkMachine

TestLinkMachine = pytest.mark.at_length(pytest.mark.slow(LinkMachine.TestCase))
TestLinkMachine.settings = settings(stateful_step_count=30)
