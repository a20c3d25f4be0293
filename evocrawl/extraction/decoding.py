"""Decodes pages to the UTF-8 that both parsers read."""

from __future__ import annotations

import codecs
import re
from itertools import islice

from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5
from w3lib.encoding import (
    html_body_declared_encoding,
    http_content_type_encoding,
    read_bom,
    resolve_encoding,
)

from evocrawl.extraction.limits import Limits
from evocrawl.extraction.parser_guards import without_giant_tags
from evocrawl.extraction.word_gaps import with_gaps

_END = re.compile(rb"</(?:html|body)\b[^<>]*+>", re.I)
"""End tags at which libxml2 stops; in HTML, the text after them belongs to the body."""
_OPEN = re.compile(rb"""(<a\s[^<>]*[\s"'])/>""", re.I)
"""Anchors with a final slash: libxml2 reads them as empty; HTML ignores the slash."""
_CONTROLS = re.compile("[\0-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]+")
"""Control codes of both sets (C0, C1), and characters that XML does not allow."""
_CONTROL_BYTES = bytes((*range(9), *range(0x0E, 0x20), 0x7F))
_CONTROL_REFERENCE = re.compile(
    rb"&\#(?:0* (?:[0-8] | 1[4-9] | 2\d | 3[01] | 127 | 129 | 141 | 14[34] | 157 | 6553[45]) (?!\d)"
    rb"| x0* (?:[0-8ef] | 1[0-9a-f] | 7f | 81 | 8d | 8f | 90 | 9d | fff[ef]) (?![0-9a-f])) ;?",
    re.VERBOSE | re.I,
)
_UTF_16 = (
    (re.compile(rb"(?:[\t\n\r ]\0){0,99}<\0[!?/a-z]\0", re.I), "utf-16-le"),
    (re.compile(rb"(?:\0[\t\n\r ]){0,99}\0<\0[!?/a-z]", re.I), "utf-16-be"),
)
_FOREIGN = re.compile(rb"[\x80-\xff]")
_ISO_2022_JP = re.compile(rb"\x1b\$[@B]")
_META = re.compile(rb"<meta\s(?![^<>]*\b(?:name|property)\s*=)[^<>]{0,500}>", re.I)
_LABEL = re.compile(r"""[\s;"']charset\s*=[\s"']*([\w.:-]+)""", re.I | re.A)
_METAS = 100
_UTF_8_SHARE = 0.9
_DETECTION_BYTES = 20_000
_BIG_BYTES = 50_000
_PIECE_BYTES = 1_000_000
_ALIASES = {"x-mac-cyrillic": "mac-cyrillic", "x-mac-ukrainian": "mac-cyrillic"}
"""Labels of the Encoding Standard that neither w3lib nor Python has."""
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
"""Encodings of the WHATWG Encoding Standard, and similar encodings of pages."""


def to_utf8(body: bytes, encoding: str | None, limits: Limits) -> tuple[bytes, list[str]]:
    """Return the page as UTF-8 without control characters, and the limits that were reached.

    The encoding is the first of these that is known: that of a byte order mark; that of the HTTP
    header or of the project (`encoding`); the one that the page declares; a guess from the bytes.
    Undecodable bytes become U+FFFD. A space is inserted where a word ends (see `word_gaps`), since
    the text of a tree joins the last word of a paragraph with the first word of the next.
    """
    cut = []
    if len(body) > limits.body_bytes:
        body = body[: limits.body_bytes]
        cut.append("body_bytes")
    utf8 = decoded(body, encoding).encode("utf-8", "replace")
    if utf8.count(b"<") > limits.tags:
        utf8 = utf8[: -len(utf8.split(b"<", limits.tags + 1)[-1]) - 1]
        cut.append("tags")
    small = without_giant_tags(utf8, limits.tag_bytes, limits.attributes)
    if len(small) < len(utf8):
        utf8 = small
        cut.append("attributes")
    utf8 = _OPEN.sub(rb"\1>", _END.sub(b" ", _CONTROL_REFERENCE.sub(b"", utf8)))
    return with_gaps(utf8), cut


def decoded(body: bytes, encoding: str | None) -> str:
    """Return the text of `body`, decoded as in `to_utf8`, without control characters."""
    text = _decoded(body, encoding)
    if text.isascii() and len(body.translate(None, _CONTROL_BYTES)) == len(body):
        return text
    return without_controls(text)


def without_controls(text: str) -> str:
    """Return `text` without non-characters, control codes and characters invalid in XML."""
    return _CONTROLS.sub("", text)


def _decoded(body: bytes, encoding: str | None) -> str:
    marked, bom = read_bom(body)
    if marked is not None:
        return body[len(bom or b"") :].decode(marked, "replace")
    known = _by_zeros(body) or _declared(body, encoding)
    if known is not None:
        return body.decode(known, ERRORS)
    if not _ISO_2022_JP.search(body, 0, _DETECTION_BYTES):
        try:
            return body.decode("utf-8")
        except UnicodeDecodeError:
            pass
    return body.decode(_found_out(body), ERRORS)


def header_encoding(content_type: str) -> str | None:
    """Return the encoding in a Content-Type header; None if missing or not used for web pages.

    >>> header_encoding("text/html; Charset='ISO-8859-8-I'"), header_encoding("text/html")
    ('iso8859-8', None)
    """
    return http_content_type_encoding(content_type) or _named(content_type)


