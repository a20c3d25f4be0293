"""Corpora of stored crawls: Markdown, datatrove, data sheets, and only what is new."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from evocrawl.cli import main
from evocrawl.core.fetch import FetchDetails, RawResponse
from evocrawl.core.model import Content, Cost, Fetched, Lead, Link, Page
from evocrawl.core.urls.identity import fingerprint, host_of
from evocrawl.extraction.html import parse_html
from evocrawl.store.journal.operations import Chosen, Placed, VisitSettled
from evocrawl.store.journal.sqlite_journal import SqliteJournal

DATE = "2026-01-02T03:04:05.678+00:00"
REEF, BOAT, MUTE = "http://reef.example/a", "http://boat.example/../b?q=1", "http://mute.example/"
REEF_HTML = """<html lang=en><head><title>Reefs: "heat" # \n&amp; more</title>
<meta name=robots content="noai, index"><meta name="tdm-reservation" content="1">
<link rel="license" href="/terms"><script type="application/ld+json">
{"@graph": [{"license": "https://creativecommons.org/licenses/by/4.0/deed.en"}]}</script></head>
<body><main><h1>Reefs</h1><p>Coral bleaching is a sign of heat in the sea.</p>
<table><tr><th>Year</th></tr><tr><td>2016</td></tr><tr><td>1998</td></tr></table>
<a href="https://creativecommons.org/licenses/by-sa/3.0/">CC</a></main></body></html>"""
BOAT_HTML = """<html><title>../../etc/passwd</title><body><p>Boats &lt;script&gt; lie there, and
coral too.</p></body></html>"""
ABOUT = {"query": "coral bleaching", "species": "evo", "seed": 1, "relevant_at": 0.5,
         "seeds": ["http://me:secret@reef.example/"], "evocrawl": "0.1.0",
         "DOWNLOAD_TIMEOUT": 9.0}  # fmt: skip


_FORMATS = ("csv", "parquet", "datatrove")
_DISOBEYED = ("INSERT INTO about VALUES ('ROBOTSTXT_OBEY', 'false')",)


def crawl(path: Path, pages: dict[str, tuple[str, bool]], **headers: str) -> Path:
    """Store a crawl of pages by address, each with its HTML and whether its response was kept."""
    journal = SqliteJournal(path, ABOUT)
    journal.append(Placed(tuple(Link(url, fingerprint(url)) for url in pages)))
    for visit, (url, (html, is_kept)) in enumerate(pages.items(), 1):
        key, read = fingerprint(url), parse_html(html.encode(), url)
        fields = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"), *headers.items())
        answer = RawResponse("HTTP/1.1 200 OK", fields, gzip.compress(html.encode()))
        details = FetchDetails(
            1, Lead(url, key, host_of(url), b"", 0, 0.5), 200, DATE, "",
            answer if is_kept else None, duplicate_of="" if visit < 3 else REEF,
        )  # fmt: skip
        content = Content(read.title, read.text, read.language)
        page = Page(url, key, 0.9 / visit, 1.0, (), read.content_fingerprint, content)
        journal.append(Chosen(float(visit), (), visit, key))
        journal.append(VisitSettled(visit, Fetched(page, Cost(1.0)), details))
    journal.commit()
    journal.close()
    return path


@pytest.fixture
def store(tmp_path: Path) -> Path:
    pages = {REEF: (REEF_HTML, True), BOAT: (BOAT_HTML, True), MUTE: (REEF_HTML, False)}
    return crawl(tmp_path / "c.sqlite", pages)


def export(store: Path, format_: str, out: Path | str, *more: str) -> int:
    return main(["export", str(store), "--format", format_, "--out", str(out), *more])


def front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the record before a page's text; each of its lines is a name and a JSON value."""
    _, head, body = re.split(r"(?m)^---\n", text, maxsplit=2)
    lines = (line.split(": ", 1) for line in head.splitlines())
    return {name: json.loads(value) for name, value in lines}, body


