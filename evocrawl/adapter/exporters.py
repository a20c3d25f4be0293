"""A CSV feed that is safe for spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exporters import CsvItemExporter

from evocrawl.core.sanitize import escape_formula

if TYPE_CHECKING:
    from collections.abc import Iterable


class SafeCsvItemExporter(CsvItemExporter):
    """Scrapy's CSV exporter; spreadsheets read no text as a formula, and numbers stay numbers.

    ``FEED_EXPORTERS = {"csv": "evocrawl.adapter.exporters.SafeCsvItemExporter"}``
    """

    def _build_row(self, values: Iterable[Any]) -> Iterable[Any]:
        """Yield the cells of a row, also of the header: a page may have named the fields."""
        for value in super()._build_row(values):
            yield escape_formula(value) if isinstance(value, str) else value
