"""For tests of what runs over a logical link, ours and yours: ``pip install 'isfc[testing]'``.

`isfc.testing.pair` has two nodes in virtual time, `isfc.testing.invariants` what must hold of them,
`isfc.testing.strategies` what to try (hypothesis), `isfc.testing.machine` a state machine to add
rules to, `isfc.testing.plugin` the fixtures of pytest. docs/testing.md is a tutorial.
"""
