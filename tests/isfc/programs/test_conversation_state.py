"""The table of a conversation's states."""

from pathlib import Path

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


def test_the_decision_shows_the_table_that_is_executed() -> None:
    page = Path(__file__).parents[3] / "docs" / "decisions" / "0006-conversations.md"
    text = page.read_text("utf-8")
    named = [*((step.name, STEPS[step]) for step in Step)]
    named += [(f"`{verb.name}`", following) for verb, following in VERBS.items()]
    for name, following in named:
        cells = [name]
        for state in ConversationState:
            after = following.get(state)
            cells.append("" if after is None else "stays" if after is state else after.value)
        assert f"| {' | '.join(cells)} |\n" in text, name
