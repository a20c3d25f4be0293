"""Feeds for spreadsheets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exporters import CsvItemExporter

from evocrawl.showing import cell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Field


class SafeCsvItemExporter(CsvItemExporter):
    """Scrapy's CSV, in which no text is taken for a formula; numbers stay numbers.

    ``FEED_EXPORTERS = {"csv": "evocrawl.exporters.SafeCsvItemExporter"}``
    """

    def serialize_field(self, field: Mapping[str, Any] | Field, name: str, value: Any) -> Any:
        """Return the cell of a value."""
        serialized = super().serialize_field(field, name, value)
        return cell(serialized) if isinstance(serialized, str) else serialized
