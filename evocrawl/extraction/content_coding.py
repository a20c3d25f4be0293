"""Undoes the content coding of a stored body (RFC 9110 §8.4): gzip, deflate, br, zstd."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Any

MOST_BYTES = 16 * 1024 * 1024
"""Bytes of a decoded body that are read: a small file may decode to a giant one (CWE-409)."""
_STEP = 65_536


def decoded(body: bytes, codings: Iterable[str], most: int = MOST_BYTES) -> bytes:
    """Return at most `most` bytes of `body` without its codings, given in the order of applying.

    Of a body that was cut short, the beginning is decoded. A body that is not in its coding, or
    whose coding is unknown, is returned unchanged.
    """
    for coding in reversed([each.strip().lower() for each in codings]):
        decode = _DECODERS.get(coding)
        if decode is not None:
            body = decode(body, most) or body
    return body[:most]


def _gzip(body: bytes, most: int) -> bytes:
    return _inflated(body, most, zlib.MAX_WBITS | 32)


def _deflate(body: bytes, most: int) -> bytes:
    """Some servers send zlib, as RFC 9110 requires; others send raw deflate."""
    return _inflated(body, most, zlib.MAX_WBITS) or _inflated(body, most, -zlib.MAX_WBITS)


def _inflated(body: bytes, most: int, window: int) -> bytes:
    unpacker = zlib.decompressobj(window)
    try:
        return unpacker.decompress(body, most)
    except zlib.error:
        return b""


def _brotli(body: bytes, most: int) -> bytes:
    try:
        import brotli
    except ImportError:
        return b""
    unpacker, parts, size = brotli.Decompressor(), [], 0
    try:
        for start in range(0, len(body), _STEP):
            parts.append(unpacker.process(body[start : start + _STEP]))
            size += len(parts[-1])
            if size >= most:
                break
    except brotli.error:
        pass
    return b"".join(parts)


def _zstd(body: bytes, most: int) -> bytes:
    try:
        import zstandard
    except ImportError:
        return b""
    try:
        reader: Any = zstandard.ZstdDecompressor().stream_reader(body, read_across_frames=True)
        return bytes(reader.read(most))
    except zstandard.ZstdError:
        return b""


_DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
