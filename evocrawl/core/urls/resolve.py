"""Resolves the references that pages and servers write to URLs (WHATWG URL, RFC 3986 §5)."""

from __future__ import annotations

import re
from urllib.parse import quote

from evocrawl.core.urls.hostnames import with_ascii_name

_AROUND = "".join(map(chr, range(0x21)))
"""C0 controls and space, which the standard strips from both ends."""
_WITHIN = str.maketrans("", "", "\t\n\r")
_OWN_HOST = re.compile(r"(?:(https?):)?([/\\]*)", re.I | re.A)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.I | re.A)
_WEB = re.compile("https?://", re.I | re.A)
_HERE = re.compile(r"\.|%2e", re.I | re.A)
_UP = re.compile(rf"(?:{_HERE.pattern}){{2}}", re.I | re.A)
_MAY_HAVE_DOTS = re.compile(rf"/(?:{_HERE.pattern})", re.I | re.A)
_PLACE = re.compile(r"([^:/?#]+:)?(//[^/?#]*)?([^?#]*)(\?[^#]*)?")
"""Scheme, authority, path and query of any text (RFC 3986, appendix B)."""


def resolve(base: str, written: str) -> str | None:
    r"""Return the http(s) URL that `written` names where `base` is the base URL, without fragment.

    Return None for other schemes and for references to the base itself. Path and query are as
    written, the host is in ASCII. Raises ValueError for an invalid URL.

    >>> resolve("http://a.test/b/c?d", " ../x\ny#z"), resolve("http://a.test/b", "\\\\c.test\\d")
    ('http://a.test/xy', 'http://c.test/d')
    >>> resolve("http://a.test/b?c", "?"), resolve("http://a.test/", "mailto:a@b.test")
    ('http://a.test/b', None)
    """
    reference = written.strip(_AROUND).partition("#")[0].translate(_WITHIN)
    kept = reference.rstrip(_AROUND)
    reference = kept + quote(reference[len(kept) :])
    if not reference:
        return None
    if reference == "?":
        return base.partition("#")[0].partition("?")[0]
    url = join(base, _as_browsers_read(base, reference))
    if not url[:6].lower().startswith(("http:", "https:")):
        return None
    return with_ascii_name(url)


def header_text(value: bytes) -> str:
    r"""Return the text of a header that contains an address, as browsers read it.

    Bytes that are not UTF-8 are percent-encoded.

    >>> header_text("/règles".encode()), header_text(b"/r\xe8gles")
    ('/règles', '/r%E8gles')
    """
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in value)


def join(base: str, reference: str) -> str:
    """Return the URL of `reference`, without fragment, relative to `base`, which has a host.

    Follows RFC 3986 §5.2. Python's `urljoin` merges doubled slashes in relative paths and in their
    base. A reference with a scheme of its own is unchanged, except for its dot segments.

    >>> join("http://a.test/x//y/z?q", "../w//v"), join("http://a.test/x//y/z?q", "//b.test/.")
    ('http://a.test/x//w//v', 'http://b.test/')
    """
    start = _SCHEME.match(reference)
    if start and not _WEB.match(reference):
        return reference
    scheme, host, path, query = _parts(base)
    if start:
        scheme, reference = start[0], reference[start.end() :]
    # After the scheme, a second one is a path: `1:2`.
    _, own_host, own_path, own_query = _parts(scheme + reference)
    if own_host is not None:
        if own_host == "//":
            raise ValueError(f"an address without a host: {reference[:100]!r}")
        host, path, query = own_host, own_path, own_query
    elif own_path:
        folder = path[: path.rfind("/") + 1] or "/"
        path, query = own_path if own_path.startswith("/") else folder + own_path, own_query
    elif own_query is not None:
        query = own_query
    return f"{scheme}{host}{_without_dots(path)}{query or ''}"


def _parts(url: str) -> tuple[str, str | None, str, str | None]:
    found = _PLACE.match(url)
    assert found is not None  # any text matches
    scheme, host, path, query = found.groups()
    return scheme or "", host, path, query


def _without_dots(path: str) -> str:
    """Return the path without dot segments (RFC 3986 §5.2.4), including percent-encoded ones."""
    if not _MAY_HAVE_DOTS.search(path):
        return path
    kept: list[str] = []
    *above, last = path.split("/")
    for each in above:
        if _UP.fullmatch(each):
            del kept[max(len(kept) - 1, 1) :]
        elif not _HERE.fullmatch(each):
            kept.append(each)
    if _UP.fullmatch(last):
        del kept[max(len(kept) - 1, 1) :]
    return "/".join([*kept, "" if _UP.fullmatch(last) or _HERE.fullmatch(last) else last])


def _as_browsers_read(base: str, reference: str) -> str:
    """Return the reference with the slashes that browsers see in it.

    ``\\x`` is ``/x``; ``///h/x`` and ``https:h/x`` (on an http page) name the host h ("special
    authority ignore slashes state").
    """
    start = _OWN_HOST.match(reference)
    scheme, slashes = start.groups() if start else ("", "")
    if "\\" not in reference and not scheme and len(slashes) < 3:
        return reference
    place, mark, query = reference.partition("?")
    rest = place[start.end() :].replace("\\", "/") if start else place
    if len(slashes) > 1 and not rest:
        raise ValueError(f"an address without a host: {reference[:100]!r}")
    if scheme and (len(slashes) > 1 or not base.lower().startswith(f"{scheme}:".lower())):
        return f"{scheme}://{rest}{mark}{query}"
    # After the scheme, a second one is a path: `http:1:2`.
    relative = "./" if scheme and rest else ""
    return f"{'//' if len(slashes) > 1 else '/' if slashes else relative}{rest}{mark}{query}"
