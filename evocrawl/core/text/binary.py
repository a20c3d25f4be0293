"""Distinguishes text from pictures, archives and programs by the first bytes."""

from __future__ import annotations

_LOOKED_AT = 20_000
_MOST = 0.01
"""Share of control characters above which bytes are no text; random bytes have one in nine."""
_CONTROLS = bytes({*range(1, 32), 127} - {*b"\t\n\v\f\r\x1b"})
_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")
"""Byte order marks of UTF-16 and UTF-32."""


def is_binary(data: bytes) -> bool:
    """Return whether the beginning of `data` is no text in any usual encoding. O(1).

    UTF-16 counts as text if it has its mark, or if nearly every other byte is zero.

    >>> is_binary("Korallen, サンゴ".encode("shift_jis", "replace")), is_binary(bytes(range(256)))
    (False, True)
    """
    head = data[:_LOOKED_AT]
    if not head or head.startswith(_MARKS):
        return False
    zeros = max(head[::2].count(0), head[1::2].count(0))
    is_wide = zeros > 0.4 * len(head) and head.count(0) - zeros <= _MOST * len(head)
    controls = len(head) - len(head.translate(None, _CONTROLS)) + (0 if is_wide else head.count(0))
    return controls > _MOST * len(head)
