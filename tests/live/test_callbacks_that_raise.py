"""The page of a callback that raises is learnt, and its exception is handled as in stock Scrapy."""

from __future__ import annotations

from collections import Counter

from livecrawl import QUERY, ROOT, Crawl, page, site

KINDS = ("plain", "generates", "awaits", "refused", "broken")


def test_pages_of_callbacks_that_raise_are_learnt(serve, crawl: Crawl) -> None:
    """Each page once, also if the callback has yielded before, with any handler of its error."""
    pages = {
        f"/{kind}{more}": page(text=f"{QUERY} {kind} {more}")
        for kind in KINDS
        for more in ("", "?handled", "?handled-on")
    }
    crawled = crawl(
        serve({"reef.test": site(pages)}),
        command=("crawl", "raises"),
        cwd=ROOT / "examples" / "reefs",
        settings={"SPIDER_MODULES": "raisespider", "ITEM_PIPELINES": {}},
    )
    assert (crawled.stat("visits/settled_twice"), crawled.stat("visits/unsettled")) == (0, 0)
    # Of each kind: a page with a handled exception, one without, and the request of a handler.
    assert crawled.stat("pages") == crawled.stat("visits/settled") == 3 * len(KINDS)
    counts = {
        name.removeprefix("raises/"): times
        for name, times in crawled.stats.items()
        if name.startswith("raises/")
    }
    assert counts.pop("errback/refused") == counts.pop("errback/refused?handled") == 1
    assert counts == {f"error/{kind}": 1 for kind in KINDS}
    handled = Counter(each["handled"] for each in crawled.pages if "handled" in each)
    assert handled == {"ValueError": 4, "LookupError": 1}
    assert len([each for each in crawled.pages if "before" in each]) == 2
    assert len([each for each in crawled.pages if "on" in each]) == len(KINDS)
