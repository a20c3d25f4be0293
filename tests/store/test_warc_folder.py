"""WARC files that a killed process has left, and those of processes that write at once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from warcs import check_warcs, warc_urls

from evocrawl.core.fetch import RawResponse
from evocrawl.store.export.warc import exchange
from evocrawl.store.export.warc_folder import WarcFolder
from evocrawl.store.export.warc_mending import mend

URL = "http://a.test/"
DATE = "2026-01-02T03:04:05.678+00:00"


def _exchange(number: int, size: int = 3000) -> bytes:
    body = os.urandom(size)
    answer = RawResponse("HTTP/1.1 200 OK", (("X", "y"),), body)
    return exchange(f"{URL}{number}", DATE, ("GET", (), b""), answer, {})


def _folder(path: Path, most_bytes: int = 10**9) -> WarcFolder:
    return WarcFolder(path, most_bytes, "evocrawl/test", {})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A file of three exchanges."""
    folder = tmp_path_factory.mktemp("whole")
    files = _folder(folder)
    for number in range(3):
        files.write(_exchange(number))
    files.close()
    (path,) = folder.iterdir()
    assert mend(path) == 0
    return path.read_bytes()


@given(st.data())
def test_wherever_a_kill_cuts_a_file_the_next_process_leaves_whole_records(
    whole: bytes, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """And no whole record is lost."""
    cut = data.draw(st.integers(0, len(whole)))
    folder = tmp_path_factory.mktemp("cut")
    path = folder / "evocrawl-20260102030405-host-1-00000.warc.gz"
    path.write_bytes(whole[:cut])
    files = _folder(folder)
    mended = path.read_bytes() if path.exists() else b""
    assert whole.startswith(mended)
    assert cut - len(mended) < 3600  # less than the record that was cut
    assert files.mended == (len(mended) < cut)
    if mended:
        check_warcs([path])
        assert warc_urls([path]) == [f"{URL}{n}" for n in range(len(warc_urls([path])))]


def test_a_record_that_holds_the_beginning_of_a_record_is_no_end(tmp_path: Path) -> None:
    """A gzip file in a page looks like a member; it is within one."""
    files = _folder(tmp_path)
    files.write(_exchange(0))
    inner = _exchange(1, 300)
    body = os.urandom(70_000) + inner + os.urandom(70_000)
    answer = RawResponse("HTTP/1.1 200 OK", (), body)
    files.write(exchange(f"{URL}2", DATE, ("GET", (), b""), answer, {}))
    files.close()
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    first = content.index(inner)  # what cannot be compressed is kept as it is
    # A file that ends exactly with a record of the page is taken for a whole one.
    ends = {first + each.start() for each in re.finditer(re.escape(inner[:10]), inner)}
    ends = ends - {first} | {first + len(inner)}
    for cut in sorted({*range(first, first + len(inner) + 500, 47)} - ends):
        path.write_bytes(content[:cut])
        mend(path)
        assert warc_urls([path]) == [f"{URL}0"]


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    files = _folder(tmp_path)
    files.write(_exchange(0))
    (path,) = tmp_path.iterdir()
    with path.open("ab") as file:
        file.write(b"half a record")
    before = path.read_bytes()
    assert _folder(tmp_path).mended == 0
    assert path.read_bytes() == before
    files.close()
    assert _folder(tmp_path).mended == 1
    check_warcs([path])


def test_a_disk_that_is_full_leaves_whole_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = _folder(tmp_path)
    files.write(_exchange(0))
    write = os.write
    calls: list[int] = []

    def full(file: int, content: bytes) -> int:
        calls.append(len(content))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return write(file, content[:100])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        files.write(_exchange(1))
    monkeypatch.undo()
    files.close()
    (path,) = tmp_path.iterdir()
    check_warcs([path])
    assert warc_urls([path]) == [f"{URL}0"]


_WRITER = """
import os, platform, sys, time
sys.path[:0] = {here!r}
os.getpid = lambda: 1  # as in two containers
platform.node = lambda: "worker"
from test_warc_folder import _exchange, _folder
files = _folder({folder!r}, 200_000)
number = 0
while True:
    files.write(_exchange(number, 50_000))
    number += 1
    time.sleep(0.001)
    if number == 3:
        print("writing", flush=True)
"""


def test_processes_of_the_same_name_share_a_folder_and_a_kill(tmp_path: Path) -> None:
    """Their machines and processes have the same names: no file has two writers."""
    code = _WRITER.format(here=[*map(str, Path(__file__).parents[:2])], folder=str(tmp_path))
    writers = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) for _ in range(2)
    ]
    for each in writers:
        assert each.stdout is not None
        assert each.stdout.readline() == b"writing\n"
    for each in writers:
        each.send_signal(signal.SIGKILL)
        each.wait()
        assert each.stdout is not None
        each.stdout.close()
    _folder(tmp_path)
    paths = sorted(tmp_path.iterdir())
    check_warcs(paths)
    urls = warc_urls(paths)
    assert urls.count(f"{URL}0") == urls.count(f"{URL}2") == 2
