"""Limits on what is read of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits for hostile or giant pages. `ParsedPage.truncated` names the limits that were reached.

    ==================  =====================================================================
    field               meaning
    ==================  =====================================================================
    body_bytes          bytes of HTML or XML that are parsed
    ratio               bytes read for each byte that came over the wire, before decompression;
                        the first 64 KiB are read in any case
    tags                start and end tags that are parsed, and other text that begins with ``<``
    tag_bytes           a start tag longer than this loses its attributes
    attributes          a tag with more than about so many loses them: parsers take time
                        quadratic in their number; `truncated` names both "attributes"
    links               links kept
    url_chars           a longer address counts as malformed
    text_chars          characters of main text kept
    pdf_pages           pages of a PDF that are read
    words_chars         characters of title, anchor text and context kept, each
    context_words       an ancestor of the anchor with this many words, or 8 characters for each
                        (for scripts without spaces), is its aggregation node
    ==================  =====================================================================
    """

    body_bytes: int = 2_000_000
    ratio: int = 100
    tags: int = 100_000
    tag_bytes: int = 8_192
    attributes: int = 128
    links: int = 1_500
    url_chars: int = 2_083
    text_chars: int = 100_000
    pdf_pages: int = 50
    words_chars: int = 400
    context_words: int = 20
