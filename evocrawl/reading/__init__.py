"""Reading a page: its links with their words, its main text, title, language and dates."""

from __future__ import annotations

from evocrawl.reading.dates import Dates, age_s, changed_by_header
from evocrawl.reading.limits import Limits
from evocrawl.reading.page import Reading, read_html
from evocrawl.reading.rdf import read_rdf

__all__ = [
    "Dates",
    "Limits",
    "Reading",
    "age_s",
    "changed_by_header",
    "read_html",
    "read_rdf",
]
