"""Runs of links: workloads, what is measured of a run, and until when it goes on."""
