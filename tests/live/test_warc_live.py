"""WARC during the crawl: complete records of all network traffic, also after a kill."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
from livecrawl import QUERY, Crawl, page, site
from warcio.archiveiterator import ArchiveIterator
from warcio.cli import main as warcio

from evocrawl.simulation.server.proxy import Request, Response
from evocrawl.store.export.warc_mending import mend

HOST = "reef.test"
SEED = f"http://me:secret@{HOST}/"


def _web() -> Any:
    pages: dict[str, Any] = {
        "/": page("/a coral", "/old coral bleaching", "/gone coral", text="coral bleaching"),
        "/robots.txt": Response(200, b"User-agent: *\nDisallow: /private\n"),
        "/old": Response(302, b"", {"Location": "/new"}),
        "/new": page("/a coral", text="coral bleaching moved"),
        "/a": _numbered(0),
    }
    for number in range(1, 60):
        pages[f"/n{number}"] = _numbered(number)
    return site(pages)


def _numbered(number: int) -> Response:
    answer = page(f"/n{number + 1} coral reef", "/private coral", text=f"coral bleaching {number}")
    answer.headers["Set-Cookie"] = "id=secret-cookie"
    return answer


def _records(folder: Path) -> list[tuple[str, str, Any, bytes]]:
    found = []
    for path in sorted(folder.iterdir()):
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                url = record.rec_headers.get_header("WARC-Target-URI")
                body = record.content_stream().read()
                found.append((record.rec_type, url, record, body))
    return found


def _check(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that `warcio check` finds no error."""
    with pytest.raises(SystemExit) as ended:
        warcio(["check", "-v", *map(str, folder.iterdir())])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "digest pass" in said
    assert "digest failed" not in said


def test_each_exchange_is_in_files_that_stay_valid_after_a_kill(
    crawl: Crawl, serve: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "warcs"
    asked = {"query": QUERY, "seeds": SEED, "max_requests": 400, "warc": folder,
             "warc_bytes": 10_000, "store": tmp_path / "crawl.sqlite"}  # fmt: skip
    with_web = serve({HOST: _web()})
    killed = crawl(with_web, arguments=asked, interrupt_at=15, by=signal.SIGKILL)
    assert killed.code == -signal.SIGKILL
    for path in folder.iterdir():
        mend(path)  # as the next crawl does: the kill may have come within a write
    _check(folder, capsys)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    first = [url for kind, url, *_ in _records(folder) if kind == "response"]
    assert len(first) >= 10
    crawled = crawl(with_web, arguments=asked)
    assert crawled.code == 0
    crawled.check_settled()
    _check(folder, capsys)
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert before.items() <= after.items()  # each process writes its own files
    assert len(after) >= len(before) + 2  # and begins a new one when a file is full
    assert all(len(content) < 10_000 + 3_000 for content in after.values())
    _check_records(_records(folder), with_web.log)
    assert crawled.stat("warc/responses") + len(first) in (len(with_web.log), len(with_web.log) - 1)


def _check_records(records: list[tuple[str, str, Any, bytes]], log: list[Request]) -> None:
    answers = [(url, record, body) for kind, url, record, body in records if kind == "response"]
    statuses = {url: record.http_headers.get_statuscode() for url, record, _ in answers}
    assert statuses[f"http://{HOST}/robots.txt"] == "200"
    assert statuses[f"http://{HOST}/old"] == "302"
    assert statuses[f"http://{HOST}/gone"] == "404"
    assert f"http://{HOST}/private" not in statuses
    assert {url for url, *_ in answers} <= {f"http://{HOST}{request.path}" for request in log}
    bodies = {url: body for url, _, body in answers}
    assert b"coral bleaching 7" in bodies[f"http://{HOST}/n7"]
    ids = {record.rec_headers.get_header("WARC-Record-ID") for _, record, _ in answers}
    requests = [record for kind, _, record, _ in records if kind == "request"]
    assert {each.rec_headers.get_header("WARC-Concurrent-To") for each in requests} == ids
    sent = [each.http_headers for each in requests]
    assert all(headers.get_header("Host") == HOST for headers in sent)
    assert all(headers.get_header(name) is None for headers in sent
               for name in ("Cookie", "Authorization"))  # fmt: skip
    assert any(headers.statusline.startswith("/n7 ") for headers in sent) or any(
        "/n7 " in headers.to_str() for headers in sent
    )
    assert all("secret@" not in url for _, url, *_ in records if url)
    infos = [body for kind, _, _, body in records if kind == "warcinfo"]
    assert all(b"software: evocrawl/" in info and b"query: coral bleaching" in info
               for info in infos)  # fmt: skip


def test_a_folder_that_cannot_be_written_is_a_mistake(
    crawl: Crawl, serve: Any, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    asked = {"query": QUERY, "seeds": SEED, "max_requests": 5, "warc": tmp_path / "file"}
    refused = crawl(serve({HOST: _web()}), arguments=asked)
    assert refused.code == 2
    assert "a folder that can be written (File exists)" in refused.log
