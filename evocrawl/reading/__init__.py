"""Reading a page: its links with their words, its main text, title, language and dates."""

from __future__ import annotations

from evocrawl.reading.cost import is_costly
from evocrawl.reading.dates import Dates, age_s, changed_by_header
from evocrawl.reading.document import Document, beginning, read
from evocrawl.reading.limits import Limits
from evocrawl.reading.page import Reading, read_html
from evocrawl.reading.process import ReadingProcess
from evocrawl.reading.rdf import read_rdf

__all__ = [
    "Dates",
    "Document",
    "Limits",
    "Reading",
    "ReadingProcess",
    "age_s",
    "beginning",
    "changed_by_header",
    "is_costly",
    "read",
    "read_html",
    "read_rdf",
]
