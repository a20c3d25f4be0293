"""Puts this folder on the path, so that the tests of each species find `crawled`."""
