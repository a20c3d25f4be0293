"""A crawl in a process of its own, which another program starts, reads and controls by pipes."""
