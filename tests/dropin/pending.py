"""Spiders that still differ from stock Scrapy and should not, with the case that shows it."""

from __future__ import annotations

CALLS: dict[str, str] = {}
"""What differs in items, callbacks or errbacks."""

REASONS: dict[str, str] = {}
"""What ends for another reason, or does not end."""