def safe_encoding(body: bytes, encoding: str | None) -> str | None:
    """Return the encoding with which Scrapy shall decode `body`; None if Scrapy's own is safe.

    Scrapy raises an error or takes seconds if the header (`encoding`) or the page declares an
    encoding that no web page has or that is impossible for these bytes. If a big page declares no
    encoding, Scrapy decodes all of it to find one, and keeps the text.
    """
    if read_bom(body)[0] is not None:
        return None
    by_zeros = _by_zeros(body)
    named = (encoding, html_body_declared_encoding(body))
    known = [name for name in named if name and resolve_encoding(name)]
    if by_zeros is not None:
        return None if known and resolve_encoding(known[0]) == by_zeros else by_zeros
    if known:
        found = map(_codec, known)
        is_safe = all(codec is not None and _can_be(codec, body) for codec in found)
        return None if is_safe else _declared(body, encoding) or _told_by_bytes(body)
    if len(body) <= _BIG_BYTES:
        return None
    return _told_by_bytes(body)


def is_web_encoding(name: str, body: bytes) -> bool:
    """Return whether web pages use the encoding of that name, and `body` may be in it.

    >>> is_web_encoding("GB2312", b""), is_web_encoding("hex", b""), is_web_encoding("utf-16", b"<")
    (True, False, False)
    """
    codec = _codec(name)
    return codec is not None and _can_be(codec, body)


def _told_by_bytes(body: bytes) -> str:
    return "utf-8" if _is_utf8(body) else _found_out(body)


def _is_utf8(body: bytes) -> bool:
    """Return whether the bytes decode, in pieces: the whole text may be four times as large."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(body), _PIECE_BYTES):
            decoder.decode(body[start : start + _PIECE_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _by_zeros(body: bytes) -> str | None:
    """Return the UTF-16 encoding of a page without a byte order mark; None if it is another.

    Every second byte of its first tag is zero, which is so in no other encoding.
    """
    return next((codec for pattern, codec in _UTF_16 if pattern.match(body)), None)


def _declared(body: bytes, encoding: str | None) -> str | None:
    for name in (encoding, html_body_declared_encoding(body)):
        known = _codec(name) if name else None
        if known is not None and _can_be(known, body):
            return known
    return None


def _found_out(body: bytes) -> str:
    """Return the encoding of bytes that are not valid UTF-8 and declare nothing at their beginning.

    A later declaration counts (HTML, "changing the encoding while parsing"). UTF-8 may have a few
    bad bytes. Otherwise the bytes around the first byte that is not ASCII decide.
    """
    for meta in islice(_META.finditer(body), _METAS):
        late = _named(meta[0].decode("latin-1"))
        if late is not None and _can_be(late, body):
            return late
    if _is_mostly_utf8(body):
        return "utf-8"
    foreign = _FOREIGN.search(body)
    start = max(foreign.start() - _DETECTION_BYTES // 2, 0) if foreign else 0
    name = detect_encoding(body[start : start + _DETECTION_BYTES], html5_compatible=False) or ""
    # An encoding without a label in the standard is a wrong guess (a code page of DOS), except one.
    known = name if name == "cp949" else map_encoding_to_html5(name, fallback_utf8=False)
    return _codec(known or "") or "cp1252"


def _named(text: str) -> str | None:
    """Return the codec of a charset; w3lib reads fewer labels, and no single quotes."""
    label = _LABEL.search(text)
    return _codec(label[1]) if label else None


def _is_mostly_utf8(body: bytes) -> bool:
    text = body.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    foreign = len(text) - len(text.encode("ascii", "ignore"))
    return foreign - bad > _UTF_8_SHARE * foreign


def _can_be(codec: str, body: bytes) -> bool:
    """Return whether the bytes may have that encoding: in UTF-16 and UTF-32, tags have zeros."""
    if not codec.startswith(("utf-16", "utf-32")):
        return True
    head = body[:_DETECTION_BYTES]
    tags = head.count(b"<")
    return b"\0" in head and 2 * max(head.count(b"<\0"), head.count(b"\0<")) >= tags


def _codec(name: str) -> str | None:
    """Return the codec of an encoding; None if no web page has that encoding.

    Python has many more codecs. With some, a page could raise an error ("hex", "undefined"), take
    quadratic time ("punycode") or hide its tags ("unicode_escape", UTF-7).
    """
    label = name.strip().lower()
    label = _ALIASES.get(label) or map_encoding_to_html5(label, fallback_utf8=False) or label
    known = resolve_encoding(label)
    return known if known in _WEB_CODECS else None


ERRORS = "evocrawl.replace"
"""Name of the error handler for `bytes.decode`: "replace", after the repairs of `_mend`."""

_EURO = 0x80
_FIRST, _LAST = 0xA1, 0xFE


def _mend(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError):
        bad = error.object[error.start : error.start + 2]
        if error.encoding == "gb18030" and bad[0] == _EURO:
            return "€", error.start + 1
        if error.encoding == "euc_jp" and len(bad) == 2 and _FIRST <= min(bad) <= max(bad) <= _LAST:
            return _as_shift_jis(*bad).decode("cp932", "replace")[:1], error.start + 2
    return codecs.replace_errors(error)


def _as_shift_jis(row: int, cell: int) -> bytes:
    """Return the bytes of Shift_JIS for the same cell of the table (JIS X 0208, annex 1)."""
    lead, is_even = divmod(row - 0xA1, 2)
    lead += 0x81 if lead < 31 else 0xC1
    trail = cell - 0x02 if is_even else cell - 0x61
    return bytes((lead, trail + (not is_even and trail >= 0x7F)))


codecs.register_error(ERRORS, _mend)
