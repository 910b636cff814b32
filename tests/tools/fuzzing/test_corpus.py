"""The kept corpus: every input of every target raises nothing but what is documented."""

import pytest

from tools.fuzzing.targets import CORPUS, TARGETS, feed

INPUTS = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    assert {path.parent.name for path in INPUTS} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_the_corpus_are_decoded_or_refused(name: str) -> None:
    for path in INPUTS:
        if path.parent.name == name:
            feed(name, path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_one_input_at_least_is_accepted(name: str) -> None:
    accepted = 0
    for path in INPUTS:
        if path.parent.name == name:
            try:
                TARGETS[name](path.read_bytes())
            except Exception:  # refused: what it raises, the test above looks at
                continue
            accepted += 1
    assert accepted
