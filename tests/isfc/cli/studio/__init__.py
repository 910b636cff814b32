"""Tests of `isfc.cli.studio`."""
