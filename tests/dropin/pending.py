"""Spiders that still differ from stock Scrapy and are not to, with the case that says so."""

CALLS: dict[str, str] = {}
"""What differs in items, callbacks or errbacks."""

REASONS: dict[str, str] = {}
"""What ends for another reason, or does not end."""
