"""Detects binary files by their magic numbers."""

from __future__ import annotations

import re

_MAGIC = re.compile(
    rb"""
      %PDF- | %!PS-Adobe- | \{\\rtf | \)\]\}' | \xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1  # documents, data
    | SQLite\ format\ 3\x00
    | PK\x03\x04 | Rar!\x1a\x07 | \x1f\x8b\x08 | 7z\xbc\xaf\x27\x1c | BZh[1-9]1AY&SY  # archives
    | \xfd7zXZ\x00 | \x28\xb5\x2f\xfd | MSCF\x00 | !<arch>\n | \xed\xab\xee\xdb
    | [^\x00]{1,100}\x00.{156,255}ustar[\x00\x20]
    | \x89PNG\r\n\x1a\n | GIF8[79]a | \xff\xd8\xff | II\*\x00 | MM\x00\* | 8BPS\x00  # pictures
    | AC10\d\d\x00 | \x00\x00[\x01\x02]\x00 | BM.{4}\x00{4} | .{4}jP\x20\x20\r\n
    | RIFF.{4}(?:WEBP|WAVE|AVI\x20) | .{4}ftyp | ID3[\x02-\x04] | OggS\x00 | fLaC\x00  # sound, film
    | \xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xbf] | FLV\x01 | [CFZ]WS[\x03-\x40] | \x1aE\xdf\xa3
    | \#!AMR\n
    | wOF[F2]\x00 | OTTO\x00 | \x00\x01\x00\x00\x00  # fonts
    | \x7fELF | MZ\x90\x00 | \xca\xfe\xba\xbe | \x00asm  # programs
    """,
    re.VERBOSE | re.DOTALL,
)


def is_known_file(body: bytes) -> bool:
    """Return whether `body` begins with the magic number of a well-known binary format.

    >>> is_known_file(b"GIF89a<p>"), is_known_file(b"GIF files are pictures")
    (True, False)
    """
    return _MAGIC.match(body) is not None
