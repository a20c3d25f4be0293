"""`evocrawl serve`: a world over real HTTP, until a signal."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evocrawl.cli import main
from evocrawl.cli.serve import welcome
from evocrawl.simulation.worlds.answers import AnsweringWorld
from evocrawl.simulation.worlds.registry import open_world

PROXY = "http://127.0.0.1:9"
A = "http://a.test/1"
_CODE = "import sys; from evocrawl.cli import main; sys.exit(main())"


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@contextmanager
def served(world: str) -> Iterator[tuple[int, Callable[[signal.Signals], tuple[int, str]]]]:
    """Serve in a process.

    Return its port, and a function that ends it and returns exit code and stderr.
    """
    command = subprocess.Popen(
        [sys.executable, "-c", _CODE, "serve", world, "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert command.stdout is not None

    def end(how: signal.Signals) -> tuple[int, str]:
        command.send_signal(how)
        printed = command.communicate(timeout=120)[1]
        return command.returncode, printed

    try:
        found = re.search(r"http://127\.0\.0\.1:(\d+)", command.stdout.readline())
        assert found is not None
        yield int(found[1]), end
    finally:
        command.kill()
        command.communicate()


def get(port: int, url: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        connection.request("GET", url)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_world_is_served_until_a_signal(tmp_path: Path, how: signal.Signals, code: int) -> None:
    """The exit code is the documented one; the last line gives the number of requests."""
    pages = write_rows(tmp_path / "birds.jsonl", [{"url": A, "text": "Albatrosses"}])
    with served(str(pages)) as (port, end):
        status, body = get(port, A)
        assert (status, b"Albatrosses" in body) == (200, True)
        assert get(port, "http://elsewhere.test/")[0] == 502
        ended, printed = end(how)
    assert ended == code
    assert "2 requests answered" in printed
    assert "Traceback" not in printed


def test_a_port_in_use_is_named_in_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """With advice."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", "sites:sites=3", "--port", str(port)]) == 2
    printed = capsys.readouterr().err
    assert f"--port is {port}" in printed
    assert "--port 0" in printed


def test_the_first_lines_give_the_arguments_of_a_crawl() -> None:
    """Proxy, hosts, seeds, and in a made-up world its words."""
    world = open_world("sites:sites=20,forbidden=0,seed=1")
    printed = welcome(world, PROXY)
    assert f"{len(world)} pages" in printed
    assert "s0.sites.test, s1.sites.test" in printed
    assert "15 more" in printed
    assert f"http_proxy={PROXY} scrapy crawl" in printed
    assert max(world.documents(), key=lambda page: len(page.links)).url in printed
    words = world.vocabulary.of(1)[:3]
    assert f'-a query="{" ".join(words)}"' in printed


def test_seeds_have_the_addresses_that_are_served(tmp_path: Path) -> None:
    """With the scheme http."""
    rows: list[dict[str, object]] = [
            {"url": "https://a.test/", "links": [{"url": "https://a.test/b", "anchor": "b"}]},
            {"url": "https://a.test/b"}]  # fmt: skip
    world: AnsweringWorld = open_world(write_rows(tmp_path / "w.jsonl", rows))
    printed = welcome(world, PROXY)
    assert "  http://a.test/\n" in printed
    assert "https://" not in printed


@pytest.mark.parametrize(
    ("arguments", "printed"),
    [
        (["--port", "70000"], "from 0 to 65535"),
        (["--port", "eighty"], "--port"),
        (["--speed", "inf"], "a number from 0"),
        (["--speed", "nan"], "a number from 0"),
    ],
)
def test_impossible_numbers_end_serve_with_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], printed: str
) -> None:
    """Before anything is served."""
    with pytest.raises(SystemExit) as stop:
        main(["serve", "sites:sites=3", *arguments])
    assert stop.value.code == 2
    assert printed in capsys.readouterr().err
