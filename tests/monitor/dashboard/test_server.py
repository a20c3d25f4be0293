"""The dashboard of a stored crawl over HTTP: its answers and its refusals."""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from served import TOKEN, Server, served
from stored_crawls import EVIL, QUERY, SEED, StoredCrawl, name

from evocrawl.cli import main
from evocrawl.monitor.dashboard.openapi import READS, WRITES, description


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> StoredCrawl:
    crawl = StoredCrawl(tmp_path_factory.mktemp("served") / "s", "energy", budget=60)
    crawl.run()
    crawl.close()
    return crawl


@pytest.fixture(scope="module")
def server(crawl: StoredCrawl) -> Iterator[Server]:
    with served(crawl.path) as server:
        while server.get("status")["state"] != "finished":
            time.sleep(0.02)
        yield server


def test_the_status_has_the_numbers_of_the_crawl(server: Server, crawl: StoredCrawl) -> None:
    status, ledger = server.get("status"), crawl.assembly.ledger
    assert (status["query"], status["species"], status["limit"]) == (QUERY, "energy", 60)
    assert (status["pages"], status["relevant"]) == (ledger.pages, ledger.relevant_pages)
    assert status["requests"] == crawl.assembly.budget.spent
    assert status["note"] == "The crawl has ended: no link is left to follow."
    points = server.get("curve")["points"]
    assert points[-1]["relevant"] == ledger.relevant_pages
    text = server.ask("/metrics")[2].decode()
    assert f"evocrawl_relevant_pages_total {ledger.relevant_pages}\n" in text
    assert 'evocrawl_state{state="finished"} 1' in text
    assert all(
        re.fullmatch(r"#.*|\w+(\{\w+=\"\w+\"\})? [\d.e+-]+", line) for line in text.splitlines()
    )


def test_results_are_paged_and_filtered(server: Server, crawl: StoredCrawl) -> None:
    whole = server.get("results?limit=200")
    assert whole["total"] == crawl.assembly.ledger.pages == len(whole["results"])
    scores = [row["relevance"] for row in whole["results"]]
    assert scores == sorted(scores, reverse=True)
    part = server.get("results?limit=5&offset=3")
    assert part["results"] == whole["results"][3:8]
    found = server.get("results?q=REEF%203&min=0.1&host=b.test")["results"]
    assert found
    assert all("Reef 3" in row["title"] and row["host"] == "b.test" for row in found)
    evil = server.get(f"results?q={quote('<script>')}")["results"]
    assert [row["title"] for row in evil][:1] == [EVIL]
    assert server.get("results?offset=9999")["results"] == []


def test_the_family_tree_has_every_agent(server: Server, crawl: StoredCrawl) -> None:
    seen: dict[int, Any] = {}

    def unfold(query: str) -> None:
        for row in server.get(f"agents?limit=200{query}")["agents"]:
            seen[row["id"]] = row
            if row["children"]:
                unfold(f"&parent={row['id']}")

    unfold("")
    assert seen.keys() == set(range(1, crawl.assembly.ledger.births + 1))
    alive = server.get("agents?alive=true&limit=200")["agents"]
    assert {row["id"] for row in alive} == crawl.population.lifecycle.agents.keys()
    one = server.get(f"agents/{max(seen)}")
    assert one["ancestors"][:1] == [each for each in [seen[max(seen)]["parent"]] if each]
    assert one["history"][0]["what"] in ("born", "founded")
    assert server.ask("/api/v1/agents/99999")[0] == 404


def test_hosts_and_reasons(server: Server, crawl: StoredCrawl) -> None:
    hosts = server.get("hosts")
    assert {row["host"] for row in hosts["hosts"]} == {"a.test", "b.test"}
    assert sum(row["visits"] for row in hosts["hosts"]) == crawl.assembly.ledger.visits.settled
    for _ in range(3):  # more than are made at once
        assert server.ask("/api/v1/explain?url=%00")[0] == 400
    found = server.get(f"explain?url={quote(name(3))}")
    assert found["status"] == "fetched"
    assert found["path"][0]["url"] == SEED
    status, _, body = server.ask("/api/v1/explain?url=--help")
    assert (status, b"not an http or https URL" in body) == (409, True)
    assert server.ask("/api/v1/explain")[0] == 400


def test_changes_of_a_stored_crawl_are_refused_with_the_reason(server: Server) -> None:
    bodies = {"exclusions": {"pattern": "a.test"}, "feedback": {"visit": 1, "relevant": True},
              "parameters": {"cost": 2}}  # fmt: skip
    for write in WRITES:
        status, answer = server.post(write, bodies.get(write, {}))
        assert status == 409, write
        assert "-a dashboard=PORT" in answer["error"]


def test_every_answer_has_strict_headers(server: Server) -> None:
    for path in ("/", "/app.js", "/api/v1/status", "/api/v1/none", "/metrics", "/uPlot.js"):
        _, headers, _ = server.ask(path)
        policy = headers["Content-Security-Policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'; script-src 'self'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Server"] == "evocrawl"
        assert "Access-Control-Allow-Origin" not in headers


