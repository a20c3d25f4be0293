"""The target of an export: a file that appears complete or not at all, or a stream."""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import BinaryIO

from evocrawl.core.errors import EvocrawlError
from evocrawl.core.files import make_folder_of

_STANDARD = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})")


class TargetError(EvocrawlError, ValueError):
    """The target of an export is invalid; the message says why."""


class Target:
    """A new file, an existing file that `force` allows to overwrite, or a stream.

    A symbolic link counts as its target. ``-``, ``/dev/stdout`` and other descriptors, pipes and
    character devices are streams. Raises TargetError if the target is one of the `kept` files under
    any name, a folder, or an existing file without `force`. Raises OSError.
    """

    def __init__(self, out: str, kept: tuple[Path, ...] = (), *, force: bool = False) -> None:
        if not out.strip():
            raise TargetError("--out is empty: name a file, or - for the standard output")
        self.name = out
        self._descriptor = _descriptor_of(out)
        self.path = Path(os.path.realpath(out))
        status = _status(out if self._descriptor is None else self._descriptor)
        self._refuse(status, kept, force=force)
        self._is_stream = self._descriptor is not None or (
            status is not None and not stat.S_ISREG(status.st_mode)
        )

    def _refuse(
        self, status: os.stat_result | None, kept: tuple[Path, ...], *, force: bool
    ) -> None:
        of_store = self._descriptor is None and self.path in kept
        if of_store or (status is not None and any(_is_same(status, each) for each in kept)):
            raise TargetError(f"{self.name}: this file belongs to the crawl and is not overwritten")
        if status is None:
            return
        if stat.S_ISDIR(status.st_mode):
            raise TargetError(f"{self.name}: this is a folder; name a file")
        if stat.S_ISBLK(status.st_mode) or stat.S_ISSOCK(status.st_mode):
            raise TargetError(f"{self.name}: this is a device or a socket; name a file")
        if stat.S_ISREG(status.st_mode) and self._descriptor is None and not force:
            raise TargetError(f"{self.name}: this file exists; --force overwrites it")

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open the target for writing. A file appears once it is complete."""
        if self._is_stream:
            with self._stream() as stream:
                yield stream
            return
        make_folder_of(self.path)
        beside, file = self._new_file()
        try:
            with file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            if (old := _status(self.path)) is not None:
                beside.chmod(stat.S_IMODE(old.st_mode))
            beside.replace(self.path)
        finally:
            beside.unlink(missing_ok=True)

    @contextmanager
    def _stream(self) -> Iterator[BinaryIO]:
        if self._descriptor is None:
            with self.path.open("wb", buffering=0) as file:
                yield file
            return
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        with os.fdopen(os.dup(self._descriptor), "wb") as file:
            yield file

    def _new_file(self) -> tuple[Path, BinaryIO]:
        """Create a new file beside the target and return it."""
        for number in count():
            beside = self.path.with_name(f".evocrawl-{os.getpid()}-{number}.part")
            with suppress(FileExistsError):
                return beside, beside.open("xb")
        raise AssertionError


def _descriptor_of(out: str) -> int | None:
    match = _DESCRIPTOR.fullmatch(out)
    return int(match[1]) if match else _STANDARD.get(out)


def _status(file: str | Path | int) -> os.stat_result | None:
    """Return the status of a file; None if it does not exist. Raises OSError."""
    try:
        return os.stat(file)
    except FileNotFoundError:
        return None
    except NotADirectoryError:
        # `open` creates the folder later and reports its errors.
        return None
    except OSError as error:
        if error.errno == errno.EBADF:
            raise TargetError(f"{file}: this descriptor is not open") from None
        raise


def _is_same(status: os.stat_result, other: Path) -> bool:
    known = _status(other)
    return known is not None and os.path.samestat(status, known)
