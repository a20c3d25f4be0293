"""Crawls for agents of the user: a server of the Model Context Protocol, over the Python API."""
