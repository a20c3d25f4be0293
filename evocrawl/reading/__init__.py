"""Reading a page: its links with their words, its main text, title and language."""

from __future__ import annotations

from evocrawl.reading.limits import Limits
from evocrawl.reading.page import Reading, read_html

__all__ = ["Limits", "Reading", "read_html"]
