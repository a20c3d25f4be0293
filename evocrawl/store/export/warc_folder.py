"""Writes the exchanges of a running crawl to a folder of WARC files.

Each exchange is written by one call of the operating system. Each process writes its own files and
holds a lock on them. The next process cuts off an incomplete record of a killed process.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

from warcio.warcwriter import WARCWriter

from evocrawl.store.export.warc import write_info
from evocrawl.store.export.warc_mending import hold, mend

_NAMES = "evocrawl-*.warc.gz"
_UNSAFE = re.compile("[^A-Za-z0-9]+")


class WarcFolder:
    """Writes records to files of about `most_bytes`; the folder is made if it does not exist.

    `about` is added to the first record of each file. The first file is made with the first
    record. Raises OSError.
    """

    def __init__(
        self, folder: str | Path, most_bytes: int, software: str, about: Mapping[str, str]
    ) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.access(self.folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied", str(folder))
        self.mended = sum(mend(path) > 0 for path in sorted(self.folder.glob(_NAMES)))
        """Files whose end a killed process had left incomplete."""
        self._most_bytes = most_bytes
        self._software = software
        self._about = dict(about)
        self._numbers = count()
        self._file: int | None = None
        self._size = 0
        self.files = 0

    def write(self, records: bytes) -> None:
        """Append records; a full file is closed before. Raises OSError."""
        if self._file is not None and self._size >= self._most_bytes:
            self.close()
        if self._file is None:
            self._open()
        self._append(records)

    def close(self) -> None:
        """Close the file. Raises OSError."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def _open(self) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%d%H%M%S")
        host = _UNSAFE.sub("-", platform.node())[:40] or "host"
        while self._file is None:
            name = f"evocrawl-{stamp}-{host}-{os.getpid()}-{next(self._numbers):05d}.warc.gz"
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
            try:
                self._file = os.open(self.folder / name, flags, 0o644)
            except FileExistsError:
                continue
        hold(self._file)
        self._size = 0
        self.files += 1
        first = BytesIO()
        writer: Any = WARCWriter(first, gzip=True)
        write_info(writer, name, self._software, **self._about)
        self._append(first.getvalue())

    def _append(self, records: bytes) -> None:
        assert self._file is not None
        rest = memoryview(records)
        try:
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)  # a part of a record on a full disk is removed
            raise
        self._size += len(records)
