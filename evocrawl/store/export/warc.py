"""Writes the stored responses of a crawl as a WARC file (ISO 28500), one gzip member per record.

Needs the extra "warc" (warcio), which only this module imports.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, BinaryIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from evocrawl.core.fetch import RawResponse

_HOP_BY_HOP = frozenset(("transfer-encoding", "content-length", "connection", "keep-alive"))


def write_warc(
    answers: Iterable[tuple[str, str, RawResponse]], file: BinaryIO, name: str, software: str
) -> int:
    """Write a response record for each (URL, date, response); return how many.

    The first record contains `name`, the name of the file. The body is the one sent by the server
    with its transfer coding undone, and ``Content-Length`` is its length.
    """
    written = 0
    writer: Any = WARCWriter(file, gzip=True)
    about = {"software": software, "format": "WARC File Format 1.0"}
    writer.write_record(writer.create_warcinfo_record(name, about))
    for url, fetched_at, answer in answers:
        writer.write_record(_record(writer, url, fetched_at, answer))
        written += 1
    return written


def _record(writer: Any, url: str, fetched_at: str, answer: RawResponse) -> Any:
    protocol, _, status = answer.status_line.partition(" ")
    headers = [(name, _on_one_line(value)) for name, value in answer.headers
               if name.lower() not in _HOP_BY_HOP]  # fmt: skip
    headers.append(("Content-Length", str(len(answer.body))))
    return writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(answer.body),
        length=len(answer.body),
        http_headers=StatusAndHeaders(status, headers, protocol=protocol),
        warc_headers_dict={"WARC-Date": _date(fetched_at)},
    )


def _date(iso: str) -> str:
    return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _on_one_line(value: str) -> str:
    """Unfold a header: a line break would end the header block."""
    return " ".join(value.splitlines())
