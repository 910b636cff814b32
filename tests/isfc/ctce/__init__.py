"""Tests of isfc.ctce, and a guest for real Hercules."""
