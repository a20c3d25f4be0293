"""From what a page or a server writes to the URL that it means (WHATWG URL, RFC 3986 §5)."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from evocrawl.hostnames import with_ascii_name

_AROUND = "".join(map(chr, range(0x21)))
"""C0 controls and space: what the standard strips from both ends."""
_WITHIN = str.maketrans("", "", "\t\n\r")
_OWN_HOST = re.compile(r"(?:(https?):)?([/\\]*)", re.I)


def resolved(base: str, written: str) -> str | None:
    r"""Return the http(s) URL that `written` names where `base` is the base URL, without fragment.

    None for other schemes, and for what names the base itself. Its path and query are as written,
    its host is in ASCII. Raises ValueError for what is no URL.

    >>> resolved("http://a.test/b/c?d", " ../x\ny#z"), resolved("http://a.test/b", "\\\\c.test\\d")
    ('http://a.test/xy', 'http://c.test/d')
    >>> resolved("http://a.test/b?c", "?"), resolved("http://a.test/", "mailto:a@b.test")
    ('http://a.test/b', None)
    """
    reference = written.partition("#")[0].strip(_AROUND).translate(_WITHIN)
    if not reference:
        return None
    if reference == "?":
        return base.partition("#")[0].partition("?")[0]
    url = urljoin(base, _as_browsers_read(base, reference))
    if not url[:6].lower().startswith(("http:", "https:")):
        return None
    return with_ascii_name(url)


def _as_browsers_read(base: str, reference: str) -> str:
    """Slashes as browsers count them: either way round, any number before a host.

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
    return f"{'//' if len(slashes) > 1 else slashes and '/'}{rest}{mark}{query}"
