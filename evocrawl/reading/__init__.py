"""Reading a page: its links with their words, its main text, title and language."""

from __future__ import annotations

from evocrawl.reading.limits import Limits
from evocrawl.reading.page import Reading, read_html
from evocrawl.reading.rdf import read_rdf

__all__ = ["Limits", "Reading", "read_html", "read_rdf"]
