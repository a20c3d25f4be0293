from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from robots_web import Web

SCRIPT = Path(__file__).with_name("robots_crawl.py")
Crawl = Callable[..., dict[str, Any]]


@pytest.fixture
def web() -> Iterator[Web]:
    server = Web()
    yield server
    server.close()


@pytest.fixture(scope="session")
def crawl() -> Iterator[Crawl]:
    """Crawl a list of URLs, see `robots_crawl`; one process, as a reactor starts once in each."""
    with subprocess.Popen(
        [sys.executable, str(SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        stdin, stdout = process.stdin, process.stdout

        def run(
            urls: list[str],
            *,
            allowed_domains: list[str] | None = None,
            budget: int | None = None,
            stock: bool = False,
            ask: str = "",
            arrived: str = "",
            meta: dict[str, object] | None = None,
            **settings: object,
        ) -> dict[str, Any]:
            job = {
                "urls": urls,
                "allowed_domains": allowed_domains,
                "budget": budget,
                "stock": stock,
                "ask": ask,
                "arrived": arrived,
                "meta": meta or {},
                "settings": settings,
            }
            stdin.write(json.dumps(job) + "\n")
            stdin.flush()
            result: dict[str, Any] = json.loads(stdout.readline())
            return result

        yield run
        stdin.close()
