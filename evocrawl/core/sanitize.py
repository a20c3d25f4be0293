"""Text of strangers, and of the user's secrets, as it may be shown in logs, messages and files."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

import regex

_CREDENTIALS = re.compile(r"(?<=://)[^/?#\s@'\"]*(?:@[^/?#\s@'\"]*)*(?=@)")
_PASSWORD = re.compile(r"([?&](?:\w+_)?pass(?:word|wd)?=)[^&#\s'\"]+", re.I)
"""Redis takes it as an option of its address, too."""
_FORMULA = regex.compile(
    r"[\t\r]|[\s\p{C}\p{Default_Ignorable_Code_Point}\u2800'\"]*"
    r"[=+@\-\u2212\uff0b\uff0d\uff1d\uff20\ufe62\ufe63\ufe66\ufe6b]"
)
"""Behind space, controls, and what is not seen; U+2800 is a braille pattern without dots."""


def one_line(text: str, most: int = 200) -> str:
    r"""Return `text` on one line of at most `most` characters, with nothing that steers a terminal.

    Control characters, line ends, escape sequences and what turns the reading direction are
    written as escapes (CWE-117).

    >>> shown("a\x1b[2J\nERROR: \u202egnp")
    'a\\x1b[2J\\nERROR: \\u202egnp'
    """
    escaped = "".join(
        char if char.isprintable() else ascii(char)[1:-1] for char in text[: most + 1]
    )
    return escaped if len(escaped) <= most else escaped[: most - 1] + "…"


def mask_secrets(text: str) -> str:
    """Return `text` without what stands before the @ of each URL in it, and without its password.

    >>> masked("redis://:secret@host:6379/0 and http://me:p@ss@host/x@y")
    'redis://***@host:6379/0 and http://***@host/x@y'
    >>> masked("rediss://host/0?password=secret&db=1")
    'rediss://host/0?password=***&db=1'
    """
    return _PASSWORD.sub(r"\1***", _CREDENTIALS.sub("***", text))


def has_credentials(url: str) -> bool:
    """Return True where `url` names a user before its host."""
    return "@" in _netloc(url)


def without_credentials(url: str) -> str:
    """Return `url` without user and password; a URL that cannot be read is returned as it is.

    >>> without_credentials("http://me:secret@host:81/x@y")
    'http://host:81/x@y'
    """
    if not has_credentials(url):
        return url
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def escape_formula(text: str) -> str:
    """Return `text` so that no spreadsheet takes it for a formula: an apostrophe in front.

    Formulas begin with = + - @ or their full-width forms, maybe after space, quotes or invisible
    characters (OWASP, CSV injection; CWE-1236). NUL is left out.

    >>> cell("=1+1"), cell(" ＝1"), cell("a=1")
    ("'=1+1", "' ＝1", 'a=1')
    """
    text = text.replace("\0", "")
    return f"'{text}" if _FORMULA.match(text) else text


def _netloc(url: str) -> str:
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""