def test_markdown_is_a_folder_with_a_safe_name_for_each_page(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "pages"
    assert export(store, "markdown", out) == 0
    assert capsys.readouterr().err == f"3 pages in {out}\n"
    names = sorted(path.name for path in out.iterdir())
    assert names == ["000001-reefs-heat-more.md", "000002-etc-passwd.md",
                     "000003-reefs-heat-more.md"]  # fmt: skip
    head, body = front_matter((out / names[0]).read_text())
    assert (head["url"], head["title"]) == (REEF, 'Reefs: "heat" # & more')
    assert body.startswith("\n# Reefs\n\nCoral bleaching is a sign of heat in the sea.\n\n| Year |")
    assert "Boats \\<script> lie there" in (out / names[1]).read_text()
    head, body = front_matter((out / names[2]).read_text())  # without a response: plain text
    assert head["duplicate_of"] == REEF
    assert "Year 2016 1998" in body


def test_a_folder_that_is_not_empty_is_left_alone_without_force(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, precious = tmp_path / "pages", tmp_path / "precious"
    out.mkdir()
    precious.write_text("mine")
    (out / "000002-etc-passwd.md").symlink_to(precious)
    assert export(store, "markdown", out) == 2
    assert "this folder is not empty; --force writes to it" in capsys.readouterr().err
    assert export(store, "markdown", out, "--force") == 0
    assert precious.read_text() == "mine"
    assert not (out / "000002-etc-passwd.md").is_symlink()
    assert export(store, "markdown", precious) == 2
    assert "this is a file" in capsys.readouterr().err


def test_markdown_to_standard_output_is_one_text(
    store: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert export(store, "markdown", "-") == 0
    assert capfdbinary.readouterr().out.count(b"\n---\n") == 3 + 2  # ends of heads, later begins


def test_datatrove_documents_have_text_id_and_metadata(store: Path, tmp_path: Path) -> None:
    out = tmp_path / "docs.jsonl"
    assert export(store, "datatrove", out) == 0
    first, second, third = map(json.loads, out.read_text().splitlines())
    assert set(first) == {"text", "id", "metadata"}
    assert (first["id"], first["metadata"]["url"]) == (REEF, REEF)
    assert first["metadata"]["date"] == DATE
    assert first["metadata"]["licenses"] == [
        "http://reef.example/terms", "https://creativecommons.org/licenses/by-sa/3.0",
        "https://creativecommons.org/licenses/by/4.0",
    ]  # fmt: skip
    assert first["metadata"]["opt_outs"] == ["noai", "tdm-reservation"]
    assert second["metadata"]["opt_outs"] == second["metadata"]["licenses"] == []
    assert "opt_outs" not in third["metadata"]  # not known without a response


def test_a_data_sheet_gives_content_dates_sources_and_rights(store: Path, tmp_path: Path) -> None:
    pages, sheet_file = tmp_path / "pages.jsonl", tmp_path / "sheet.json"
    assert export(store, "jsonl", pages) == 0
    assert export(store, "croissant", sheet_file, "--data", str(pages)) == 0
    sheet = json.loads(sheet_file.read_text())
    assert sheet["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    assert sheet["@type"] == "sc:Dataset"
    assert sheet["name"] == "coral-bleaching"
    assert sheet["temporalCoverage"] == f"{DATE}/{DATE}"
    assert "https://creativecommons.org/licenses/by/4.0" in sheet["license"]
    assert sheet["evocrawl:pages"]["all"] == 3
    assert sheet["evocrawl:pages"]["nearDuplicates"] == 1
    assert sheet["evocrawl:hosts"] == dict.fromkeys(
        ("reef.example", "boat.example", "mute.example"), 1
    )
    assert sheet["evocrawl:optOuts"] == {"noai": 1, "tdm-reservation": 1}
    assert sheet["evocrawl:rightsKnownOfPages"] == 2
    assert sheet["evocrawl:crawl"]["seeds"] == ["http://reef.example/"]
    for name in (name for name in sheet if name.startswith("evocrawl:")):
        # Otherwise readers of JSON-LD read counts by host as nodes, and mlcroissant never ends.
        assert sheet["@context"][name] == {"@id": name, "@type": "@json"}
    (file,) = sheet["distribution"]
    assert file["sha256"] == hashlib.sha256(pages.read_bytes()).hexdigest()
    columns = {field["name"] for field in sheet["recordSet"][0]["field"]}
    assert columns <= set(json.loads(pages.read_text().splitlines()[0]))


@pytest.mark.parametrize("given", ["csv", "parquet", "datatrove", "7\n", "not JSON", "# A"])
def test_a_data_sheet_describes_no_file_without_pages(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], given: str
) -> None:
    """Such as one of another format; what the sheet says of its columns would be wrong."""
    data = tmp_path / "data"
    if given in _FORMATS:
        assert export(store, given, data) == 0
    else:
        data.write_text(given)
    sheet = tmp_path / "sheet.json"
    assert export(store, "croissant", sheet, "--data", str(data)) == 2
    assert "export --format jsonl" in capsys.readouterr().err
    assert not sheet.exists()


def test_the_data_sheet_of_a_crawl_that_did_not_obey_robots_txt_says_so(
    store: Path, tmp_path: Path
) -> None:
    """Its store has the setting."""
    for changes, said in (((), "obeyed"), (_DISOBEYED, "not obeyed")):
        _changed(store, *changes)
        out = tmp_path / f"{said}.json"
        assert export(store, "croissant", out) == 0
        sheet = json.loads(out.read_text())
        assert sheet["evocrawl:crawl"]["robotsTxt"] == said
        assert sheet["rai:dataCollection"].endswith(f"robots.txt was {said}.")


def test_since_an_earlier_crawl_only_new_and_changed_pages_are_exported(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    later = crawl(tmp_path / "later.sqlite", {
        REEF: (REEF_HTML.replace("2016", "2024"), True),
        BOAT: (BOAT_HTML.replace("<p>", "<p class=x>"), True),
        "http://new.example/": (REEF_HTML, True),
    })  # fmt: skip
    out = tmp_path / "news.jsonl"
    assert export(later, "jsonl", out, "--since", str(store)) == 0
    urls = [json.loads(line)["url"] for line in out.read_text().splitlines()]
    assert urls == [REEF, "http://new.example/"]
    assert export(later, "markdown", tmp_path / "news", "--since", str(store)) == 0
    assert len([*(tmp_path / "news").iterdir()]) == 2
    capsys.readouterr()
    assert main(["compare", str(store), str(later)]) == 0
    assert capsys.readouterr().out == (
        "new      http://new.example/\n"
        f"changed  {REEF}\n"
        f"gone     {MUTE}\n"
        "1 new, 1 changed, 1 gone, 1 the same\n"
    )
    assert main(["compare", str(store), str(later), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["changed"] == [REEF]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--format", "world", "--since", "x"), "another format with --since"),
        (("--format", "csv", "--data", "x"), "--format croissant only"),
        (("--format", "croissant", "--data", "none.jsonl"), "none.jsonl"),
        (("--since", "none.sqlite"), "none.sqlite"),
    ],
)
def test_arguments_that_contradict_each_other_are_refused(
    store: Path, tmp_path: Path, arguments: tuple[str, ...], problem: str,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    assert main(["export", str(store), "--out", str(tmp_path / "o"), *arguments]) == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def _changed(path: Path, *statements: str) -> Path:
    with sqlite3.connect(path) as database:
        for each in statements:
            database.execute(each)
    database.close()
    return path


def test_a_comparison_reports_other_queries_and_unreadable_pages_apart_from_changes(
    store: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.sqlite"
    shutil.copy(store, other)
    _changed(other, "UPDATE about SET value = '\"\\u001b[2J\"' WHERE name = 'query'")
    assert main(["compare", str(store), str(other)]) == 0
    printed = capsys.readouterr()
    assert "0 new, 0 changed, 0 gone" in printed.out
    assert r"the queries differ: 'coral bleaching' and '\\x1b[2J'" in printed.err
    damaged = tmp_path / "damaged.sqlite"
    shutil.copy(store, damaged)
    _changed(damaged, "UPDATE pages SET version = 'text' WHERE visit = 2")
    for pair in ((store, damaged), (damaged, store)):
        assert main(["compare", *map(str, pair)]) == 1
        assert "could not be read, see above" in capsys.readouterr().err
    old = tmp_path / "old.sqlite"
    shutil.copy(store, old)
    _changed(old, "PRAGMA user_version = 1")
    assert main(["compare", str(old), str(store)]) == 2
    assert "its tables are of version 1" in capsys.readouterr().err


def test_no_password_of_a_seed_is_written(store: Path, tmp_path: Path) -> None:
    """Nor of a source of seeds."""
    seeds = '["http://me:secret@reef.example/", "searxng:https://me:secret@s.example/"]'
    _changed(store, f"UPDATE about SET value = '{seeds}' WHERE name = 'seeds'")
    for format_ in ("world", "croissant"):
        out = tmp_path / f"out.{format_}"
        assert main(["export", str(store), "--format", format_, "--out", str(out)]) == 0
        written = out.read_text()
        assert "http://reef.example/" in written
        assert "secret" not in written
