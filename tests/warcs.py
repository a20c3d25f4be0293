"""Reads WARC files with other programs."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio


def check_warcs(paths: Iterable[Path]) -> None:
    """Check that `warcio check` finds no error."""
    with pytest.raises(SystemExit) as ended:
        warcio(["check", *map(str, paths)])
    assert ended.value.code == 0


def warc_urls(paths: Iterable[Path]) -> list[str]:
    """Return the URLs of the responses in their order, read to their ends."""
    found = []
    for path in paths:
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                record.content_stream().read()
                if record.rec_type == "response":
                    found.append(record.rec_headers.get_header("WARC-Target-URI"))
    return found
