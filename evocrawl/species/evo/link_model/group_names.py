"""Names of the groups of links: numbers of tag paths, names of folders."""

from __future__ import annotations

from zlib import crc32

PATHS = 4096
"""Groups of tag paths."""


def path_group(tag_path: str) -> int:
    """Return the number of the group of a tag path."""
    return crc32(tag_path.encode(errors="replace")) % PATHS


def folder_of(url: str, host: str) -> str:
    """Return the host and the path up to its last slash.

    >>> folder_of("http://a.test/b/c.html?d=/", "a.test")
    'a.test/b/'
    """
    path = url.partition("//")[2].partition("?")[0].partition("#")[0].partition("/")[2]
    return f"{host}/{path[: path.rfind('/') + 1]}"
