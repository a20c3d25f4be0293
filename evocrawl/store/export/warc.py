"""Writes HTTP exchanges as WARC records (ISO 28500), one gzip member per record.

Needs the extra "warc" (warcio), which only this module imports.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from io import BytesIO
from typing import Any, BinaryIO
from urllib.parse import urldefrag, urlsplit

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from evocrawl.core.fetch import RawResponse
from evocrawl.core.sanitize import without_credentials

_HOP_BY_HOP = frozenset(("transfer-encoding", "content-length", "connection", "keep-alive"))
_SECRET = frozenset(("authorization", "cookie", "proxy-authorization"))
"""Headers of requests that no archive keeps."""

Headers = Iterable[tuple[str, str]]


def write_warc(
    answers: Iterable[tuple[str, str, RawResponse]], file: BinaryIO, name: str, software: str
) -> int:
    """Write a response record for each (URL, date, response); return how many.

    The first record contains `name`, the name of the file. The body is the one sent by the server
    with its transfer coding undone, and ``Content-Length`` is its length. A page as a browser shows
    it is written as a resource record, not as a response.
    """
    written = 0
    writer: Any = WARCWriter(file, gzip=True)
    write_info(writer, name, software)
    for url, fetched_at, answer in answers:
        record = _resource if answer.is_of_browser else _response
        writer.write_record(record(writer, url, fetched_at, answer, {}))
        written += 1
    return written


def write_info(writer: Any, name: str, software: str, **more: str) -> None:
    """Write the record that describes the file."""
    about = {"software": software, "format": "WARC File Format 1.0", **more}
    writer.write_record(writer.create_warcinfo_record(name, about))


def exchange(
    url: str,
    fetched_at: str,
    request: tuple[str, Headers, bytes],
    answer: RawResponse,
    details: dict[str, str],
) -> bytes:
    """Return the records of a response and its request, each in a separate gzip member.

    `request` is the method, the headers and the body; headers with secrets are left out. `details`
    are further fields of the response's record, such as ``WARC-IP-Address``.
    """
    url = urldefrag(without_credentials(url))[0]
    file = BytesIO()
    writer: Any = WARCWriter(file, gzip=True)
    response = _response(writer, url, fetched_at, answer, details)
    writer.write_request_response_pair(_request(writer, url, *request), response)
    return file.getvalue()


def _request(writer: Any, url: str, method: str, headers: Headers, body: bytes) -> Any:
    parts = urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    kept = [(name, _on_one_line(value)) for name, value in headers
            if name.lower() not in _SECRET | _HOP_BY_HOP]  # fmt: skip
    if not any(name.lower() == "host" for name, _ in kept):
        kept.insert(0, ("Host", parts.netloc))
    if body:
        kept.append(("Content-Length", str(len(body))))
    return writer.create_warc_record(
        url,
        "request",
        payload=BytesIO(body),
        length=len(body),
        http_headers=StatusAndHeaders(f"{method} {target} HTTP/1.1", kept, is_http_request=True),
    )


def _response(
    writer: Any, url: str, fetched_at: str, answer: RawResponse, details: dict[str, str]
) -> Any:
    protocol, _, status = answer.status_line.partition(" ")
    if not protocol.startswith("HTTP/1"):
        protocol = "HTTP/1.1"  # the fields that readers of archives know
    headers = [(name, _on_one_line(value)) for name, value in answer.headers
               if name.lower() not in _HOP_BY_HOP]  # fmt: skip
    headers.append(("Content-Length", str(len(answer.body))))
    return writer.create_warc_record(
        url,
        "response",
        payload=BytesIO(answer.body),
        length=len(answer.body),
        http_headers=StatusAndHeaders(status, headers, protocol=protocol),
        warc_headers_dict={"WARC-Date": _date(fetched_at), **details},
    )


def _resource(
    writer: Any, url: str, fetched_at: str, answer: RawResponse, details: dict[str, str]
) -> Any:
    return writer.create_warc_record(
        url,
        "resource",
        payload=BytesIO(answer.body),
        length=len(answer.body),
        warc_content_type="text/html; charset=utf-8",
        warc_headers_dict={"WARC-Date": _date(fetched_at), **details},
    )


def _date(iso: str) -> str:
    return datetime.fromisoformat(iso).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _on_one_line(value: str) -> str:
    """Unfold a header: a line break would end the header block."""
    return " ".join(value.splitlines())
