"""What Python's decoders of Chinese and Japanese lack of those that browsers have.

The Encoding Standard (WHATWG) reads EUC-JP by the same table as Shift_JIS, with the characters of
NEC and IBM in it (①, ㈱, 髙), and in GBK one byte more, that of the euro sign.
"""

from __future__ import annotations

import codecs

ERRORS = "evocrawl.replace"
"""A name for `bytes.decode`: as "replace", after these have been tried."""

_EURO = 0x80
_FIRST, _LAST = 0xA1, 0xFE


def _mend(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeDecodeError):
        bad = error.object[error.start : error.start + 2]
        if error.encoding == "gb18030" and bad[0] == _EURO:
            return "€", error.start + 1
        if error.encoding == "euc_jp" and len(bad) == 2 and _FIRST <= min(bad) <= max(bad) <= _LAST:
            return _as_shift_jis(*bad).decode("cp932", "replace")[:1], error.start + 2
    return codecs.replace_errors(error)


def _as_shift_jis(row: int, cell: int) -> bytes:
    """The bytes of Shift_JIS for the same place of the table (JIS X 0208, annex 1)."""
    lead, is_even = divmod(row - 0xA1, 2)
    lead += 0x81 if lead < 31 else 0xC1
    trail = cell - 0x02 if is_even else cell - 0x61
    return bytes((lead, trail + (not is_even and trail >= 0x7F)))


codecs.register_error(ERRORS, _mend)
