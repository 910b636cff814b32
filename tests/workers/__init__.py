"""Processes that are forked once all tests are collected, to run them."""
