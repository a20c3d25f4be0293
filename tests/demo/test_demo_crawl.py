"""`make crawl` runs the right crawls and reports each way in which they end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from demo import crawl
from demo.process import INTERRUPTED, run

Calls = list[tuple[list[str], Mapping[str, str]]]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Calls:
    """Replace the crawl and the web; return commands and environments of the crawls."""
    made: Calls = []

    def fake(command: Sequence[str], environment: Mapping[str, str], _: Path) -> int:
        made.append((list(command), environment))
        pages = Path(command[command.index("-O") + 1])
        pages.write_text('{"url": "http://found.example/", "title": "Found", "relevance": 0.5}\n')
        return 0

    monkeypatch.setattr(crawl, "run", fake)
    monkeypatch.setattr(crawl, "open_web", dict)
    monkeypatch.setattr(crawl, "ROOT", tmp_path)
    return made


def arguments(command: Sequence[str], flag: str) -> dict[str, str]:
    """Return the NAME=VALUE pairs that follow `flag`."""
    pairs = [command[i + 1] for i, word in enumerate(command) if word == flag]
    return dict(pair.split("=", 1) for pair in pairs)


def test_without_seeds_both_crawls_go_through_the_proxy_only(
    calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    """Population and breadth-first get the same query, seeds, budget; no request goes elsewhere."""
    assert crawl.main(["--max-requests", "50"]) == 0
    first, second = (arguments(command, "-a") for command, _ in calls)
    assert first == {
        "query": crawl.QUERY,
        "seeds": crawl.SEEDS,
        "max_requests": "50",
        "species": "evo",
        "seed": "1",
    }
    assert second == first | {"species": "breadth_first"}
    for command, environment in calls:
        assert environment["http_proxy"] == environment["https_proxy"]
        assert environment["http_proxy"].startswith("http://127.0.0.1:")
        assert not {"no_proxy", "NO_PROXY", "HTTPS_PROXY", "all_proxy"} & set(environment)
        assert arguments(command, "-s").items() >= crawl.LOOPBACK.items()
    printed = capsys.readouterr().out
    assert "http://found.example/" in printed
    assert "breadth_first" in printed


def test_with_seeds_the_live_web_is_crawled_politely_and_once(calls: Calls) -> None:
    """Without a proxy and without the settings for loopback; --compare adds the second crawl."""
    live = ["--seeds", "https://a.example/ https://b.example/", "--query", "coral"]
    assert crawl.main(live) == 0
    ((command, environment),) = calls
    assert environment is os.environ
    assert arguments(command, "-a")["seeds"] == "https://a.example/ https://b.example/"
    assert not set(arguments(command, "-s")) & set(crawl.LOOPBACK)
    assert crawl.main([*live, "--compare"]) == 0
    assert len(calls) == 3


def test_two_crawls_write_to_different_folders(calls: Calls) -> None:
    """The folder is named after the species."""
    crawl.main([])
    assert len({command[command.index("-O") + 1] for command, _ in calls}) == 2
    assert len({arguments(command, "-s")["EVOCRAWL_STATS_FILE"] for command, _ in calls}) == 2


def test_breadth_first_is_not_compared_with_itself(calls: Calls) -> None:
    """The baseline alone is one crawl."""
    crawl.main(["--species", "breadth_first"])
    assert len(calls) == 1


def test_seeds_without_a_query_are_refused(
    calls: Calls, capsys: pytest.CaptureFixture[str]
) -> None:
    """The default topic makes no sense on other pages."""
    with pytest.raises(SystemExit, match="2"):
        crawl.main(["--seeds", "https://a.example/"])
    assert calls == []
    assert "--query" in capsys.readouterr().err


def test_after_an_interrupt_the_summary_comes_and_nothing_else_starts(
    calls: Calls, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The exit code is 130, that of the first crawl; the pages so far are shown."""
    finished = crawl.run

    def interrupted(*arguments: object) -> int:
        finished(*arguments)  # type: ignore[arg-type]
        return INTERRUPTED

    monkeypatch.setattr(crawl, "run", interrupted)
    assert crawl.main([]) == INTERRUPTED
    assert len(calls) == 1
    assert "http://found.example/" in capsys.readouterr().out


CHILD = """
import os, signal, sys
def stop(number, frame):
    open(sys.argv[1], "a").write(f"{number} ")
    sys.exit(0)
signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGTERM, stop)
os.kill(os.getppid(), int(sys.argv[2]))
signal.pause()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_reaches_the_child_once_and_is_waited_for(tmp_path: Path, number: int) -> None:
    """The parent passes the signal on, waits for the child, and restores its own handlers."""
    before = signal.getsignal(signal.SIGINT)
    heard = tmp_path / "heard"
    command = [sys.executable, "-c", CHILD, str(heard), str(int(number))]
    assert run(command, os.environ, tmp_path) == INTERRUPTED
    assert heard.read_text() == f"{int(number)} "
    assert signal.getsignal(signal.SIGINT) is before


def test_the_exit_code_of_the_child_is_passed_on(tmp_path: Path) -> None:
    """A crawl that refuses its arguments fails `make crawl` too."""
    assert run([sys.executable, "-c", "raise SystemExit(3)"], os.environ, tmp_path) == 3
