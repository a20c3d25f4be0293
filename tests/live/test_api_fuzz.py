"""The control API of a running crawl answers any request as its description says (schemathesis)."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.specs.openapi.checks import ignored_auth
from test_dashboard import TOKEN, crawling, endless

from evocrawl.monitor.dashboard.openapi import description
from evocrawl.simulation.server.proxy import LoopbackProxy

_OTHERS = ("/api/v1/events", "/api/v1/explain")
"""A stream without end, and an address whose every answer needs a process."""
_ONCE = ("/api/v1/stop", "/api/v1/resume")
"""Requests that end or free the crawl, unless they are refused."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a crawl that has found some pages and is paused."""
    with (
        LoopbackProxy({"a.test": endless("b.test"), "b.test": endless("a.test")}) as proxy,
        crawling(proxy, tmp_path_factory.mktemp("fuzzed")) as (process, port, _),
    ):
        url = f"http://127.0.0.1:{port}"
        while status(url)["pages"] < 4:
            assert process.poll() is None
            time.sleep(0.2)
        ask(url, "pause")
        yield url
        assert status(url)["state"] == "paused"
        ask(url, "stop")
        assert process.wait(120) == 0


def status(url: str) -> Any:
    with urllib.request.urlopen(f"{url}/api/v1/status", timeout=60) as answer:
        return json.load(answer)


def ask(url: str, what: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1/{what}", b"{}", headers)
    while True:
        try:
            urllib.request.urlopen(request, timeout=60).close()
        except urllib.error.HTTPError as error:
            if error.code != 429:  # too many changes a second
                raise
            time.sleep(0.5)
        else:
            return


FUZZED = [
    (path, method)
    for path, each in description()["paths"].items()
    for method in each
    if path not in _OTHERS
]


@pytest.mark.parametrize(("path", "method"), FUZZED)
def test_any_request_gets_an_answer_of_the_description(
    address: str, path: str, method: str
) -> None:
    """Valid and invalid parameters and bodies of each address."""
    schema = schemathesis.openapi.from_dict(description())
    schema.config.update(base_url=address)
    operation = schema[path][method]

    @settings(
        max_examples=12, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(operation.as_strategy(GenerationMode.POSITIVE))
    def accepts(case: Case) -> None:
        check(case)

    @settings(
        max_examples=12, deadline=None, derandomize=True, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(operation.as_strategy(GenerationMode.NEGATIVE))
    def refuses(case: Case) -> None:
        # A wrong header of schemathesis is replaced by the token: then a right body is accepted.
        assume(path not in _ONCE or not isinstance(case.body, dict))
        check(case)

    if path not in _ONCE:
        accepts()
    if method == "post" or description()["paths"][path][method]["parameters"]:
        refuses()


def check(case: Case) -> None:
    """Repeat a request after an answer that there were too many changes a second.

    Schemathesis' own requests without a token may be too many, too: `test_access.py` has those.
    """
    headers = {"Authorization": f"Bearer {TOKEN}"}
    answer = case.call(headers=headers, timeout=60)
    while answer.status_code == 429:
        time.sleep(0.3)
        answer = case.call(headers=headers, timeout=60)
    assert answer.headers["content-security-policy"]
    case.validate_response(answer, excluded_checks=[ignored_auth])
