"""Reads text, title and links of PDF files with pypdf (extra ``pdf``).

pypdf limits the size of a decompressed stream, but not the time for a page. So PDF files are read
only in a process that can be ended (`evocrawl.extraction.subprocess.client`).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from evocrawl.extraction.data_links import links_to
from evocrawl.extraction.decoding import without_controls
from evocrawl.extraction.html import ParsedPage, content_fingerprint
from evocrawl.extraction.language import language_of
from evocrawl.extraction.limits import Limits

logger = logging.getLogger(__name__)

_MAGIC = b"%PDF-"
_MAGIC_BYTES = 1_024
_ANNOTATIONS = 1_000


def is_pdf(body: bytes, content_type: str) -> bool:
    """Return whether the beginning of a file is that of a PDF.

    If the server declares PDF, other bytes may precede it (ISO 32000-1, annex H, implementation
    note 13). For other types they may not, since a page about PDF may contain the mark.
    """
    if "pdf" in content_type.lower():
        return _MAGIC in body[:_MAGIC_BYTES]
    return body[:_MAGIC_BYTES].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(_MAGIC)


@cache
def can_read_pdf() -> bool:
    """Return whether pypdf is installed."""
    return find_spec("pypdf") is not None


def read_pdf(body: bytes, url: str, limits: Limits) -> ParsedPage:
    """Read the PDF file `body`; return an empty reading if pypdf is missing or fails."""
    pypdf = _pypdf()
    if pypdf is None:
        return ParsedPage.nothing()
    texts: list[str] = []
    addresses: list[str] = []
    truncated: tuple[str, ...] = ()
    try:
        reader = pypdf.PdfReader(BytesIO(body))
        title = str((reader.metadata and reader.metadata.title) or "")
        for number, page in enumerate(reader.pages):
            if number >= limits.pdf_pages or sum(map(len, texts)) > limits.text_chars:
                truncated = ("pdf_pages" if number >= limits.pdf_pages else "text_chars",)
                break
            texts.append(page.extract_text())
            addresses += _addresses(page)
    except Exception:  # a malformed file can make pypdf raise any exception
        logger.debug("PDF: cannot read %s to its end", url, exc_info=True)
        if not texts:
            return ParsedPage.nothing()
        truncated = ("broken",)
    text = _clean(" ".join(texts))[: limits.text_chars]
    return ParsedPage(
        title=(_clean(title) or text)[: limits.words_chars],
        text=text,
        language=language_of("", text),
        links=tuple(links_to(((each, "", "") for each in addresses), url, limits)),
        truncated=truncated,
        content_fingerprint=content_fingerprint(text),
    )


def _addresses(page: Any) -> Iterator[str]:
    """Yield the targets of the links on a page (ISO 32000-1 §12.6.4.7, URI actions)."""
    for annotation in list(page.get("/Annots") or ())[:_ANNOTATIONS]:
        action = annotation.get_object().get("/A")
        address = action.get_object().get("/URI") if action is not None else None
        if isinstance(address, str):
            yield address


def _clean(text: str) -> str:
    return " ".join(without_controls(text).encode("utf-8", "replace").decode().split())


@cache
def _pypdf() -> Any:
    """Return the library, None if it is not installed."""
    try:
        import pypdf
    except ImportError:
        return None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    return pypdf
