"""Compact containers for millions of keys and rows, in memory and in a file."""
