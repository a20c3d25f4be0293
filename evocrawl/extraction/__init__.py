"""Reading a page: its links with their words, its main text, title, language and dates."""

from __future__ import annotations

from evocrawl.extraction.dates import Dates, age_s, changed_by_header, latest_s
from evocrawl.extraction.document import Document, beginning, is_costly, read
from evocrawl.extraction.html import ParsedPage, parse_html
from evocrawl.extraction.limits import Limits
from evocrawl.extraction.rdf import read_rdf
from evocrawl.extraction.subprocess.client import ReadingProcess

__all__ = [
    "Dates",
    "Document",
    "Limits",
    "ParsedPage",
    "ReadingProcess",
    "age_s",
    "beginning",
    "changed_by_header",
    "is_costly",
    "latest_s",
    "parse_html",
    "read",
    "read_rdf",
]
