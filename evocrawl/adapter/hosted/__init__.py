"""Runs a crawl in a separate process that another program starts, reads and controls by pipes."""
