"""Writes pages for datatrove's `JsonlReader`: JSON lines with text, id and metadata."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, BinaryIO

from evocrawl.core.fetch import RawResponse
from evocrawl.store.export.page_rights import PageRights
from evocrawl.store.stored_page import StoredPage

_METADATA = ("url", "title", "language", "relevance", "published_at", "changed_at", "status",
             "content_fingerprint", "duplicate_of")  # fmt: skip


def write_datatrove(
    pages: Iterable[tuple[StoredPage, RawResponse | None]], rights: PageRights, file: BinaryIO
) -> int:
    """Write a document for each page; return how many. Raises OSError.

    `id` is the URL, `date` in the metadata the time of the fetch. Licences and opt-outs are there
    if the crawl kept the responses or asked for the files of opt-outs.
    """
    written = 0
    for page, answer in pages:
        metadata: dict[str, Any] = {name: getattr(page, name) for name in _METADATA}
        metadata["date"] = page.fetched_at
        found = rights.of(page.url, answer)
        if found is not None:
            metadata |= {"licenses": [*found.licenses], "opt_outs": [*found.opt_outs]}
        row = {"text": page.text, "id": page.url, "metadata": metadata}
        file.write(json.dumps(row, allow_nan=False).encode("ascii") + b"\n")
        written += 1
    return written
