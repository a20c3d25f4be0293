"""`evocrawl score` gives the relevance of a page for a query, and explains it."""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from evocrawl.cli import main
from evocrawl.core.config.config import Config
from evocrawl.core.model import Content
from evocrawl.population.assembly import assemble
from evocrawl.relevance import create

HTML = (
    "<html lang=en><head><title>Dying reefs</title></head><body><main><p>The reef is dying from"
    " heat stress. Corals turn white, which is called bleaching, and the polyps expel their algae."
    " Fish leave the warm sea around the coral.</p></main></body></html>"
)


@pytest.fixture
def page(tmp_path: Path) -> str:
    """Return a page in a file."""
    (tmp_path / "page.html").write_text(HTML)
    return str(tmp_path / "page.html")


@pytest.fixture
def address() -> Iterator[str]:
    """Return the address of the same page on a server, which answers 404 to others."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/robots.txt":
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"User-agent: evocrawl\nDisallow: /private")
                return
            self.send_response(200 if self.path in ("/page", "/private") else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(HTML.encode())

        def log_message(self, *_: object) -> None: ...

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_page_is_explained_model_by_model_and_term_by_term(
    page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In plain words: the chance, the threshold, and the terms that count."""
    assert main(["score", "coral bleaching fossil", page]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Dying reefs, ")
    assert "(relevant from 0.5)" in shown
    assert "tfidf, weight 0.25: score 0." in shown
    assert "not on the page: fossil" in shown
    assert "vectors, weight 0.50: score 0." in shown
    assert "opening, weight 0.25: score 0." in shown
    assert re.search(r"coral +word 8\n", shown)
    assert "not among its first words: fossil" in shown
    assert " reef " in shown
    assert "by the words of the query" in shown


def test_a_model_without_words_explains_its_score(
    page: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text without spaces is measured in characters."""
    assert main(["score", "coral", page, "--set", "relevance=tfidf+regex:zebra"]) == 0
    assert "the pattern does not occur on the page" in capsys.readouterr().out
    (tmp_path / "ja.html").write_text("<html lang=ja><title>白化</title><p>サンゴの白化", "utf-8")
    assert main(["score", "サンゴ", str(tmp_path / "ja.html"), "--set", "relevance=tfidf"]) == 0
    assert ", 6 characters, in Japanese" in capsys.readouterr().out


def test_json_has_the_same(page: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With numbers that are not rounded."""
    assert (
        main(["score", "coral bleaching", page, "--format", "json", "--set", "relevance=bm25"]) == 0
    )
    shown = json.loads(capsys.readouterr().out)
    assert shown["relevant_at"] == 0.5
    (model,) = shown["models"]
    assert model["name"] == "bm25"
    assert model["chance"] == pytest.approx(shown["relevance"])
    assert sum(term["share"] for term in model["terms"]) == pytest.approx(model["score"])


def test_a_page_that_robots_txt_forbids_is_not_fetched(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line names the address and gives advice."""
    assert main(["score", "coral bleaching", f"{address}/private"]) == 2
    assert "robots.txt allows; save it as a file" in capsys.readouterr().err


def test_an_address_is_fetched_and_scored_like_the_file(
    page: str, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One request, and the same explanation."""
    outputs = []
    for place in (page, f"{address}/page"):
        assert main(["score", "coral bleaching", place]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["coral", "/none/such.html"], "No such file or directory"),
        (["coral", "ftp://a.test/"], "an http or https address"),
        (["coral", "http://127.0.0.1:1/"], "an address that can be fetched"),
        (["coral", "{address}/gone"], "the server answers 404"),
        (["coral", sys.executable], "this is a binary file"),
        (["the of", "{page}"], "most pages have"),
        (["coral", "{page}", "--set", "relevance=tfidff"], "did you mean tfidf?"),
        (["coral", "{page}", "--set", "relevance=classifier"], "examples is ''"),
    ],
)
def test_a_mistake_is_one_line(
    page: str,
    address: str,
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With exit code 2."""
    given = [each.format(page=page, address=address) for each in arguments]
    assert main(["score", *given]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_default_mix_is_that_of_a_crawl() -> None:
    """The command and the crawl read one option."""
    config = Config.read({}, {"query": "coral bleaching"})
    model = assemble(config, concurrency=1, host_limit=lambda _: (1, 0.0), timeout_s=1.0).relevance
    content = Content("Corals", "Coral bleaching by heat", "en")
    assert model.page(content) == create(config.relevance, config.query).page(content)
