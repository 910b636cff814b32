"""The conversations of a node, each under its number."""

import pytest

from isfc.link.message import Traffic
from tests.isfc.programs.test_conversation import Joined


def test_conversation_is_struck_out_and_its_program_told_whichever_sever_is_last() -> None:
    for severs_first in (True, False):
        joined = Joined().open()
        register = joined.registers[0]
        joined.b.sever()
        if severs_first:
            joined.a.sever()
        while register.changed:
            register.changed.popleft().note_looked_at()
        joined.carry()
        assert joined.a.over
        assert joined.a in register.changed
        assert register.conversations == {}
        assert register.choose_number(Traffic.TRANSPORT) == 2
        with pytest.raises(AssertionError, match="number 2 is another"):
            register.strike_out(joined.a)
