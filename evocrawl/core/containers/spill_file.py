"""A temporary file of records that do not fit into memory.

The file has no name, so that it disappears when the crawl or the process ends. A resumed crawl does
not need it, since the journal has the same data; so the file is never synced.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from weakref import finalize

from evocrawl.core.errors import StateError

_BUFFERED = 1 << 18
_GUESS = 2048
_SIZE_BYTES = 4


class SpillFile:
    """Keeps byte strings by their address. There is no file before the first `_BUFFERED` bytes.

    The file is in `directory`, or in the folder of temporary files. If the disk is full or the file
    cannot be created, records stay in memory, so that a step of the population is never left half
    done; `check` raises the error between steps.

    >>> spill = SpillFile()
    >>> spill.get(spill.put(b"a record"))
    b'a record'
    """

    def __init__(self, directory: Path | None = None) -> None:
        self.directory = directory
        self._file: int | None = None
        self._written = 0
        self._buffer = bytearray()
        self._write_at = _BUFFERED
        self._failure: OSError | None = None

    def __len__(self) -> int:
        """Return the bytes of all records, sizes included."""
        return self._written + len(self._buffer)

    def put(self, record: bytes) -> int:
        """Store a record; return its address, from 0. O(its length)."""
        address = len(self)
        self._buffer += len(record).to_bytes(_SIZE_BYTES, "little")
        self._buffer += record
        if len(self._buffer) > self._write_at:
            self._write()
        return address

    def get(self, address: int) -> bytes:
        """Return the record at an address from `put`; raises StateError. O(its length)."""
        begin = self._read(address, _GUESS)
        size = int.from_bytes(begin[:_SIZE_BYTES], "little")
        record = begin[_SIZE_BYTES : _SIZE_BYTES + size]
        if len(record) < size:
            record += self._read(address + len(begin), size - len(record))
        return record

    def part(self, address: int, start: int, size: int) -> bytes:
        """Return `size` bytes of a record, from `start` on; raises StateError. O(size)."""
        return self._read(address + _SIZE_BYTES + start, size)

    def pieces(self, size: int, start: int, end: int) -> Iterator[bytes]:
        """Yield the records between two addresses as they are kept, for `load`.

        Each piece has `size` bytes; the last one may have fewer. Records never change, and later
        ones come after these, so that pieces may be read while further records are stored.
        """
        for at in range(start, end, size):
            most = min(size, end - at)
            piece = self._read(at, most)
            if len(piece) < most:
                piece += self._read(at + len(piece), most - len(piece))
            yield piece

    def load(self, pieces: Iterable[bytes]) -> None:
        """Replace all records by the `pieces` of another file, whose addresses then hold here."""
        self._written = 0
        self._buffer.clear()
        self._write_at = _BUFFERED
        for piece in pieces:
            self._buffer += piece
            if len(self._buffer) > self._write_at:
                self._write()

    def nameless(self) -> int:
        """Return a descriptor of a new file beside the records; raises OSError."""
        with tempfile.TemporaryFile(buffering=0, dir=self.directory) as file:
            return os.dup(file.fileno())

    def fail(self, error: OSError) -> None:
        """Record that other data could not be written to disk; `check` raises the error."""
        self._failure = error

    def failed(self, error: OSError) -> StateError:
        """Return the StateError for a failure to write or read."""
        place = self.directory or tempfile.gettempdir()
        return StateError(f"{place}: cannot write data that does not fit into memory: {error}")

    def check(self) -> None:
        """Raise StateError if the last attempt to write failed."""
        if self._failure is not None:
            raise self.failed(self._failure) from self._failure

    def _read(self, at: int, most: int) -> bytes:
        """Read up to `most` bytes, from the file or from unwritten records."""
        if at >= self._written:
            at -= self._written
            return bytes(self._buffer[at : at + most])
        assert self._file is not None
        try:
            return os.pread(self._file, min(most, self._written - at), at)
        except OSError as error:
            raise self.failed(error) from error

    def _write(self) -> None:
        done = 0
        try:
            if self._file is None:
                self._file = self.nameless()
                finalize(self, os.close, self._file)
            while done < len(self._buffer):
                with memoryview(self._buffer)[done:] as rest:
                    done += os.pwrite(self._file, rest, self._written + done)
        except OSError as error:
            self._failure = error
        else:
            self._failure = None
            self._written += done
            self._buffer.clear()
        self._write_at = len(self._buffer) + _BUFFERED
