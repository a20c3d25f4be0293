"""Cuts off an incomplete record of a killed process at the end of a WARC file.

A kill may end a write to a file between any two of its pages, so the last record may be incomplete.
Each record is a separate gzip member (WARC 1.0, annex D): the file is cut after its last complete
member.
"""

from __future__ import annotations

import mmap
import os
import zlib
from contextlib import suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows has no fcntl
    fcntl = None  # type: ignore[assignment]

_HEADER_BYTES = 10
"""The header of a gzip member without a name (RFC 1952 §2.3), the same for all members of a
file."""
_BLOCK_BYTES = 1 << 20


def hold(file: int) -> None:
    """Mark an open file as being written, until it is closed or the process ends."""
    if fcntl is not None:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)


def mend(path: Path) -> int:
    """Cut the incomplete end off a file that no process writes; return the bytes cut off.

    A file that ends exactly with a gzip member within an incomplete record, as of a page that is a
    WARC file itself, is taken for whole. A file without a whole record is removed. O(last record),
    and O(file) where that is incomplete.
    Raises OSError.
    """
    if fcntl is None:  # pragma: no cover - nothing shows whether the file is being written
        return 0
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return 0
        size = os.fstat(file.fileno()).st_size
        if not size:
            return 0
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            whole = _whole(content)
        if whole < size:
            file.truncate(whole)
        if not whole:
            path.unlink(missing_ok=True)
        return size - whole


def _whole(content: mmap.mmap) -> int:
    """Return the number of bytes up to the end of the last whole member."""
    header = content[:_HEADER_BYTES]
    last = content.rfind(header) if len(header) == _HEADER_BYTES else 0
    if last + _member_bytes(content, last) == len(content):
        return len(content)
    # A page may contain bytes that look like a member, so members are counted from the first one.
    end = 0
    while length := _member_bytes(content, end):
        end += length
    return end


def _member_bytes(content: mmap.mmap, start: int) -> int:
    """Return the length of the member that begins at `start`, 0 if none does or it is cut."""
    inflater = zlib.decompressobj(zlib.MAX_WBITS | 16)
    for at in range(start, len(content), _BLOCK_BYTES):
        block = content[at : at + _BLOCK_BYTES]
        try:
            while block:
                inflater.decompress(block, _BLOCK_BYTES)
                block = inflater.unconsumed_tail
        except zlib.error:
            return 0
        if inflater.eof:
            return min(at + _BLOCK_BYTES, len(content)) - len(inflater.unused_data) - start
    return 0
