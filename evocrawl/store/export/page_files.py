"""Writes the pages of a crawl as JSON lines, CSV and Parquet.

Each page is in the file exactly once, even after stops, crashes and repeated visits. Text from the
web is hostile: CSV cells are escaped, so that no spreadsheet runs one as a formula.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import fields
from io import TextIOWrapper
from itertools import islice
from typing import Any, BinaryIO

from evocrawl.core.sanitize import escape_formula
from evocrawl.store.stored_page import StoredPage

FIELDS = tuple(each.name for each in fields(StoredPage) if each.name != "links")
"""Columns of CSV and Parquet; JSON lines have `links` too."""

_BATCH = 1000


def write_jsonl(pages: Iterable[StoredPage], file: BinaryIO) -> None:
    """Write one object a line; `links` are objects with url, anchor and rel."""
    for page in pages:
        links = [
            {"url": link.url, "anchor": link.anchor, "rel": " ".join(link.rel)}
            for link in page.links
        ]
        # ASCII: a page may hold lone surrogates, which have no UTF-8.
        line = json.dumps(_row(page) | {"links": links}, allow_nan=False) + "\n"
        file.write(line.encode("ascii"))


def write_csv(pages: Iterable[StoredPage], file: BinaryIO) -> None:
    """Write a header and a row for each page, in UTF-8.

    A text that a spreadsheet might run as a formula gets a leading apostrophe; see
    `evocrawl.core.sanitize.escape_formula`.
    """
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    table = csv.writer(text)
    table.writerow(FIELDS)
    for page in pages:
        table.writerow(map(_cell, _row(page).values()))
    text.detach()


def write_parquet(pages: Iterable[StoredPage], file: BinaryIO) -> None:
    """Write the same columns with types; needs the extra "parquet" (pyarrow)."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"str": pa.string(), "int": pa.int64(), "float": pa.float64()}
    kinds["tuple[str, ...]"] = pa.list_(pa.string())
    types = {each.name: str(each.type) for each in fields(StoredPage)}
    schema = pa.schema([(name, kinds[types[name]]) for name in FIELDS])
    rows = (_printable(_row(page)) for page in pages)
    with pq.ParquetWriter(file, schema) as table:
        while batch := list(islice(rows, _BATCH)):
            table.write_table(pa.Table.from_pylist(batch, schema))


WRITERS: dict[str, Callable[[Iterable[StoredPage], BinaryIO], None]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}


def _row(page: StoredPage) -> dict[str, Any]:
    return {name: getattr(page, name) for name in FIELDS}


def _cell(value: Any) -> Any:
    if isinstance(value, tuple):
        value = " ".join(value)
    if not isinstance(value, str):
        return value
    return escape_formula(_encodable(value))


def _printable(row: dict[str, Any]) -> dict[str, Any]:
    return {name: _encodable(each) if isinstance(each, str) else each for name, each in row.items()}


def _encodable(text: str) -> str:
    """Replace lone surrogates by question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
