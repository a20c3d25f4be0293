"""The next crawl of a topic begins with what the last one has learnt about links."""

from __future__ import annotations

from pathlib import Path

from livecrawl import QUERY, Crawl, page, site

MANY = 60


def text_of(name: str, text: str) -> str:
    """Return the text with extra words, so that no page is a copy of another one."""
    return text + " ".join(f"{name}x{number}" for number in range(60))


def test_the_next_crawl_prefers_links_with_which_the_last_one_succeeded(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """Links with invented words come first in the second crawl; in the first one they come late."""
    learnt = tmp_path / "coral.npz"
    names = [f"{kind}{n}" for n in range(MANY) for kind in ("brix", "zorvex")]
    good = "coral bleaching of a reef by heat. " * 8
    bad = "bonds and shares of a bank. " * 8
    web = {
        "/": page(*(f"/{name} {name.rstrip('0123456789')} item" for name in names)),
        **{f"/{name}": page(text=text_of(name, good if name[0] == "z" else bad)) for name in names},
    }
    asked = {"query": QUERY, "seeds": "http://a.test/", "max_requests": 22}
    before = crawl(serve({"a.test": site(web)}), arguments={**asked, "learn_to": learnt})
    before.check_settled()
    after = crawl(serve({"a.test": site(web)}), arguments={**asked, "learnt": learnt})
    after.check_settled()
    assert after.stat("relevant_pages") > before.stat("relevant_pages")
    assert after.stat("relevant_pages") >= 16


def test_a_file_that_cannot_be_read_ends_the_crawl_before_it_begins(
    serve, crawl: Crawl, tmp_path: Path
) -> None:
    """The error names the option and the path, nothing is fetched, and the exit code is 2."""
    proxy = serve({"a.test": site({"/": page()})})
    learnt = tmp_path / "gone.npz"
    options = {"query": QUERY, "seeds": "http://a.test/", "learnt": learnt}
    crawled = crawl(proxy, arguments=options)
    assert crawled.code != 0
    assert "learnt" in crawled.log
    assert str(learnt) in crawled.log
    assert not crawled.pages
