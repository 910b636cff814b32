"""The kept corpus: every input of every target raises nothing but what is documented."""

from contextlib import suppress

import pytest

from tools.fuzzing.targets import CORPUS, TARGETS, feed

INPUTS = sorted(path for path in CORPUS.glob("*/*") if path.is_file())


def test_every_target_has_a_corpus_and_every_corpus_a_target() -> None:
    assert {path.parent.name for path in INPUTS} == set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_the_corpus_are_decoded_or_refused_and_one_at_least_is_accepted(
    name: str,
) -> None:
    accepted = 0
    for path in (path for path in INPUTS if path.parent.name == name):
        feed(name, path.read_bytes())  # raises nothing but what is documented
        with suppress(Exception):
            TARGETS[name](path.read_bytes())
            accepted += 1
    assert accepted
