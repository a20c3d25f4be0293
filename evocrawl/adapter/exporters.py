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

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.csv_writer: Any = _SafeWriter(self.csv_writer)


class _SafeWriter:
    """Writes rows to `writer`, also the header: a page may have named the fields."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def writerow(self, cells: Iterable[Any]) -> None:
        self._writer.writerow(
            [escape_formula(each) if isinstance(each, str) else each for each in cells]
        )
