"""The program of the guide runs as it is written, and its store answers the same questions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from reef_site import reef

from evocrawl.api import stored
from evocrawl.api.errors import UnknownPageError
from evocrawl.core.errors import StateError

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "python.md"


def test_the_program_of_the_guide_runs_as_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text("utf-8"), re.S | re.M)
    monkeypatch.chdir(tmp_path)
    with reef() as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        exec(compile(program, str(GUIDE), "exec"), {"__name__": "__main__"})
    lines = capsys.readouterr().out.splitlines()
    pages = [line for line in lines if re.match(r"[01]\.\d\d ", line)]
    assert len(pages) == len(set(pages)) == 25
    assert lines.count("# Coral bleaching of reef 1") == 1  # the Markdown of the best page
    assert "| 2016 | 12 |" in lines
    assert sum(line.startswith("fetched LinkShown(source=") for line in lines) == 3
    assert re.fullmatch(r"(exhausted|finished) 2\d \d+ (0\.\d+|1\.0|None)", lines[-1])
    _check_store(str(tmp_path / "coral.sqlite"))


def _check_store(store: str) -> None:
    """The file alone answers each question; a page that is not there is an error."""
    first, second = stored.results(store, 2)
    assert first.relevance >= second.relevance
    assert stored.results(store, 1, start=1) == [second]
    page = stored.page(store, first.url)
    assert page.title == first.title
    assert page.response is not None
    assert page.response.status_line == "HTTP/1.1 200 OK"
    assert stored.why(store, first.url).status == "fetched"
    same = stored.compare(store, store)
    assert (same.new, same.changed, same.gone, same.same) == ((), (), (), 25)
    for url in ("http://reef.example/none", "no address"):
        with pytest.raises(UnknownPageError, match="the crawl has no page"):
            stored.page(store, url)
    with pytest.raises(StateError):
        stored.results(f"{store}.none")
