"""Whether a document is ordinary enough to be read where a delay of 0.2 s would hurt."""

from __future__ import annotations

from evocrawl.reading.document import Document
from evocrawl.reading.pdf import can_read_pdf, is_pdf

BYTES = 200_000
TAGS = 4_000
LINKS = 400
ENTITIES = 20_000
_GZIP = b"\x1f\x8b"
_ZEROS = 100


def is_costly(document: Document) -> bool:
    """Return True where reading may take longer than the worst ordinary page.

    Looks at the bytes alone, 0.1 ms for 200 kB: what is read of ordinary pages is bounded by
    their size, tags, links and entities. PDF, and what is compressed once more, is always costly;
    so are UTF-16 and UTF-32, whose tags are not counted. Links in other letters than ASCII, as
    which they or entities may be written, take twice the time of others.
    """
    body = document.body
    if is_pdf(body, document.content_type):
        return can_read_pdf()
    if len(body) > BYTES or body.startswith(_GZIP):
        return True
    if body.count(b"\0") > _ZEROS or body.count(b"<") > TAGS:
        return True
    links = sum(map(body.lower().count, (b"<a", b"<frame", b"<iframe", b"xml:base")))
    entities = body.count(b"&")
    if entities > ENTITIES:
        return True
    is_plain = body.isascii() and entities <= LINKS
    return links > (LINKS if is_plain else LINKS // 2)
