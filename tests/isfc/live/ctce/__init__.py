"""Tests of isfc.live.ctce, and a guest for real Hercules."""
