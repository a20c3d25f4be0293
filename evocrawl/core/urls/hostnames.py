"""Converts the host of a URL to its name in DNS (WHATWG URL, host parsing; UTS #46).

Python's own codec is IDNA 2003: it maps straße.test to strasse.test, which is another host.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote

import idna

_FORBIDDEN = re.compile(r"[\0-\x20#%/:<>?@\[\\\]^|\x7f]")
"""Forbidden domain code points of the URL Standard."""
_AUTHORITY = re.compile(r"(\s*[a-z][a-z0-9+.-]*:[/\\]{2}(?:[^/\\?#]*@)?)([^/\\?#@]*)", re.I)
_PORT = re.compile(r":[0-9]*\Z")
_ORDINARY = re.compile(r"[\w.:-]*", re.A)


@lru_cache(maxsize=1024)
def ascii_name(written: str) -> str:
    """Return a host name in ASCII: percent-decoded, and as punycode (IDNA 2008).

    Names that IDNA 2008 refuses, such as emoji and underscores, are encoded as in browsers. Raises
    ValueError if the name is not a valid host name.

    >>> ascii_name("Straße.test"), ascii_name("b%C3%BCcher.test"), ascii_name("a.test。")
    ('xn--strae-oqa.test', 'xn--bcher-kva.test', 'a.test.')
    """
    name = unquote(written, errors="strict") if "%" in written else written
    if not name.isascii():
        try:
            name = idna.encode(name, uts46=True).decode("ascii")
        except UnicodeError:
            name = ".".join(map(_spelt, idna.uts46_remap(name, std3_rules=False).split(".")))
    if _FORBIDDEN.search(name):
        raise ValueError(f"not a host name: {written[:100]!r}")
    return name


def address_text(address: IPv4Address | IPv6Address) -> str:
    """Return an IP address as URLs have it: IPv6 in hexadecimal (WHATWG URL, IPv6 serializer).

    Python 3.13 and later write ``::ffff:127.0.0.1`` by themselves, earlier ones ``::ffff:7f00:1``.

    >>> address_text(IPv6Address("::FFFF:127.0.0.1"))
    '::ffff:7f00:1'
    """
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if mapped is None:
        return str(address)
    high, low = divmod(int(mapped), 1 << 16)
    return f"::ffff:{high:x}:{low:x}"


def _spelt(label: str) -> str:
    """Return one label in ASCII, checked by the rules for all names (UTS #46, §4.1)."""
    if label.isascii():
        return label
    if unicodedata.category(label[0]).startswith("M") or label[2:4] == "--":
        raise ValueError(f"not a label of a host name: {label[:100]!r}")
    return f"xn--{label.encode('punycode').decode('ascii')}"


def with_ascii_name(url: str) -> str:
    """Return `url` with its host in ASCII; the rest is unchanged.

    IPv6 addresses are unchanged too. Raises ValueError as `ascii_name` does.

    >>> with_ascii_name("http://straße.test:81/ß"), with_ascii_name("/ß")
    ('http://xn--strae-oqa.test:81/ß', '/ß')
    """
    found = _AUTHORITY.match(url)
    if found is None or _ORDINARY.fullmatch(found[2]):
        return url
    if found[2].startswith("["):
        if ":" not in found[2].partition("]")[0]:
            raise ValueError(f"not an IPv6 address: {found[2][:100]!r}")
        return url
    name = "".join(_PORT.sub("", found[2]).split("\t"))
    port = _PORT.search(found[2])
    return f"{found[1]}{ascii_name(name)}{port[0] if port else ''}{url[found.end() :]}"
