"""Crawls from a program or notebook: start, read, ask, teach, stop and compare them."""
