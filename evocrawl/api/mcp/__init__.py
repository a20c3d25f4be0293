"""A Model Context Protocol server that lets AI agents crawl, on top of the Python API."""
