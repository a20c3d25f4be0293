"""From bytes to the UTF-8 that both parsers take."""

from __future__ import annotations

import codecs
import re

from resiliparse.parse.encoding import detect_encoding
from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding

from evocrawl.reading.guards import without_giant_tags
from evocrawl.reading.limits import Limits

_EDGE = re.compile(
    rb"<(?!/?(?:a|abbr|b|code|em|i|img|script|small|span|strong|style|sub|sup|tt|u|wbr)\b)(?=[/a-zA-Z])"
)
_DETECTION_BYTES = 20_000
_BIG_BYTES = 50_000
_WEB_CODECS = frozenset(
    codecs.lookup(name).name
    for name in (
        *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"),
        *("utf-32-be", "ascii", "latin-1", "macroman", "mac-cyrillic", "cp866", "cp874", "koi8-r"),
        *("koi8-u", "tis-620", "gb2312", "gbk", "gb18030", "hz", "big5", "big5hkscs", "cp950"),
        *("euc-jp", "euc_jis_2004", "iso2022_jp", "shift_jis", "shift_jis_2004", "cp932"),
        *("euc-kr", "cp949", "iso2022_kr", "johab"),
        *(f"cp{number}" for number in (437, 850, 852, 855, *range(1250, 1259))),
        *(f"iso8859-{number}" for number in (*range(2, 12), *range(13, 17))),
    )
)
"""Encodings of the WHATWG Encoding Standard, and their relatives that pages are written in."""


def to_utf8(body: bytes, encoding: str | None, limits: Limits) -> tuple[bytes, list[str]]:
    """Return the page as UTF-8 without NUL bytes, and which caps were hit.

    The encoding is that of a byte order mark, or else the HTTP header's (`encoding`), or else the
    one the page declares, or else found out from the bytes; unknown names are passed over.
    Undecodable bytes become U+FFFD. Before a tag that is not inline comes a space, since a tree's
    string joins the last word of a paragraph with the first of the next.
    """
    cut = []
    if len(body) > limits.body_bytes:
        body = body[: limits.body_bytes]
        cut.append("body_bytes")
    text = decoded(body, encoding).replace("\0", "")
    utf8 = text.encode("utf-8", "replace")
    if utf8.count(b"<") > limits.tags:
        utf8 = utf8[: -len(utf8.split(b"<", limits.tags + 1)[-1]) - 1]
        cut.append("tags")
    small = without_giant_tags(utf8, limits.tag_bytes, limits.attributes)
    if len(small) < len(utf8):
        utf8 = small
        cut.append("attributes")
    return _EDGE.sub(b" <", utf8), cut


def decoded(body: bytes, encoding: str | None) -> str:
    """Return the text of `body`, in the encoding that `to_utf8` tells."""
    marked, bom = read_bom(body)
    if marked is not None:
        return body[len(bom or b"") :].decode(marked, "replace")
    known = _declared(body, encoding)
    if known is not None:
        return body.decode(known, "replace")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return body.decode(_found_out(body), "replace")


def safe_encoding(body: bytes, encoding: str | None) -> str | None:
    """Return the encoding to decode `body` with where others may raise, or take seconds.

    That is where header (`encoding`) or page declare what no web page is written in, and where a
    big page declares nothing and is no UTF-8. None otherwise: whoever decodes may do as they do.
    """
    if read_bom(body)[0] is not None:
        return None
    named = (encoding, html_body_declared_encoding(body))
    known = [name for name in named if name and resolve_encoding(name)]
    if known:
        is_safe = all(map(_codec, known))
        return None if is_safe else _declared(body, encoding) or _found_out(body)
    if len(body) <= _BIG_BYTES:
        return None
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return _found_out(body)
    return None


def _declared(body: bytes, encoding: str | None) -> str | None:
    for name in (encoding, html_body_declared_encoding(body)):
        known = _codec(name) if name else None
        if known is not None and _can_be(known, body):
            return known
    return None


def _found_out(body: bytes) -> str:
    return _codec(detect_encoding(body[:_DETECTION_BYTES]) or "") or "cp1252"


def _can_be(codec: str, body: bytes) -> bool:
    """Whether the bytes may be of that encoding: in UTF-16 and UTF-32 every tag has zeros."""
    return not codec.startswith(("utf-16", "utf-32")) or b"\0" in body[:_DETECTION_BYTES]


def _codec(name: str) -> str | None:
    """The codec for text of that name; None for what no web page is written in.

    Python knows many more, by which a page could raise ("hex", "undefined"), take quadratic time
    ("punycode") or hide its tags ("unicode_escape", UTF-7).
    """
    known = resolve_encoding(name)
    return known if known in _WEB_CODECS else None
