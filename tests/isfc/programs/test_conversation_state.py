"""The table of a conversation's states."""

import pytest

from isfc.errors import LocalProtocolError, RemoteProtocolError
from isfc.programs.conversation_state import (
    STEPS,
    VERBS,
    ConversationState,
    Step,
    after_step,
    after_verb,
)
from isfc.programs.protocol import Verb


def test_states_have_what_is_possible_in_them_and_nothing_else() -> None:
    for state in ConversationState:
        for step in Step:
            if state in STEPS[step]:
                assert after_step(state, step) is STEPS[step][state]
            else:
                with pytest.raises(LocalProtocolError, match=f"{state.value} cannot"):
                    after_step(state, step)
        for verb in range(256):
            if verb in VERBS and state in VERBS[Verb(verb)]:
                assert after_verb(state, verb) is VERBS[Verb(verb)][state]
            else:
                with pytest.raises(RemoteProtocolError, match=f"verb {verb} in"):
                    after_verb(state, verb)
