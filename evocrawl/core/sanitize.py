"""Makes untrusted text and text with secrets safe for logs, messages and files."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

import regex

_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s@'\"]*(?:@[^/?#\s@'\"]*)*(?=@)")
_PASSWORD = re.compile(
    r"([?&](?:\w+_)?pass(?:word|wd)?=|\b(?:EVOCRAWL_)?DASHBOARD_TOKEN=)[^&#\s'\"]+", re.I
)
"""A URL of Redis may also contain the password as an option; a command line, the token."""
_FORMULA = regex.compile(
    r"[\t\r]|[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800'\"]*"
    r"[=+@\-\u2212\uff0b\uff0d\uff1d\uff20\ufe62\ufe63\ufe66\ufe6b]"
)
"""After space, control and invisible characters; U+2800 is a braille pattern without dots."""


def one_line(text: str, most: int = 200) -> str:
    r"""Return `text` on one line of at most `most` characters, safe for a terminal.

    Control characters, line ends, escape sequences and direction marks are written as escapes
    (CWE-117).

    >>> one_line("a\x1b[2J\nERROR: \u202egnp")
    'a\\x1b[2J\\nERROR: \\u202egnp'
    """
    escaped = "".join(
        char if char.isprintable() else ascii(char)[1:-1] for char in text[: most + 1]
    )
    return escaped if len(escaped) <= most else escaped[: most - 1] + "…"


def mask_secrets(text: str) -> str:
    """Return `text` with the credentials and passwords of the URLs in it replaced by ``***``.

    The token of a dashboard in a command line is also replaced.

    >>> mask_secrets("redis://:secret@host:6379/0 and http://me:p@ss@host/x@y")
    'redis://***@host:6379/0 and http://***@host/x@y'
    >>> mask_secrets("rediss://host/0?password=secret&db=1")
    'rediss://host/0?password=***&db=1'
    >>> mask_secrets("scrapy crawl evospider -a dashboard_token=secret-secret -a dashboard=80")
    'scrapy crawl evospider -a dashboard_token=*** -a dashboard=80'
    """
    return _PASSWORD.sub(r"\1***", _CREDENTIALS.sub("***", text))


def has_credentials(url: str) -> bool:
    """Return True if `url` contains a user before its host."""
    return "@" in _netloc(url)


def without_credentials(url: str) -> str:
    """Return `url` without user and password; an invalid URL is returned unchanged.

    >>> without_credentials("http://me:secret@host:81/x@y")
    'http://host:81/x@y'
    """
    if not has_credentials(url):
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def public(places: object) -> list[str]:
    """Return seeds (URLs, or sources of them) without users and passwords, for files.

    >>> public(("http://me:secret@host/", "searxng:https://me:secret@host/"))
    ['http://host/', 'searxng:https://***@host/']
    """
    listed = places if isinstance(places, list | tuple) else ()
    return [mask_secrets(without_credentials(str(each))) for each in listed]


def escape_formula(text: str) -> str:
    """Return `text`, with an apostrophe in front if a spreadsheet would read it as a formula.

    Formulas begin with = + - @ or their full-width forms, also after space, quotes or invisible
    characters (OWASP, CSV injection; CWE-1236). NUL is removed.

    >>> escape_formula("=1+1"), escape_formula(" ＝1"), escape_formula("a=1")
    ("'=1+1", "' ＝1", 'a=1')
    """
    text = text.replace("\0", "")
    return f"'{text}" if _FORMULA.match(text) else text


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""