def test_the_page_loads_nothing_from_elsewhere(server: Server) -> None:
    """It has neither an inline script nor an inline style."""
    page = server.ask("/")[2].decode()
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", page)
    for file in re.findall(r"(?:src|href)=\"([\w.]+)\"", page):
        assert server.ask(f"/{file}")[0] == 200
    assert b"MIT" in server.ask("/uPlot.LICENSE.txt")[2]
    script = server.ask("/app.js")[2]
    assert script.startswith(b'"use strict"')
    assert not re.search(rb"innerHTML|insertAdjacentHTML|eval\(|outerHTML", script)
    assert {*re.findall(rb"views\.(\w+) = ", script)} == {
        *re.findall(rb"#/(\w+)", server.ask("/")[2])
    }


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/none", "GET", 404), ("/api/v1/", "GET", 404), ("/api/v1/none", "GET", 404),
        ("/api/v1/stop", "GET", 405), ("/api/v1/status", "DELETE", 401), ("/../x", "GET", 404),
        ("/api/v1/results?limit=201", "GET", 400), ("/api/v1/results?offset=-1", "GET", 400),
        ("/api/v1/results?min=nan", "GET", 400), ("/api/v1/results?min=1e999", "GET", 400),
        ("/api/v1/results?agent=x", "GET", 400), ("/api/v1/agents/x", "GET", 400),
        ("/api/v1/agents?alive=maybe", "GET", 400), ("/api/v1/status", "POST", 401),
        ("/api/v1/stop", "OPTIONS", 401), ("/api/v1/status", "HEAD", 200),
    ],
)  # fmt: skip
def test_wrong_requests(server: Server, path: str, method: str, status: int) -> None:
    assert server.ask(path, method)[0] == status


def test_wrong_bodies(server: Server) -> None:
    token = f"Bearer {TOKEN}"
    kind = "application/json"
    for body in (b"", b"[]", b"{", b"\xff", b"[" * 9000, b'"x"'):
        answer = server.ask("/api/v1/stop", "POST", body, Authorization=token, Content_Type=kind)
        assert answer[0] == 400
    assert server.ask("/api/v1/stop", "POST", b"{}", Authorization=token)[0] == 415
    large = b'{"pattern": "' + b"x" * 20_000 + b'"}'
    answer = server.ask("/api/v1/exclusions", "POST", large, Authorization=token, Content_Type=kind)
    assert answer[0] == 413
    assert server.post("feedback", {"visit": True, "relevant": True})[0] == 400
    assert server.post("feedback", {"visit": 1, "relevant": "yes"})[0] == 400
    assert server.post("feedback", {"visit": 10**9, "relevant": True})[0] == 404


def test_a_chunked_body_is_bounded(server: Server) -> None:
    head = (
        f"POST /api/v1/stop HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n"
        "Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
        connection.sendall(head.encode())
        with suppress(ConnectionError):
            for _ in range(100):
                connection.sendall(b"400\r\n" + b"x" * 1024 + b"\r\n")
        with suppress(ConnectionError):
            assert b" 413 " in connection.recv(1000)
    assert server.get("status")["state"] == "finished"


def test_the_stream_of_events_begins_with_the_status(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), 60) as connection:
        head = f"GET /api/v1/events HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n"
        connection.sendall(head.encode())
        data = b""
        while b"\n\ndata" not in data and b'"exclusions"' not in data:
            data += connection.recv(4096)
    assert b"text/event-stream" in data
    assert b"event: status" in data


def test_the_description_names_every_address(server: Server) -> None:
    found = server.get("openapi.json")
    assert found == description()
    for name_, (_, parameters) in READS.items():
        assert f"/api/v1/{name_}" in found["paths"]
        if not parameters and name_ not in ("events",):
            assert server.ask(f"/api/v1/{name_}")[0] == 200
    assert found["paths"]["/api/v1/stop"]["post"]["security"]


_NAMES = ["q", "host", "agent", "min", "marked", "offset", "limit", "parent", "alive"]
_VALUES = st.one_of(st.text(max_size=40), st.integers().map(str), st.floats().map(str))


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["results", "agents", "hosts", "curve", "status", "agents/1", "none"]),
    st.dictionaries(
        st.sampled_from(_NAMES),
        _VALUES, max_size=4,
    ),
)  # fmt: skip
def test_any_query_has_an_answer_of_json(server: Server, path: str, query: dict[str, str]) -> None:
    """The server never fails."""
    text = "&".join(f"{key}={quote(value, errors='replace')}" for key, value in query.items())
    status, _, body = server.ask(f"/api/v1/{path}?{text}")
    assert status in (200, 400, 404, 429)
    json.loads(body)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from([*WRITES]),
    st.dictionaries(
        st.sampled_from(["pattern", "visit", "relevant", "cost", "gain", "max_requests", "x"]),
        _JSON,
    ),
)
def test_any_body_has_an_answer_of_json(server: Server, path: str, body: dict[str, Any]) -> None:
    status, answer = server.post(path, body)
    assert status in (400, 404, 409, 429)
    assert answer["error"]


def test_mistakes_of_the_command_end_in_one_line(
    crawl: StoredCrawl, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["dashboard", str(crawl.path.parent / "none")]) == 2
    assert "there is no such state" in capsys.readouterr().err
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["dashboard", str(crawl.path), "--port", str(port)]) == 2
    assert "--port" in capsys.readouterr().err


def test_a_running_crawl_is_followed(tmp_path: Path) -> None:
    """New pages appear as they are written."""
    crawl = StoredCrawl(tmp_path / "s", "breadth_first")
    crawl.run(3)
    with served(crawl.path) as server:
        while server.get("status")["pages"] < 3:
            time.sleep(0.02)
        assert server.get("status")["state"] in ("running", "stopped")
        crawl.run(4)
        while server.get("status")["pages"] < 7:
            time.sleep(0.02)
        assert server.get("results")["total"] == 7
    crawl.close()
