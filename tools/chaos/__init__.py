"""A live pair under verified traffic, whose processes and fibres are made to fail at random."""
